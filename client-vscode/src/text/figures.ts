/** Formats ages, days and counts in the language of the editor. */

import { formatAge } from '../../../server/core/figures.ts';
import { t } from './language.ts';

/** Formats an age in milliseconds: `just now`, `12 s ago`, `5 months ago`. */
export function formatAgo(ms: number): string {
	return formatAge(ms, t);
}

/** Formats a day in the language of the texts, as `3 Nov`; with the year if it is not the current year. */
export function formatShortDay(at: number, now: number): string {
	const [day, today] = [new Date(at), new Date(now)];
	const isThisYear = day.getFullYear() === today.getFullYear();
	// The language tag is translated like any text, so that each translation formats dates in its own language.
	return day.toLocaleDateString(t('en-GB'), {
		day: 'numeric',
		month: 'short',
		...(!isThisYear && { year: 'numeric' }),
	});
}

/** Formats a number of messages. */
export function formatMessageCount(count: number): string {
	return count === 1 ? t('1 message') : t('{0} messages', count);
}

/** Escapes a text for a list of the editor, which would draw `$(name)` as an icon. */
export function escapeIcons(text: string): string {
	return text.replace(/\$\(/g, '\\$(');
}
