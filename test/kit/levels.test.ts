import { describe, expect, it } from 'vitest';
import { createUsageLevelLine } from '../../kit/texts.ts';

/** Returns the percentages that are reported when the usage takes these values. */
function listReportedLevels(ratios: readonly number[]): string[] {
	let reached = 0;
	return ratios.flatMap((ratio) => {
		const line = createUsageLevelLine(reached, ratio);
		reached = line.reached;
		return line.text?.match(/\d+%/) ?? [];
	});
}

describe('lines about the fill of the window', () => {
	it('the fill of the window is reported at 70, 85 and 95%, once per rise', () => {
		expect(listReportedLevels([0.1, 0.69, 0.7, 0.8, 0.86, 0.9, 0.96, 0.99])).toEqual(['70%', '85%', '95%']);
		expect(listReportedLevels([0.96])).toEqual(['95%']);
	});

	it('the fill of the window is reported again after usage fell', () => {
		expect(listReportedLevels([0.75, 0.4, 0.72, 0.71])).toEqual(['70%', '70%']);
	});
});
