/** Room that is made before it is needed, where the user set that: what is sent then has to be written anew anyway. */

import { shortTokens } from '../../server/core/meter/wholeRequest.ts';
import { isFields, parsedJson } from '../../server/core/shape.ts';
import type { ContextStats } from '../../server/protocol/stats.ts';
import type { Conversations, HeldConversation } from './conversations.ts';
import { readStart } from './daemon.ts';
import { within } from './deadline.ts';
import type { Host } from './host.ts';
import { decidedWords } from './words.ts';

/** Milliseconds for which a provider keeps its cache at most. */
const longestCache = 3_600_000;
/** Tokens from which on a session is a long one. */
const long = 100_000;
/** How far below the point where a compaction falls due it is near, as a share of the limit. */
const near = 0.1;
/** Milliseconds that is waited for what is asked, and at the end of a turn for a compaction. */
const patienceMs = 5000;

/** Whether the user set `agents.compactWhenCold`, by the file that the daemon takes its settings from. */
async function isSet(host: Host): Promise<boolean> {
	const { settings } = await readStart(host);
	const text = await host.fs.read(settings).catch(() => '{}');
	const value: unknown = parsedJson(text)?.value;
	return isFields(value) && isFields(value.agents) && value.agents.compactWhenCold === true;
}

/** Figures of a long session in which nothing happened for longer than a provider keeps its cache; else undefined. */
async function coldStats(
	{ ask, sessionId }: HeldConversation,
	now: number,
): Promise<ContextStats | undefined> {
	const stats = await ask('context/stats', { sessionId }, { timeoutMs: patienceMs });
	if (stats === null || stats.lastActivityAt === undefined) return undefined;
	const isCold = stats.estimatedInputTokens > long && now - stats.lastActivityAt > longestCache;
	return isCold ? stats : undefined;
}

/**
 * Whether a session that this process takes up again is to be compacted first (`agents.compactWhenCold`): a long one
 * that went cold. Never rejects.
 * @param now milliseconds since the epoch
 */
export async function isDueWhenCold(host: Host, held: HeldConversation, now: number): Promise<boolean> {
	const { ask, sessionId } = held;
	try {
		if (!(await isSet(host))) return false;
		await ask('session/open', { sessionId }, { timeoutMs: patienceMs });
		return (await coldStats(held, now)) !== undefined;
	} catch {
		// The request itself tells that the daemon is away.
		return false;
	}
}

/**
 * Offers, in one line, to compact a session that went cold, where that is not set to happen by itself. Never rejects.
 * @param now milliseconds since the epoch
 */
export async function offerWhenCold(host: Host, conversations: Conversations, now: number): Promise<void> {
	try {
		if (await isSet(host)) return;
		const held = await conversations.current(host, undefined);
		if (await conversations.isOff(host, held)) return;
		const stats = await coldStats(held, now);
		if (stats === undefined) return;
		const tokens = shortTokens(stats.estimatedInputTokens);
		host.ui.log(
			`${tokens} tokens of this session left the provider's cache: /compact makes room before they are read anew (agents.compactWhenCold has it done by itself)`,
		);
	} catch {
		// A session that is not known yet has nothing to offer; the first request tells that the daemon is away.
	}
}

/** Makes a compaction that is near at the end of a turn already (`agents.compactAtTurnEnd`). */
export async function compactAtTurnEnd(host: Host, conversations: Conversations): Promise<void> {
	const held = await conversations.current(host, undefined);
	const { last, stats } = held;
	if (held.settings()?.compactAtTurnEnd !== true || last === undefined || stats === undefined) return;
	if (held.isUndone || stats.usageRatio < stats.thresholds.compact - near) return;
	try {
		const { decision } = await within(
			host,
			'the compaction',
			patienceMs,
			held.conversation.compact(last.raw),
		);
		if (decision !== undefined) host.ui.log(decidedWords(decision));
	} catch (error) {
		conversations.onAside(host, error instanceof Error ? error.message : String(error));
	}
}
