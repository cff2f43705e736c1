import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeEditDistance, findSimilarName } from '../../server/core/similarName.ts';

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 7 });

describe('edit distance', () => {
	it.each([
		['', '', 0],
		['', 'abc', 3],
		['model', 'model', 0],
		['modle', 'model', 1],
		['hlep', 'help', 1],
		['kitten', 'sitting', 3],
		['ca', 'abc', 3],
	])('the edit distance of "%s" and "%s" is %i', (one, other, distance) =>
		expect(computeEditDistance(one, other)).toBe(distance),
	);

	it('the edit distance is symmetric, 0 for equal texts, and at most the longer length', () => {
		const property = fc.property(word, word, (one, other) => {
			const distance = computeEditDistance(one, other);
			expect(distance).toBe(computeEditDistance(other, one));
			expect(distance === 0).toBe(one === other);
			expect(distance).toBeLessThanOrEqual(Math.max(one.length, other.length));
		});
		fc.assert(property);
	});

	it('the edit distance is 1 for an additional letter and for two swapped neighbours', () => {
		const property = fc.property(word, fc.nat(7), (one, index) => {
			const longer = `${one.slice(0, index)}x${one.slice(index)}`;
			const swapped = `${one.slice(0, index)}${one[index + 1] ?? ''}${one[index] ?? ''}${one.slice(index + 2)}`;
			expect(computeEditDistance(longer, one)).toBe(1);
			expect(computeEditDistance(swapped, one)).toBe(swapped === one ? 0 : 1);
		});
		fc.assert(property);
	});
});

describe('suggestion of a known name', () => {
	const known = ['dryRun', 'model', 'title', 'targetTokens', 'format', 'from'];

	it.each([
		['dry_run', 'dryRun'],
		['DRY-RUN', 'dryRun'],
		['modle', 'model'],
		['models', 'model'],
		['targetToken', 'targetTokens'],
		['target_toknes', 'targetTokens'],
		['formate', 'format'],
		['form', 'from'],
		['mode', 'model'],
	])('the suggested name for "%s" is %s', (given, expected) =>
		expect(findSimilarName(given, known)).toBe(expected),
	);

	it.each(['mdole2', 'limit', 'target', 'x', ''])('no name is suggested for "%s"', (given) =>
		expect(findSimilarName(given, known)).toBeUndefined(),
	);

	it('the suggested name is the most similar of several', () =>
		expect(findSimilarName('abcdefg', ['abcdexx', 'abcdefh'])).toBe('abcdefh'));
});
