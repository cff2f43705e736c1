/**
 * Returns where a line's own text begins after a read tool's line number (`   986→`, `12<tab>`, `7| `), or `index` if
 * it has none. UTF-16 units. Judges one line alone; `files/touches` decides whether a whole result is numbered.
 */
export function afterLineNumber(text: string, index: number): number {
	let end = index;
	while (text.charCodeAt(end) === 32) end++;
	const digits = end;
	while (isDigit(text.charCodeAt(end)) && end - digits < 9) end++;
	if (end === digits) return index;
	const mark = text.charCodeAt(end);
	if (mark === 0x2192 || mark === 9) return end + 1;
	return mark === 124 && text.charCodeAt(end + 1) === 32 ? end + 2 : index;
}

function isDigit(code: number): boolean {
	return code >= 48 && code <= 57;
}

/** Returns the lines of a text without a read tool's line numbers. */
export function withoutLineNumbers(text: string): string {
	return text
		.split('\n')
		.map((line) => line.slice(afterLineNumber(line, 0)))
		.join('\n');
}
