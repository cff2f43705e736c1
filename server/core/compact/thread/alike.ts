/** Lines of logs that say the same of another moment. What says the same of another place tells where, too. */

const moment = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?Z?|\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b/g;
/** Names that a program makes up: with a long number in them, or of hexadecimal digits. */
const madeUp = /[\w-]*\d{6,}[\w-]*|\b(?=[0-9a-f-]*\d)(?=[0-9a-f-]*[a-f])[0-9a-f-]{8,}\b/g;

/** What a line that tells its moment has in common with others of its kind; undefined for any other line. */
function commonWords(line: string): string | undefined {
	const plain = line.replace(moment, '');
	return plain === line ? undefined : plain.replace(madeUp, '');
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
