/** Results that Claude Code stored in a file because of their size. The model sees their beginning. */

/** Beginning of such a result. */
const openingTag = '<persisted-output>';
/** Its first line: the size and path of the whole output. */
const locationLine = /^Output too large \(([^)\n]*)\)\. Full output saved to: (.*)$/;
const wrapping = /^(?:<\/?persisted-output>|Preview \(first [^)\n]*\):)$/;
/** End of a preview that continues in the file. */
const continuedEnd = /\n\.\.\.\n<\/persisted-output>/g;

/** Replaces the marks of such a result by the path of the whole output; keeps any other text. */
export function withoutPersistedMarks(text: string): string {
	if (!text.includes(openingTag)) return text;
	return text
		.replace(continuedEnd, '\n')
		.split('\n')
		.filter((line) => !wrapping.test(line))
		.map((line) => line.replace(locationLine, 'Whole output ($1): $2'))
		.join('\n')
		.trim();
}
