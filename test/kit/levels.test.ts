import { describe, expect, it } from 'vitest';
import { levelLine } from '../../kit/notes.ts';

/** The percentages that are told of over a course of usage. */
function told(ratios: readonly number[]): string[] {
	let reached = 0;
	return ratios.flatMap((ratio) => {
		const line = levelLine(reached, ratio);
		reached = line.reached;
		return line.text?.match(/\d+%/) ?? [];
	});
}

describe('the line on how full the window is', () => {
	it('is told at 70, 85 and 95%, each once a rise', () => {
		expect(told([0.1, 0.69, 0.7, 0.8, 0.86, 0.9, 0.96, 0.99])).toEqual(['70%', '85%', '95%']);
		expect(told([0.96])).toEqual(['95%']);
	});

	it('is told again after the usage fell below', () => {
		expect(told([0.75, 0.4, 0.72, 0.71])).toEqual(['70%', '70%']);
	});
});
