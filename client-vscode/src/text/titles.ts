/** Shortens titles of sessions and names of models for lists. */

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
export function shortenModelName(model: string): string {
	return model
		.replace(/^.*\//, '')
		.replace(/^claude-(?=.)/, '')
		.replace(/-20\d{6}$/, '');
}
