import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TokenMeasure } from '../../../server/core/files/cutAtLine.ts';
import { fitFiles } from '../../../server/core/files/fitFiles.ts';

const measure: TokenMeasure = {
	count: (text) => Math.ceil(text.length / 4),
	truncate: (text, maxTokens) => {
		const cut = text.slice(0, maxTokens * 4);
		return { text: cut, truncated: cut.length < text.length, tokens: Math.ceil(cut.length / 4) };
	},
};
const ofTokens = (tokens: number) => 'abc\n'.repeat(tokens);

describe('files in one budget', () => {
	it('come whole where they fit together', () => {
		const files = [
			{ path: 'a', content: ofTokens(60) },
			{ uri: 'file:///b', content: ofTokens(40) },
		];
		expect(fitFiles(files, 100, measure)).toEqual({
			files: files.map((file, index) => ({ ...file, tokens: [60, 40][index], truncated: false })),
			excluded: [],
			notices: [],
			usedTokens: 100,
			budgetTokens: 100,
		});
	});

	it('are whole where they are small, and cut in proportion where they are large', () => {
		const files = [6000, 100, 2000].map((tokens, index) => ({ path: `${index}`, content: ofTokens(tokens) }));
		const fitted = fitFiles(files, 2100, measure);
		expect(fitted.files.map((file) => file.truncated)).toEqual([true, false, true]);
		expect(fitted.files[0]!.tokens).toBeGreaterThan(fitted.files[2]!.tokens * 1.5);
		expect(fitted.usedTokens).toBeGreaterThan(2090);
		expect(fitted.usedTokens).toBeLessThanOrEqual(2100);
		const shown = fitted.files[0]!.tokens;
		expect(fitted.notices[0]).toBe(`[Lines 1-${shown} of 6000 of 0 shown; ${shown} of its 6000 tokens]`);
	});

	it('keep apart those of one name', () => {
		const files = [
			{ path: 'index.ts', content: `first\n${ofTokens(400)}` },
			{ path: 'index.ts', content: `second\n${ofTokens(400)}` },
		];
		const fitted = fitFiles(files, 400, measure);
		expect(fitted.files.map((file) => file.content.split('\n')[0])).toEqual(['first', 'second']);
		expect(fitted.notices[0]).toContain('of index.ts (1) shown');
		expect(fitted.notices[1]).toContain('of index.ts (2) shown');
	});

	it('leave out the largest where no useful share would be left, and say why', () => {
		const files = [5000, 40, 30, 7000].map((tokens, index) => ({
			path: `${index}`,
			content: ofTokens(tokens),
		}));
		const fitted = fitFiles(files, 110, measure);
		expect(fitted.files.map((file) => file.path)).toEqual(['1', '2']);
		expect(fitted.excluded).toEqual([
			{ path: '0', reason: 'no room: it needs 5000 tokens' },
			{ path: '3', reason: 'no room: it needs 7000 tokens' },
		]);
		expect(fitted.notices).toEqual([
			'[0 not shown: it needs 5000 tokens]',
			'[3 not shown: it needs 7000 tokens]',
		]);
	});

	it('are all left out where there is no budget, but for empty ones', () => {
		const fitted = fitFiles([{ path: 'a', content: 'text' }, { content: '' }], -5, measure);
		expect(fitted.files).toEqual([{ content: '', tokens: 0, truncated: false }]);
		expect(fitted).toMatchObject({ usedTokens: 0, budgetTokens: 0, excluded: [{ path: 'a' }] });
	});

	it('never take more than the budget, and each is somewhere', () => {
		fc.assert(
			fc.property(
				fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 12 }),
				fc.integer({ min: 0, max: 6000 }),
				(sizes, budget) => {
					const files = sizes.map((tokens) => ({ path: 'same', content: ofTokens(tokens) }));
					const fitted = fitFiles(files, budget, measure);
					expect(fitted.usedTokens).toBeLessThanOrEqual(budget);
					expect(fitted.usedTokens).toBe(fitted.files.reduce((sum, file) => sum + file.tokens, 0));
					expect(fitted.files.length + fitted.excluded.length).toBe(files.length);
				},
			),
			{ numRuns: 300 },
		);
	});
});
