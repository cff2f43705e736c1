import { describe, expect, it } from 'vitest';
import {
	computeSummariesBudget,
	computeSummaryTokens,
	selectFilesToSummarize,
	splitAtLines,
} from '../../../server/core/files/fileSummary.ts';

const measure = {
	count: (text: string) => Math.ceil(text.length / 4),
	truncate: (text: string, tokens: number) => {
		const cut = text.slice(0, tokens * 4);
		return { text: cut, truncated: cut.length < text.length, tokens: Math.ceil(cut.length / 4) };
	},
};

describe('choosing files to summarize', () => {
	it.each([
		[[100, 200], 1000, []],
		[[9000, 200], 5000, [0]],
		[[2000, 9000, 8000], 12_000, [1]],
		[[9000, 9000, 900], 5000, [0, 1]],
		[[900, 900, 900], 1000, []],
	])('the files to summarize for sizes %j and a budget of %d tokens: %j', (sizes, room, expected) =>
		expect(selectFilesToSummarize(sizes, room, 1500)).toEqual(expected),
	);

	it('a file summary gets 500 to 4,000 tokens, or is not made', () => {
		expect(computeSummaryTokens(20_000, 2)).toBe(4000);
		expect(computeSummaryTokens(3000, 3)).toBe(1000);
		expect(computeSummaryTokens(1400, 3)).toBeUndefined();
	});

	it('file summaries leave 15% of the remaining window free', () => {
		expect(computeSummariesBudget({ budgetTokens: 10_000, remainingTokens: 10_000 })).toBe(8500);
		expect(computeSummariesBudget({ budgetTokens: 6000, remainingTokens: 10_000 })).toBe(6000);
	});
});

it('a text is split into pieces of whole lines without loss', () => {
	const text = Array.from({ length: 500 }, (_, index) => `line ${index}`).join('\n');
	const pieces = splitAtLines(text, 100, measure);
	expect(pieces.join('')).toBe(text);
	expect(pieces.length).toBeGreaterThan(5);
	for (const piece of pieces) expect(measure.count(piece)).toBeLessThanOrEqual(100);
	expect(pieces.slice(0, -1).every((piece) => piece.endsWith('\n'))).toBe(true);
});
