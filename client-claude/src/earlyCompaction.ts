/** Suggests compactions before they are due, and compacts at the end of a turn if the user enabled that. */

import { formatTokens } from '../../server/core/figures.ts';
import type { Conversations } from './conversations.ts';
import { type Host, withTimeout } from './host.ts';
import { describeDecision } from './texts.ts';

/** Longest lifetime of a provider's cache, in milliseconds. */
const maxCacheMs = 3_600_000;
/** Minimum tokens of a session for an early compaction. */
const minLongTokens = 100_000;
/** A compaction counts as near if the used share of the limit is at most this far below the threshold. */
const nearMargin = 0.1;
/** Timeout of requests to the daemon, in milliseconds. */
const timeoutMs = 5000;

/**
 * Suggests, in one line, to compact a long session whose cache expired while the session was idle. Suggests nothing if
 * contextd compacts such sessions automatically (`compaction.policy`, `agents.compactWhenCold`). Never rejects.
 * @param now the current time, in milliseconds since the epoch
 */
export async function suggestCompactionAfterIdle(
	host: Host,
	conversations: Conversations,
	now: number,
): Promise<void> {
	try {
		const state = await conversations.getCurrent(host, undefined);
		if (await conversations.isOff(host, state)) return;
		const stats = await state.ask('context/stats', { sessionId: state.sessionId }, { timeoutMs });
		if (stats === null || stats.shouldCompact || stats.lastActivityAt === undefined) return;
		if (stats.estimatedInputTokens <= minLongTokens || now - stats.lastActivityAt <= maxCacheMs) return;
		const tokens = formatTokens(stats.estimatedInputTokens);
		host.ui.log(
			`${tokens} tokens of this session have left the provider's cache: /compact before they are written to it again (the setting agents.compactWhenCold does this automatically)`,
		);
	} catch {
		// A suggestion is optional. If the daemon cannot be reached, the first request reports the error.
	}
}

/** Compacts at the end of a turn if a compaction is near (`agents.compactAtTurnEnd`). */
export async function compactAtTurnEnd(host: Host, conversations: Conversations): Promise<void> {
	const state = await conversations.getCurrent(host, undefined);
	const { lastRequest, stats } = state;
	if (state.settings()?.compactAtTurnEnd !== true || lastRequest === undefined || stats === undefined) return;
	if (state.isUndone || stats.usageRatio < stats.thresholds.compact - nearMargin) return;
	try {
		const { decision } = await withTimeout(
			host,
			'the compaction',
			timeoutMs,
			state.conversation.compact(lastRequest.hostMessages),
		);
		if (decision !== undefined) host.ui.log(describeDecision(decision));
	} catch (error) {
		conversations.warn(host, error);
	}
}
