/** Adds up the totals that cargo prints for each test program of a run. */

const totalsPattern = /^test result: ok\. (\d{1,7}) passed; 0 failed; (\d{1,7}) ignored;/;

/** Returns lines in which one line has the sum of the totals of all test programs, in place of the last of them; unchanged if one failed. */
export function addCargoTotals(lines: readonly string[]): string[] {
	const isTotal = (line: string): boolean => totalsPattern.test(line);
	const totals = lines.filter((line) => line.startsWith('test result: '));
	if (totals.length < 2 || !totals.every(isTotal)) return [...lines];
	const counts = totals.map((line) => (totalsPattern.exec(line) ?? []).slice(1).map(Number));
	const [passed, ignored] = [0, 1].map((index) =>
		counts.reduce((total, one) => total + (one[index] ?? 0), 0),
	);
	const sum = `test result: ok. ${passed} passed; 0 failed; ${ignored} ignored in ${totals.length} test programs`;
	const last = lines.lastIndexOf(totals.at(-1) ?? '');
	return lines.flatMap((line, index) => (index === last ? [sum] : isTotal(line) ? [] : [line]));
}
