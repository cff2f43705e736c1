/** Describes decisions about compactions, and what compactions saved, in words for people. */

import type { PolicyDecision } from '../../protocol/compaction.ts';
import type { ContextStats, SessionSavings } from '../../protocol/stats.ts';
import { formatCost, isWorthShowing } from '../figures.ts';

/** Explains why a compaction waits although its usual threshold is reached; undefined if it does not wait. */
export function explainWait({ isHeldBack, decision }: ContextStats): string | undefined {
	if (decision?.reason === 'openCalls') return 'waits for the result of a call';
	if (!isHeldBack) return undefined;
	if (decision?.reason === 'paysBackLate' && decision.savesPerCallTokens > 0) {
		const { paysBackAfterCalls, expectedCalls } = decision;
		return `held back: a compaction now would pay back after ${paysBackAfterCalls} calls, and the session is expected to make ${expectedCalls} more`;
	}
	if (decision?.reason === 'shortSession')
		return 'held back: if this session ends soon, a compaction now would cost more than it saves';
	return 'held back: a compaction now would not pay back before the next one';
}

/** Explains why the next request is compacted; undefined without a compaction, or if the window is nearly full. */
export function explainDue(decision: PolicyDecision | undefined): string | undefined {
	if (!decision?.isDue) return undefined;
	switch (decision.reason) {
		case 'cold':
			return "the provider's cache has expired, so the prompt is written again anyway";
		case 'cost':
			return 'carrying the whole prompt on would cost more';
		case 'budget':
			return 'it would cost more than compaction.maxCostPerCall';
		default:
			return undefined;
	}
}

/** Explains why contextd compacted automatically. */
export function explainCompaction({ reason }: PolicyDecision): string {
	switch (reason) {
		case 'cold':
			return "the provider's cache had expired, so the prompt was written again anyway";
		case 'cost':
			return 'carrying the whole prompt on would have cost more';
		case 'budget':
			return 'the request would have cost more than compaction.maxCostPerCall';
		case 'setting':
			return 'your own threshold was reached';
		default:
			return 'the window was nearly full';
	}
}

/** Returns a day as people write it: `3 Nov`, with the year if it is not this one. */
function formatSavingsDay(at: number, now: number): string {
	const [day, today] = [new Date(at), new Date(now)];
	const isThisYear = day.getFullYear() === today.getFullYear();
	return day.toLocaleDateString('en-GB', {
		day: 'numeric',
		month: 'short',
		...(!isThisYear && { year: 'numeric' }),
	});
}

function formatSavedAmount(tokens: number, usd: number | undefined): string {
	const price = formatCost(Math.abs(tokens), usd === undefined ? undefined : Math.abs(usd));
	return `~${price} ${tokens < 0 ? 'more spent' : 'saved'}`;
}

/**
 * Returns what compactions saved: `~$4.10 saved with this session, ~$57.00 saved since 3 Nov, compared with never
 * compacting`. Undefined if that is less than a cent.
 *
 * @param now milliseconds since the epoch
 */
export function formatSavings(savings: SessionSavings | undefined, now: number): string | undefined {
	if (savings === undefined) return undefined;
	const { tokens, usd, total } = savings;
	const parts = [
		...(isWorthShowing(tokens, usd) ? [`${formatSavedAmount(tokens, usd)} with this session`] : []),
		...(total && isWorthShowing(total.tokens, total.usd)
			? [`${formatSavedAmount(total.tokens, total.usd)} since ${formatSavingsDay(total.since, now)}`]
			: []),
	];
	return parts.length === 0 ? undefined : `${parts.join(', ')}, compared with never compacting`;
}
