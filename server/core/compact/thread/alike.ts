/** Lines of logs that say the same of another moment. What says the same of another place tells where, too. */

const moment = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?Z?|\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b/g;
const names = /[\w-]+/g;
/** Hexadecimal digits of an id. A letter that is none may stand before a dash alone: `req-9f8a7c6d`. */
const hexadecimal = /(?:(?<!\w)|(?=-))[0-9a-f-]{8,}(?!\w)/g;

/** Returns the line without names that a program makes up: with a long number in them, or of hexadecimal digits. */
function withoutMadeUpNames(line: string): string {
	return line
		.replace(names, (name) => (/\d{6}/.test(name) ? '' : name))
		.replace(hexadecimal, (digits) => (/\d/.test(digits) && /[a-f]/.test(digits) ? '' : digits));
}

/** What a line that tells its moment has in common with others of its kind; undefined for any other line. */
function commonWords(line: string): string | undefined {
	const plain = line.replace(moment, '');
	return plain === line ? undefined : withoutMadeUpNames(plain);
}

/** Notes among what was `told` what a line says. */
export function noteAlike(line: string, told: Set<string>): void {
	const words = commonWords(line);
	if (words !== undefined) told.add(words);
}

/** Those of the lines that say something which none before them said, nor what was `told`. */
export function withoutAlike(lines: readonly string[], told: ReadonlySet<string>): string[] {
	const before = new Set<string>();
	return lines.filter((line) => {
		const words = commonWords(line);
		if (words === undefined) return true;
		const isNew = !told.has(words) && !before.has(words);
		before.add(words);
		return isNew;
	});
}
