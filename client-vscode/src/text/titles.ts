/** Titles of sessions and names of models, short enough for a list. */

/** Maximum length of a title in lists, in code points. */
const maxTitleLength = 40;

/** Returns a title without Markdown ticks and emphasis, on one line. An icon's code is not shown as that icon. */
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
