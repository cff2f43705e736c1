/** Adds up the totals that cargo prints for each test program of a run. */

import { workLimits } from '../../compact/tuning.ts';
import { listOutputLines } from '../text/outputLines.ts';

const totalsPattern = /^test result: ok\. (\d{1,7}) passed; 0 failed; (\d{1,7}) ignored;/;
/** A note that a part of an output is missing, or that a test program crashed. */
const incompletePattern = /\b(?:truncated|omitted)\b|^error\b|process didn't exit successfully/im;
const cargoTestPattern = /\bcargo (?:\+\S{1,40} )?(?:t|test)\b/g;
/** Commands that repeat a run, or show only a part of its output. */
const partPattern = /\b(?:for|while|until|head|tail|grep|sed|awk)\b/;

/**
 * Returns the lines of an output with one line for the sum of the totals of all test programs in place of these totals.
 * Undefined if there is only one, if a test failed, or if the output is not that of a single whole run.
 */
export function addCargoTotals(output: string, command: string): string[] | undefined {
	if ((command.match(cargoTestPattern) ?? []).length !== 1 || partPattern.test(command)) return undefined;
	if (output.length > 2 * workLimits.maxLengthOf.outcome || incompletePattern.test(output)) return undefined;
	const lines = listOutputLines(output);
	const totals = lines.filter((line) => line.startsWith('test result: '));
	const counts = totals.flatMap((line) => {
		const [, passed, ignored] = totalsPattern.exec(line) ?? [];
		return passed === undefined ? [] : [{ passed: Number(passed), ignored: Number(ignored) }];
	});
	if (totals.length < 2 || counts.length < totals.length) return undefined;
	const passed = counts.reduce((total, one) => total + one.passed, 0);
	const ignored = counts.reduce((total, one) => total + one.ignored, 0);
	const sum = `test result: ok. ${passed} passed; 0 failed; ${ignored} ignored in ${totals.length} test programs`;
	return [...lines.filter((line) => !totals.includes(line) && !line.startsWith('Finished ')), sum];
}
