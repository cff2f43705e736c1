/** What compactions saved, in one phrase for people. */

import type { SessionSavings } from '../../protocol/stats.ts';
import { costText, isWorthShowing } from '../figures.ts';

/** A day as people write it: `3 Nov`, with the year if it is not this one. */
function dayText(at: number, now: number): string {
	const [day, today] = [new Date(at), new Date(now)];
	const isThisYear = day.getFullYear() === today.getFullYear();
	return day.toLocaleDateString('en-GB', {
		day: 'numeric',
		month: 'short',
		...(!isThisYear && { year: 'numeric' }),
	});
}

function amountText(tokens: number, usd: number | undefined): string {
	const price = costText(Math.abs(tokens), usd === undefined ? undefined : Math.abs(usd));
	return `~${price} ${tokens < 0 ? 'more spent' : 'saved'}`;
}

/**
 * Returns what compactions saved: `~$4.10 saved with this session, ~$57.00 saved since 3 Nov, compared with never
 * compacting`. Undefined if that is less than a cent.
 *
 * @param now milliseconds since the epoch
 */
export function savingsText(savings: SessionSavings | undefined, now: number): string | undefined {
	if (savings === undefined) return undefined;
	const { tokens, usd, total } = savings;
	const parts = [
		...(isWorthShowing(tokens, usd) ? [`${amountText(tokens, usd)} with this session`] : []),
		...(total && isWorthShowing(total.tokens, total.usd)
			? [`${amountText(total.tokens, total.usd)} since ${dayText(total.since, now)}`]
			: []),
	];
	return parts.length === 0 ? undefined : `${parts.join(', ')}, compared with never compacting`;
}
