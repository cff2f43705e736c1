/** Formats ages, days and counts in the language of the editor, and shortens titles and names of models for lists. */

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

/** Maximum length of a title in lists, in code points. */
const maxTitleCharacters = 40;

/** Returns a title on one line, without Markdown ticks and emphasis. `$(name)` is changed, so that it shows no icon. */
export function toPlainTitle(title: string): string {
	return title
		.replace(/`|\*\*/g, '')
		.replace(/\s+/g, ' ')
		.replaceAll('$(', '$ (')
		.trim();
}

/** Returns a title for a list: at most 40 characters. */
export function shortenTitle(title: string): string {
	const characters = [...toPlainTitle(title)];
	if (characters.length <= maxTitleCharacters) return characters.join('');
	const start = characters.slice(0, maxTitleCharacters - 1).join('');
	return `${start.trimEnd()}…`;
}

/** Returns a model's name without the vendor's prefix and the date of its release: `opus-4-5`. */
export function shortenModel(model: string): string {
	return model
		.replace(/^.*\//, '')
		.replace(/^claude-(?=.)/, '')
		.replace(/-20\d{6}$/, '');
}
