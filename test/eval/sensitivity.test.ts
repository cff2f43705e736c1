import { describe, expect, it } from 'vitest';
import { tuning } from '../../server/core/compact/tuning.ts';
import { readEvalSet } from './evalSet.ts';
import { measureSensitivity, sensitivityLine, tunedNumbers } from './sensitivity.ts';

describe('the sensitivity of tuned numbers', () => {
	it('the sensitivity of tuned numbers covers every number of the record by its path', () => {
		const numbers = tunedNumbers();
		expect(numbers.find(({ name }) => name === 'scores.secondary')?.value).toBe(tuning.scores.secondary);
		expect(new Set(numbers.map(({ name }) => name)).size).toBe(numbers.length);
	});

	it('the sensitivity of tuned numbers measures at most 90 numbers', () => {
		expect(tunedNumbers().length).toBeLessThanOrEqual(90);
	});

	it('the sensitivity of tuned numbers measures each number halved and doubled, and restores it', async () => {
		const folder = await readEvalSet();
		const sessions = folder.sessions.filter(({ name }) => name === 'tide-mills');
		const before = tuning.shares.narrative;
		const measured = [];
		for await (const one of measureSensitivity({ ...folder, sessions }, ['shares.narrative']))
			measured.push(one);
		expect(measured.map(({ name, value }) => ({ name, value }))).toEqual([
			{ name: 'shares.narrative', value: before },
		]);
		expect(measured[0]?.halved).not.toEqual(measured[0]?.doubled);
		expect(tuning.shares.narrative).toBe(before);
	});

	it('the sensitivity of tuned numbers prints the change at each size', () => {
		const total = { size: '1/2', source: 'contextd', answered: 0.5, kept: 1, grounded: 0.5, share: 0.5 };
		const line = sensitivityLine(
			{ name: 'scores.secondary', value: 0.5, halved: [{ ...total, answered: 0.4 }], doubled: [total] },
			[total],
		);
		expect(line.replaceAll(/ +/g, ' ')).toBe('scores.secondary 0.5 -0.100/+0.000 +0.000/+0.000');
	});
});
