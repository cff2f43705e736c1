/** Formats what compactions saved, in one phrase for people. */

import type { SessionSavings } from '../../protocol/stats.ts';
import { formatCost, isWorthShowing } from '../figures.ts';

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
