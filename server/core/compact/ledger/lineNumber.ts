/**
 * Where a line's own text begins behind the line number that a read tool put before it
 * (`   986→`, `12<tab>`, `7| `), or `index` itself where there is none. UTF-16 units. Of any line by itself; whether all of a result is numbered is
 * for the gutter of `files/touches` to say.
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

/** The same lines without the numbers that a read tool put before them. */
export function withoutLineNumbers(text: string): string {
	return text
		.split('\n')
		.map((line) => line.slice(afterLineNumber(line, 0)))
		.join('\n');
}
