/** Room that is made before it is needed, where the user set that: what is sent then has to be written anew anyway. */

import type { Conversations, HeldConversation } from './conversations.ts';
import { within } from './deadline.ts';
import type { Host } from './host.ts';

/** Milliseconds for which a provider keeps its cache at most. */
const longestCache = 3_600_000;
/** Tokens from which on a session is a long one. */
const long = 100_000;
/** How far below the point where a compaction falls due it is near, as a share of the limit. */
const near = 0.1;
/** Milliseconds that the first request waits to be told, and the end of a turn for a compaction. */
const askMs = 300;
const patienceMs = 5000;

/**
 * Whether a session that this process takes up again is to be compacted first (`agents.compactWhenCold`): a long one
 * in which nothing happened for longer than a provider keeps its cache. Never rejects.
 * @param now milliseconds since the epoch
 */
export async function isDueWhenCold(held: HeldConversation, now: number): Promise<boolean> {
	const { ask, sessionId } = held;
	try {
		await ask('session/open', { sessionId }, { timeoutMs: askMs });
		if (held.settings()?.compactWhenCold !== true) return false;
		const stats = await ask('context/stats', { sessionId }, { timeoutMs: askMs });
		if (stats === null || stats.lastActivityAt === undefined) return false;
		return stats.estimatedInputTokens > long && now - stats.lastActivityAt > longestCache;
	} catch {
		// The request itself tells that the daemon is away.
		return false;
	}
}

/** Makes a compaction that is near at the end of a turn already (`agents.compactAtTurnEnd`). */
export async function compactAtTurnEnd(host: Host, conversations: Conversations): Promise<void> {
	const held = await conversations.current(host, undefined);
	const { last, stats } = held;
	if (held.settings()?.compactAtTurnEnd !== true || last === undefined || stats === undefined) return;
	if (held.isUndone || stats.usageRatio < stats.thresholds.compact - near) return;
	await within(host, 'the compaction', patienceMs, held.conversation.compact(last.raw)).catch(
		(error: unknown) => conversations.onAside(host, error instanceof Error ? error.message : String(error)),
	);
}
