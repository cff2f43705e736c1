import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TokenMeasure } from '../../../server/core/files/cutAtLine.ts';
import { fitRead, type ReadText } from '../../../server/core/files/fitRead.ts';
import { computeFileTokenBudget, planRead } from '../../../server/core/files/readPlan.ts';
import { truncateToTokenBudget } from '../../../server/core/measure/truncateToTokenBudget.ts';

const measure: TokenMeasure = {
	count: (text) => Math.ceil(text.length / 4),
	truncate: (text, maxTokens) => {
		const cut = text.slice(0, maxTokens * 4);
		return { text: cut, truncated: cut.length < text.length, tokens: Math.ceil(cut.length / 4) };
	},
};

/** A measure that truncates only at the ends of sentences and words, and appends an ellipsis. */
const careful: TokenMeasure = { count: measure.count, truncate: truncateToTokenBudget };

function readOf(text: string, wanted: Partial<ReadText> = {}): ReadText {
	const totalLines = text.split('\n').length - (text.endsWith('\n') || text === '' ? 1 : 0);
	return { path: 'src/a.ts', text, firstLine: 1, lastLine: totalLines, totalLines, isCut: false, ...wanted };
}

const lines = (count: number) => 'some line\n'.repeat(count);

describe('budget for file reads', () => {
	it('the budget for file reads is a share of the remaining tokens, whole and never negative', () => {
		expect(computeFileTokenBudget(200_000, 50_000, 64_000, 0.6)).toBe(51_600);
		expect(computeFileTokenBudget(100, 1, 0, 0.6)).toBe(59);
		expect(computeFileTokenBudget(100, 90, 20, 0.6)).toBe(0);
		expect(computeFileTokenBudget(1000, 0, 0, 0.25)).toBe(250);
	});
});

describe('how to read a file', () => {
	it('the way to read a file depends on its size, with both bounds in the middle range', () => {
		expect(planRead(102_399).mode).toBe('whole');
		expect(planRead(102_400).mode).toBe('budget');
		expect(planRead(5_242_880).mode).toBe('budget');
		expect(planRead(5_242_881)).toEqual({ mode: 'preview', maxUnits: 2000 });
	});

	it('the way to read a large file depends on the requested lines', () => {
		expect(planRead(50, { startLine: 3, endLine: 4 }).mode).toBe('whole');
		expect(planRead(10_000_000_000, { startLine: 3 }).mode).toBe('range');
		expect(planRead(10_000_000_000, { startLine: 1 }).mode).toBe('preview');
		const read = readOf(lines(10), { firstLine: 101, totalLines: 1_000_000 });
		const plan = planRead(10_000_000, { startLine: 101, endLine: 110 });
		expect(fitRead(read, plan, { budgetTokens: 5, remainingTokens: 90 }, measure).status).toBe('full');
	});
});

describe('fitting a read', () => {
	it('a small file is shown whole, even beyond the budget, if the window holds it', () => {
		const fitted = fitRead(
			readOf(lines(100)),
			planRead(1000),
			{ budgetTokens: 10, remainingTokens: 250 },
			measure,
		);
		expect(fitted).toEqual({
			status: 'full',
			content: lines(100),
			tokens: 250,
			lastLine: 100,
			lastWholeLine: 100,
		});
	});

	it('a file that the window does not hold is cut to the budget', () => {
		const allowance = { budgetTokens: 140, remainingTokens: 240 };
		const fitted = fitRead(readOf(lines(100)), planRead(1000), allowance, measure);
		expect(fitted.status).toBe('truncated');
		expect(fitted.content).toBe(lines(fitted.lastLine));
		expect(fitted.notice).toBe(
			`[Lines 1-${fitted.lastLine} of 100 of src/a.ts shown; read on from line ${fitted.lastLine + 1}]`,
		);
		expect(fitted.tokens + measure.count(fitted.notice!)).toBeLessThanOrEqual(140);
	});

	it('a read counts lines from the first requested one', () => {
		const read = readOf(lines(50), { firstLine: 101, lastLine: 150, totalLines: 1000 });
		const fitted = fitRead(read, planRead(200_000), { budgetTokens: 60, remainingTokens: 900 }, measure);
		expect(fitted.notice).toContain(`[Lines 101-${fitted.lastLine} of 1000`);
	});

	it('a read shows part of the first line if not even that fits', () => {
		const read = readOf('x'.repeat(200_000));
		const fitted = fitRead(read, planRead(200_000), { budgetTokens: 60, remainingTokens: 900 }, measure);
		expect(fitted.notice).toBe('[Line 1 of 1 of src/a.ts shown in part; read on from line 1]');
	});

	it('a very large file is shown as a preview', () => {
		const read = readOf(lines(200), { isCut: true, totalLines: 600_000 });
		const fitted = fitRead(read, planRead(6_000_000), { budgetTokens: 5000, remainingTokens: 9000 }, measure);
		expect(fitted).toMatchObject({ status: 'preview', content: lines(200) });
		expect(fitted.notice).toContain('[Lines 1-200 of 600000 of src/a.ts shown; a preview');
	});

	it('a read without a budget shows nothing, and says so', () => {
		for (const budgetTokens of [0, 5]) {
			const fitted = fitRead(readOf(lines(9)), planRead(90), { budgetTokens, remainingTokens: 8 }, measure);
			expect(fitted).toMatchObject({ status: 'excluded', content: '', tokens: 0, lastLine: 0 });
			expect(fitted.notice).toBe(
				`[src/a.ts not shown: it needs 23 tokens, and ${budgetTokens} are left for files]`,
			);
		}
	});

	it('a read never exceeds its allowance', () => {
		const room = fc.integer({ min: 0, max: 300 });
		fc.assert(
			fc.property(
				fc.string({ unit: fc.constantFrom('a', 'é', '\n', '🙂'), maxLength: 2000 }),
				fc.constantFrom(10, 200_000, 6_000_000),
				room,
				room,
				fc.boolean(),
				fc.constantFrom(measure, careful),
				(text, size, budgetTokens, remainingTokens, isCut, measure) => {
					const allowance = { budgetTokens, remainingTokens };
					const fitted = fitRead(readOf(text, { isCut }), planRead(size), allowance, measure);
					expect(text.startsWith(fitted.content)).toBe(true);
					expect(fitted.tokens).toBeLessThanOrEqual(remainingTokens);
					if (fitted.status === 'full') expect(fitted.content).toBe(text);
					if (fitted.status === 'truncated' || fitted.status === 'preview') {
						const used = fitted.tokens + measure.count(fitted.notice!);
						expect(used).toBeLessThanOrEqual(Math.min(budgetTokens, remainingTokens));
					}
				},
			),
			{ numRuns: 500 },
		);
	});
});
