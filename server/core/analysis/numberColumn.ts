/** Numbers that belong to a result and begin its lines, such as ids or years; not a read tool's line numbers. */

/** Numbers count as line numbers if, in the first lines, at least this share increases by one. */
const numberedLines = { max: 60, minCountingShare: 0.5 } as const;

/** A number and a tab, which may also be a read tool's line number. */
const beginning = /^ *(\d{1,9})\t/gm;

/** Whether the numbers count the lines that they begin, as line numbers do. */
function countLines(numbers: readonly number[]): boolean {
	const [first, ...others] = numbers;
	if (others.length === 0) return first === 1;
	const steps = others.filter((number, index) => number === (numbers[index] ?? 0) + 1);
	return steps.length >= numberedLines.minCountingShare * others.length;
}

/** Replaces the tab after a first column of numbers by spaces, so that it is not stripped as line numbers. */
export function markNumberColumn(text: string): string {
	if (!text.includes('\t')) return text;
	const numbers: number[] = [];
	for (const [, number] of text.matchAll(beginning))
		if (numbers.push(Number(number)) === numberedLines.max) break;
	return numbers.length === 0 || countLines(numbers) ? text : text.replace(beginning, '$1  ');
}
