import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { truncateAtWord } from '../../../server/core/analysis/text/quote.ts';

const family = '👨‍👩‍👧';

describe('quoting the first words of a text', () => {
	it('firstWords does not split a word', () => {
		expect(truncateAtWord('please rename the function', 20)).toBe('please rename the');
		expect(truncateAtWord('please rename the function', 17)).toBe('please rename the');
		expect(truncateAtWord('3 passed | 1 skipped of all', 11)).toBe('3 passed');
	});

	it('firstWords does not split a character if there are no words', () => {
		expect(truncateAtWord('漢字仮名', 2)).toBe('漢字');
		expect(truncateAtWord(family.repeat(4), family.length + 3)).toBe(family);
	});

	it('firstWords splits a path that is too long', () => {
		expect(truncateAtWord(`see ${'a/'.repeat(50)}`, 40)).toHaveLength(40);
	});

	it('firstWords returns the beginning of the text within the limit', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, most) => {
				const first = truncateAtWord(text, most);
				expect(text.startsWith(first)).toBe(true);
				expect(first.length).toBeLessThanOrEqual(most);
				if (text.length <= most) expect(first).toBe(text);
				if (text.isWellFormed()) expect(first.isWellFormed()).toBe(true);
			}),
			{ numRuns: 500 },
		);
	});
});
