/** Recognises log lines that differ only in time or generated ids. Lines about different places are never alike. */

const moment = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?Z?|\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b/g;
const names = /[\w-]+/g;
/** Hexadecimal digits of an id. They may follow another letter only with a dash between: `req-9f8a7c6d`. */
const hexadecimal = /(?:(?<!\w)|(?=-))[0-9a-f-]{8,}(?!\w)/g;

/** Returns a line without generated names: those with a long number, and hexadecimal ids. */
function withoutMadeUpNames(line: string): string {
	return line
		.replace(names, (name) => (/\d{6}/.test(name) ? '' : name))
		.replace(hexadecimal, (digits) => (/\d/.test(digits) && /[a-f]/.test(digits) ? '' : digits));
}

/** Returns a line without its time and generated names; undefined if it states no time. */
function commonWords(line: string): string | undefined {
	const plain = line.replace(moment, '');
	return plain === line ? undefined : withoutMadeUpNames(plain);
}

/** Adds what a line says to `stated`, if it states a time. */
export function addStatement(line: string, stated: Set<string>): void {
	const words = commonWords(line);
	if (words !== undefined) stated.add(words);
}

/** Returns the lines that neither repeat an earlier one nor anything in `stated`. */
export function withoutAlike(lines: readonly string[], stated: ReadonlySet<string>): string[] {
	const before = new Set<string>();
	return lines.filter((line) => {
		const words = commonWords(line);
		if (words === undefined) return true;
		const isNew = !stated.has(words) && !before.has(words);
		before.add(words);
		return isNew;
	});
}
