/** Numbers that a result itself begins its lines with: ids of issues, counts, years. Read tools print line numbers alike. */

/** Line numbers are told from a column of numbers by the first lines: they count up one by one in at least this share of the steps. */
const numberedLines = { max: 60, minCountingShare: 0.5 } as const;

/** A number and a tab, as read tools begin a line, too. */
const beginning = /^ *(\d{1,9})\t/gm;

/** Whether the numbers that lines begin with count those lines. */
function countLines(numbers: readonly number[]): boolean {
	const [first, ...others] = numbers;
	if (others.length === 0) return first === 1;
	const steps = others.filter((number, index) => number === (numbers[index] ?? 0) + 1);
	return steps.length >= numberedLines.minCountingShare * others.length;
}

/** A result whose first column is a number, with spaces behind it, by which nobody takes it for the number of a line. */
export function markNumberColumn(text: string): string {
	if (!text.includes('\t')) return text;
	const numbers: number[] = [];
	for (const [, number] of text.matchAll(beginning))
		if (numbers.push(Number(number)) === numberedLines.max) break;
	return numbers.length === 0 || countLines(numbers) ? text : text.replace(beginning, '$1  ');
}
