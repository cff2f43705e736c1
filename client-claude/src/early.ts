/** Compactions before they are due, if the user enabled them, when the provider's cache has to be rewritten anyway. */

import { shortTokens } from '../../server/core/meter/wholeRequest.ts';
import { isFields, parsedJson } from '../../server/core/shape.ts';
import type { ContextStats } from '../../server/protocol/stats.ts';
import type { Conversations, HeldConversation } from './conversations.ts';
import { readStart } from './daemon.ts';
import { within } from './deadline.ts';
import type { Host } from './host.ts';
import { decisionText } from './words.ts';

/** The longest lifetime of a provider's cache, in milliseconds. */
const maxCacheMs = 3_600_000;
/** Tokens above which a session is worth compacting early. */
const minLongTokens = 100_000;
/** A compaction is near if the usage is at most this far below the threshold, as a share of the limit. */
const nearShare = 0.1;
/** Timeout of requests to the daemon, in milliseconds. */
const timeoutMs = 5000;

/** Whether the user set `agents.compactWhenCold`, by the daemon's settings file. */
async function isSet(host: Host): Promise<boolean> {
	const { settings } = await readStart(host);
	const text = await host.fs.read(settings).catch(() => '{}');
	const value: unknown = parsedJson(text)?.value;
	return isFields(value) && isFields(value.agents) && value.agents.compactWhenCold === true;
}

/** Returns figures of a long session that was idle for longer than the provider's cache lasts; undefined for others. */
async function coldStats(
	{ ask, sessionId }: HeldConversation,
	now: number,
): Promise<ContextStats | undefined> {
	const stats = await ask('context/stats', { sessionId }, { timeoutMs });
	if (stats === null || stats.lastActivityAt === undefined) return undefined;
	const isCold = stats.estimatedInputTokens > minLongTokens && now - stats.lastActivityAt > maxCacheMs;
	return isCold ? stats : undefined;
}

/**
 * Whether a resumed session must be compacted before its first request (`agents.compactWhenCold`): a long one whose cache has
 * expired. Never rejects.
 * @param now milliseconds since the epoch
 */
export async function isDueWhenCold(host: Host, held: HeldConversation, now: number): Promise<boolean> {
	const { ask, sessionId } = held;
	try {
		if (!(await isSet(host))) return false;
		await ask('session/open', { sessionId }, { timeoutMs });
		return (await coldStats(held, now)) !== undefined;
	} catch {
		// The request itself reports that the daemon cannot be reached.
		return false;
	}
}

/**
 * Suggests, in one line, to compact a session whose cache has expired, unless that happens automatically. Never rejects.
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
			`${tokens} tokens of this session have left the provider's cache: /compact before they are written to it again (the setting agents.compactWhenCold does this automatically)`,
		);
	} catch {
		// There is nothing to suggest for an unknown session; the first request reports if the daemon cannot be reached.
	}
}

/** Compacts at the end of a turn if a compaction is near (`agents.compactAtTurnEnd`). */
export async function compactAtTurnEnd(host: Host, conversations: Conversations): Promise<void> {
	const held = await conversations.current(host, undefined);
	const { last, stats } = held;
	if (held.settings()?.compactAtTurnEnd !== true || last === undefined || stats === undefined) return;
	if (held.isUndone || stats.usageRatio < stats.thresholds.compact - nearShare) return;
	try {
		const { decision } = await within(host, 'the compaction', timeoutMs, held.conversation.compact(last.raw));
		if (decision !== undefined) host.ui.log(decisionText(decision));
	} catch (error) {
		conversations.warn(host, error);
	}
}
