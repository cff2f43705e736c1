/** Computes the usage after each turn, the cost of each turn, and the turns after which the usage fell without a compaction. */

import { formatTokens } from '../../../server/core/figures.ts';
import type { LoggedCompaction } from '../../../server/protocol/compaction.ts';
import type { ChatMessage, Usage } from '../../../server/protocol/conversation.ts';
import type { TimelinePoint } from '../../../server/protocol/stats.ts';
import { t } from '../text/language.ts';

/** How full the window was after a turn. */
export interface TurnPoint {
	/** Milliseconds since the epoch. */
	at: number;
	tokens: number;
	/** Id of the message at which the usage was measured; null for the current state. */
	messageId: string | null;
	/** Number from 1. */
	turn: number;
	/** Text about the cost of the turn; empty if unknown. */
	cost: string;
}

/** A turn after which the provider reported fewer tokens than before, without a compaction between them. */
export interface UsageDrop {
	/** Milliseconds since the epoch. */
	at: number;
	/** Tokens by which the usage fell since the previous turn. */
	tokens: number;
	messageId: string;
	/** Number of the turn, from 1. */
	turn: number;
}

/** Minimum drop that is shown, as a share of the limit: prompts shrink a little whenever thinking is removed. */
const minDropShare = 0.02;

/** Returns a text about the cost of a turn: the growth of the usage, and the tokens that the provider reported. */
function formatTurnCost(growth: number | null, usage: Usage | undefined): string {
	const growthTexts = growth === null || growth <= 0 ? [] : [`+${formatTokens(growth)}`];
	const { input = 0, cacheRead = 0, cacheWrite = 0, output = 0 } = usage ?? {};
	return [
		...growthTexts,
		...(cacheRead > 0 ? [t('{0} from the cache', formatTokens(cacheRead))] : []),
		...(cacheRead > 0 ? [t('{0} not cached', formatTokens(input + cacheWrite))] : []),
		...(output > 0 ? [t('answer {0}', formatTokens(output))] : []),
	].join(' · ');
}

/** Returns the points of all turns, oldest first. */
export function listTurnPoints(
	points: readonly TimelinePoint[],
	history: readonly ChatMessage[],
): TurnPoint[] {
	const usages = new Map(history.map(({ id, usage }) => [id, usage]));
	return points.map(({ at, tokens, messageId }, index) => {
		const before = points[index - 1];
		const cost = formatTurnCost(before ? tokens - before.tokens : null, usages.get(messageId));
		return { at, tokens, messageId, turn: index + 1, cost };
	});
}

/** Returns the drops of the reported usage, oldest first. `limit` is the number of tokens that a request may have. */
export function findUsageDrops(
	points: readonly TimelinePoint[],
	compactions: readonly Pick<LoggedCompaction, 'at'>[],
	limit: number,
): UsageDrop[] {
	return points.flatMap((point, index) => {
		const before = points[index - 1];
		if (before?.source !== 'reported' || point.source !== 'reported') return [];
		const tokens = before.tokens - point.tokens;
		if (tokens < minDropShare * limit) return [];
		if (compactions.some(({ at }) => at >= before.at && at <= point.at)) return [];
		return [{ at: point.at, tokens, messageId: point.messageId, turn: index + 1 }];
	});
}
