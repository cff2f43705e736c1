import type { CheckedView, FalseStatement } from './checkedView.ts';

/** Patterns of lines without meaning for a reader, by kind. */
const noise: Readonly<Record<string, RegExp>> = {
	'only brackets': /^[\s{}()[\];,]+$/,
	'terminal control codes': new RegExp(String.fromCharCode(27)),
	'a progress bar': /\d+% .*(?:[kMG]B\/s|\d:\d\d:\d\d)|[█▓░=#]{8,}>?|--:--:--/,
	'a gutter without a line': /^\s*\d+(?:→|\||[-.:])?(?: …)?\s*$/,
	'the name of a listed file': /^\[File: .* \(\d+ lines total\)\]/,
	'what a listing leaves out': /^\(\d+ more lines (?:above|below)\)/,
	'a test of many that passed': /^(?:--- PASS: |=== RUN\b|test \S+ \.\.\. ok$|\S+::\S+ PASSED\b)/,
	'a pager note of a tool': /\[\d+ more lines? in file|\(file has more lines|Output truncated|<\/?file>/i,
	'the head of a diff': /^(?:index [0-9a-f]{7,}\.\.[0-9a-f]{7,}|diff --git |@@ -\d+,?\d* \+\d+,?\d* @@\s*$)/,
	'options of a tool': /yield_time_ms|max_output_tokens|Chunk ID:|Wall time:/,
	'a notice of the agent':
		/system-reminder|Todos have been modified|has been updated successfully|Wrote file successfully/,
	'a file mode': /^[-dl][rwx-]{9}\s/,
};

/** Matches the label before the text of a message, such as `[#13 open fields.py]`. */
const label = /^\s*(?:\[#\d{1,9}(?:\[[^[\]\n]{1,60}\]|[^\]\n]){0,120}\]\s)?\s*/;

/** Finds lines of a view without meaning, except those that a user typed. */
export function noiseLines({ lines, userLines }: CheckedView): FalseStatement[] {
	return lines.flatMap(({ text, isOwn }): FalseStatement[] => {
		if (!isOwn || userLines.has(text.trim())) return [];
		const words = text.replace(label, '');
		const reason = Object.keys(noise).find((name) => noise[name]?.test(words));
		return reason === undefined ? [] : [{ kind: 'noise', line: text, reason }];
	});
}
