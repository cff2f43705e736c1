/** Formats figures for people. */

import { t } from './language.ts';

/** Formats tokens in at most four characters and a unit: `812`, `4.2k`, `171k`, `1.05M`. */
export function tokensText(tokens: number): string {
	if (tokens < 999.5) return String(Math.round(tokens));
	if (tokens < 9950) return `${trimmed(tokens / 1000, 1)}k`;
	if (tokens < 999_500) return `${Math.round(tokens / 1000)}k`;
	return `${trimmed(tokens / 1_000_000, 2)}M`;
}

function trimmed(value: number, digits: number): string {
	return String(Number(value.toFixed(digits)));
}

/** Formats a share as whole percent; a share above 0 that would be rounded to 0 is `<1%`. */
export function percentText(share: number): string {
	const percent = Math.round(share * 100);
	return percent === 0 && share > 0 ? '<1%' : `${percent}%`;
}

const secondsPerDay = 86_400;
/** Average lengths in days. */
const month = 30.44;
const year = 365.25;

/** Formats an age in milliseconds: `just now`, `12 s ago`, `3 min ago`, `2 h ago`, `5 d ago`, `5 months ago`. */
export function agoText(ms: number): string {
	const seconds = Math.max(0, Math.floor(ms / 1000));
	if (seconds < 5) return t('just now');
	if (seconds < 60) return t('{0} s ago', seconds);
	if (seconds < 3600) return t('{0} min ago', Math.floor(seconds / 60));
	if (seconds < secondsPerDay) return t('{0} h ago', Math.floor(seconds / 3600));
	const days = seconds / secondsPerDay;
	if (days < 2 * month) return t('{0} d ago', Math.floor(days));
	if (days < 2 * year) return t('{0} months ago', Math.round(days / month));
	return t('{0} years ago', Math.floor(days / year));
}

/** Formats a day in the language of the texts: `3 Nov`, with the year if it is not this one. */
export function shortDayText(at: number, now: number): string {
	const [day, today] = [new Date(at), new Date(now)];
	const isThisYear = day.getFullYear() === today.getFullYear();
	// The name of the language is a text like others, so that each translation names its own.
	return day.toLocaleDateString(t('en-GB'), {
		day: 'numeric',
		month: 'short',
		...(!isThisYear && { year: 'numeric' }),
	});
}

/** Formats a cost: `$0.41`, or the tokens of input that cost the same if the price in dollars is unknown. */
export function priceText(inputTokens: number, usd: number | undefined): string {
	if (usd === undefined) return t('{0} of input', tokensText(inputTokens));
	if (usd > 0 && usd < 0.005) return '<$0.01';
	return `$${usd < 99.5 ? usd.toFixed(2) : String(Math.round(usd))}`;
}

/** Whether a price is worth a line: at least a cent, or 5,000 tokens if the price in dollars is unknown. */
export function isPriceShown(inputTokens: number, usd: number | undefined): boolean {
	return usd === undefined ? Math.abs(inputTokens) >= 5000 : Math.abs(usd) >= 0.01;
}

/** Formats a number of messages. */
export function messagesText(count: number): string {
	return count === 1 ? t('1 message') : t('{0} messages', count);
}

/** Returns a text for a list of the editor, which would draw `$(name)` as an icon. */
export function escapeIcons(text: string): string {
	return text.replace(/\$\(/g, '\\$(');
}
