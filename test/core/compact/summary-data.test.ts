import { describe, expect, it } from 'vitest';
import { readableJson } from '../../../server/core/compact/thread/json.ts';

const booking = {
	id: 'K7Q2',
	cabin: 'economy',
	note: '',
	upgrades: [],
	insurance: null,
	legs: Array.from({ length: 6 }, (_, index) => ({ from: `A${index}`, to: `B${index}`, price: 100 + index })),
};

describe('a JSON result', () => {
	it('is read as lines of whole objects', () => {
		const { text, structured } = readableJson(JSON.stringify(booking));
		expect(structured).toBe(true);
		for (let index = 0; index < 6; index++)
			expect(text).toContain(`{from: A${index}, to: B${index}, price: ${100 + index}}`);
		for (const line of text.split('\n')) expect(line.length).toBeLessThan(200);
	});

	it('says nothing of what is empty', () => {
		expect(readableJson(JSON.stringify(booking)).text).not.toMatch(/note|upgrades|insurance|null/);
	});
});
