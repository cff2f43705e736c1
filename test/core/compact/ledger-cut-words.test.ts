import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstWords } from '../../../server/core/compact/ledger/cutWords.ts';

const family = '👨‍👩‍👧';

describe('a quotation of part of a text', () => {
	it('parts no word', () => {
		expect(firstWords('please rename the function', 20)).toBe('please rename the');
		expect(firstWords('please rename the function', 17)).toBe('please rename the');
	});

	it('parts no character where there are no words', () => {
		expect(firstWords('漢字仮名', 2)).toBe('漢字');
		expect(firstWords(family.repeat(4), family.length + 3)).toBe(family);
	});

	it('takes a path that is too long for it in part', () => {
		expect(firstWords(`see ${'a/'.repeat(50)}`, 40)).toHaveLength(40);
	});

	it('is the beginning of the text, and never longer than asked for', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, most) => {
				const first = firstWords(text, most);
				expect(text.startsWith(first)).toBe(true);
				expect(first.length).toBeLessThanOrEqual(most);
				if (text.length <= most) expect(first).toBe(text);
				if (text.isWellFormed()) expect(first.isWellFormed()).toBe(true);
			}),
			{ numRuns: 500 },
		);
	});
});
