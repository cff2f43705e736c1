/** Results that Claude Code keeps in a file, because they are too large: the model gets their beginning. */

/** How such a result begins. */
const mark = '<persisted-output>';
/** Its first line: how large the whole is, and where it lies. */
const place = /^Output too large \(([^)\n]*)\)\. Full output saved to: (.*)$/;
const wrapping = /^(?:<\/?persisted-output>|Preview \(first [^)\n]*\):)$/;
/** What stands below a beginning that goes on in the file. */
const goesOn = /\n\.\.\.\n<\/persisted-output>/g;

/** Where the whole of such a result lies, then its beginning, without the marks around; any other text as it is. */
export function withoutPersistedMarks(text: string): string {
	if (!text.includes(mark)) return text;
	return text
		.replace(goesOn, '\n')
		.split('\n')
		.filter((line) => !wrapping.test(line))
		.map((line) => line.replace(place, 'Whole output ($1): $2'))
		.join('\n')
		.trim();
}
