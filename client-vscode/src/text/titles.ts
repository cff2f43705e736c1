/** Shortens titles of sessions and names of models for lists. */

/** Maximum length of a title in lists, in code points. */
const maxTitleLength = 40;

/** Returns a title on one line, without Markdown ticks and emphasis. `$(name)` is changed, so that it shows no icon. */
export function plainTitle(title: string): string {
	return title
		.replace(/`|\*\*/g, '')
		.replace(/\s+/g, ' ')
		.replaceAll('$(', '$ (')
		.trim();
}

/** Returns a title for a list: at most 40 characters. */
export function shortTitle(title: string): string {
	const characters = [...plainTitle(title)];
	if (characters.length <= maxTitleLength) return characters.join('');
	const start = characters.slice(0, maxTitleLength - 1).join('');
	return `${start.trimEnd()}…`;
}

/** Returns a model's name without the vendor's prefix and the date of its release: `opus-4-5`. */
export function shortModel(model: string): string {
	return model
		.replace(/^.*\//, '')
		.replace(/^claude-(?=.)/, '')
		.replace(/-20\d{6}$/, '');
}
