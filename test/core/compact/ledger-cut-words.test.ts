import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { finalWords, firstWords } from '../../../server/core/compact/ledger/cutWords.ts';

const family = '👨‍👩‍👧';

describe('a quotation of part of a text', () => {
	it('parts no word', () => {
		expect(firstWords('please rename the function', 20)).toBe('please rename the');
		expect(firstWords('please rename the function', 17)).toBe('please rename the');
		expect(finalWords('please rename the function', 15)).toBe('the function');
		expect(finalWords('please rename the function', 12)).toBe('the function');
	});

	it('parts no character where there are no words', () => {
		expect(firstWords('漢字仮名', 2)).toBe('漢字');
		expect(finalWords('漢字仮名', 2)).toBe('仮名');
		expect(firstWords(family.repeat(4), family.length + 3)).toBe(family);
		expect(finalWords(family.repeat(4), family.length + 3)).toBe(family);
	});

	it('takes a path that is too long for it in part', () => {
		expect(firstWords(`see ${'a/'.repeat(50)}`, 40)).toHaveLength(40);
		expect(finalWords(`${'a/'.repeat(50)} see`, 40)).toHaveLength(40);
	});

	it('is an end of the text, and never longer than asked for', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, most) => {
				const first = firstWords(text, most);
				const last = finalWords(text, most);
				expect(text.startsWith(first) && text.endsWith(last)).toBe(true);
				expect(Math.max(first.length, last.length)).toBeLessThanOrEqual(most);
				if (text.length <= most) expect([first, last]).toEqual([text, text]);
				if (text.isWellFormed()) expect(first.isWellFormed() && last.isWellFormed()).toBe(true);
			}),
			{ numRuns: 500 },
		);
	});
});
