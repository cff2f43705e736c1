/** Handles results that Claude Code stored in a file because of their size. The model sees only their start. */

/** Start of a result that was stored in a file. */
const openingTag = '<persisted-output>';
/** Matches the first line of a stored result, which states the size and path of the whole output. */
const locationLinePattern = /^Output too large \(([^)\n]*)\)\. Full output saved to: (.*)$/;
const wrapperLinePattern = /^(?:<\/?persisted-output>|Preview \(first [^)\n]*\):)$/;
/** Matches the end of a preview that continues in the file. */
const continuedPreviewEndPattern = /\n\.\.\.\n<\/persisted-output>/g;

/** Replaces the marks of a stored result by the path of the whole output; returns any other text unchanged. */
export function replacePersistedMarks(text: string): string {
	if (!text.includes(openingTag)) return text;
	return text
		.replace(continuedPreviewEndPattern, '\n')
		.split('\n')
		.filter((line) => !wrapperLinePattern.test(line))
		.map((line) => line.replace(locationLinePattern, 'Whole output ($1): $2'))
		.join('\n')
		.trim();
}
