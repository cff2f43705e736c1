import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TokenMeasure } from '../../../server/core/files/cutAtLine.ts';
import { fitFiles, removeFileContent } from '../../../server/core/files/fitFiles.ts';

const measure: TokenMeasure = {
	count: (text) => Math.ceil(text.length / 4),
	truncate: (text, maxTokens) => {
		const cut = text.slice(0, maxTokens * 4);
		return { text: cut, truncated: cut.length < text.length, tokens: Math.ceil(cut.length / 4) };
	},
};
const ofTokens = (tokens: number) => 'abc\n'.repeat(tokens);

describe('fitting files into one budget', () => {
	it('fitting files keeps all of them whole if they fit together', () => {
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

	it('fitting files keeps small ones whole and cuts large ones in proportion', () => {
		const files = [6000, 100, 2000].map((tokens, index) => ({ path: `${index}`, content: ofTokens(tokens) }));
		const fitted = fitFiles(files, 2100, measure);
		expect(fitted.files.map((file) => file.truncated)).toEqual([true, false, true]);
		expect(fitted.files[0]!.tokens).toBeGreaterThan(fitted.files[2]!.tokens * 1.5);
		expect(fitted.usedTokens).toBeGreaterThan(2090);
		expect(fitted.usedTokens).toBeLessThanOrEqual(2100);
		const shown = fitted.files[0]!.tokens;
		expect(fitted.notices[0]).toBe(`[Lines 1-${shown} of 6000 of 0 shown; ${shown} of its 6000 tokens]`);
	});

	it('fitting files treats files with one name as separate files', () => {
		const files = [
			{ path: 'index.ts', content: `first\n${ofTokens(400)}` },
			{ path: 'index.ts', content: `second\n${ofTokens(400)}` },
		];
		const fitted = fitFiles(files, 400, measure);
		expect(fitted.files.map((file) => file.content.split('\n')[0])).toEqual(['first', 'second']);
		expect(fitted.notices[0]).toContain('of index.ts (1) shown');
		expect(fitted.notices[1]).toContain('of index.ts (2) shown');
	});

	it('fitting files excludes the largest one if no useful share remains, with a reason', () => {
		const files = [5000, 40, 30, 7000].map((tokens, index) => ({
			path: `${index}`,
			content: ofTokens(tokens),
		}));
		const fitted = fitFiles(files, 110, measure);
		expect(fitted.files.map((file) => file.path)).toEqual(['1', '2']);
		expect(fitted.excluded).toEqual([
			{ path: '0', reason: 'too large: it needs 5000 tokens' },
			{ path: '3', reason: 'too large: it needs 7000 tokens' },
		]);
		expect(fitted.notices).toEqual([
			'[0 not shown: it needs 5000 tokens]',
			'[3 not shown: it needs 7000 tokens]',
		]);
	});

	it('fitting files excludes all but empty ones if there is no budget', () => {
		const fitted = fitFiles([{ path: 'a', content: 'text' }, { content: '' }], -5, measure);
		expect(fitted.files).toEqual([{ content: '', tokens: 0, truncated: false }]);
		expect(fitted).toMatchObject({ usedTokens: 0, budgetTokens: 0, excluded: [{ path: 'a' }] });
	});

	it('fitting files never exceeds the budget, and reports every file', () => {
		fc.assert(
			fc.property(
				fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 12 }),
				fc.integer({ min: 0, max: 6000 }),
				(sizes, budget) => {
					const files = sizes.map((tokens, index) => ({
						path: 'same',
						content: `${index}${ofTokens(tokens)}`,
					}));
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

describe('a file that is attached twice', () => {
	it('a file that is attached twice is included once, and the earlier one refers to it', () => {
		const file = { path: 'a.ts', content: ofTokens(60) };
		const fitted = fitFiles([file, { path: 'b.ts', content: 'b' }, file], 1000, measure);
		expect(fitted.files.map(({ path }) => path)).toEqual(['b.ts', 'a.ts']);
		expect(fitted.excluded).toEqual([
			{ path: 'a.ts (1)', reason: 'attached again: the same text appears below' },
		]);
		expect(fitted.notices).toEqual(['[File a.ts (1) - refer to latest read below]']);
		expect(fitted.usedTokens).toBe(61);
	});

	it('attached files with different texts or names are both included', () => {
		const files = [
			{ path: 'a.ts', content: 'one' },
			{ path: 'a.ts', content: 'two' },
			{ path: 'b.ts', content: 'one' },
		];
		expect(fitFiles(files, 1000, measure).files).toHaveLength(3);
	});
});

describe('a file whose text is not available', () => {
	it.each([
		['clip.mp4', 9_000_000, 500],
		['talk.mp3', 9_000_000, 300],
		['photo.png', 9_000_000, 1500],
		['all.zip', 9_000_000, 1000],
		['paper.pdf', 100_000, 1000],
		['paper.pdf', 90_000_000, 50_000],
		['sheet.xlsx', 100_000, 3750],
		['icon.svg', 4001, 1001],
		['data.csv', 4000, 1330],
		['core.dump', 9_000_000, 500],
		['LICENSE', 4000, 1330],
	])('a file without text counts by its type: %s of %d bytes takes %d tokens', (path, size, tokens) => {
		expect(fitFiles([{ path, size }], 100_000, measure).files).toEqual([
			{ path, size, content: '', tokens, truncated: false },
		]);
	});

	it('a file without text counts by its stated type rather than its name, and is excluded if it does not fit', () => {
		const file = { path: 'upload', size: 100_000, mediaType: 'application/pdf' };
		expect(fitFiles([file], 999, measure).excluded).toEqual([
			{ path: 'upload', reason: 'too large: it needs 1000 tokens' },
		]);
	});
});

describe('a dry run', () => {
	const ask = (size: number, budget: number) =>
		removeFileContent(fitFiles([{ path: 'a.txt', size }], budget, measure)).files[0];

	it('a dry run reports from the size alone what would be cut', () => {
		expect(ask(102_399, 100)).toMatchObject({ truncated: false });
		expect(ask(102_400, 10_000)).toMatchObject({ truncated: true, maxChars: 40_000, tokens: 10_000 });
		expect(ask(102_400, 100_000)).toMatchObject({ truncated: false });
		expect(ask(5_242_880, 10_000)).toMatchObject({ truncated: true, maxChars: 40_000 });
		expect(ask(5_242_881, 10_000_000)).toMatchObject({ truncated: true, maxChars: 2000, previewMode: true });
	});

	it('a dry run treats a name without an extension as text', () => {
		const { files, notices } = removeFileContent(
			fitFiles([{ path: 'Makefile', size: 6_000_000 }], 1e7, measure),
		);
		expect(files).toMatchObject([{ truncated: true, previewMode: true, maxChars: 2000 }]);
		expect(notices).toHaveLength(1);
	});

	it('a dry run previews a text above 5 MiB like a real fitting', () => {
		const large = [{ path: 'large', content: 'a'.repeat(5_242_881) }];
		const fitted = fitFiles(large, 10_000_000, measure);
		expect(fitted.files[0]).toMatchObject({ truncated: true, previewMode: true });
		expect(fitted.files[0]?.content).toHaveLength(2000);
		expect(fitted.notices).toHaveLength(1);
		expect(removeFileContent(fitted).files[0]).toMatchObject({
			content: '',
			maxChars: 2000,
			previewMode: true,
		});
	});

	it('a dry run reports the largest file as cut, by its size', () => {
		const { notices } = fitFiles([{ path: 'a.txt', size: 5_242_881 }], 10_000_000, measure);
		expect(notices).toEqual(['[a.txt would be cut to 2000 characters of its 5242881 bytes]']);
	});

	it('a dry run returns the figures of a real fitting, without content', () => {
		const files = [
			{ path: 'a', content: ofTokens(6000) },
			{ path: 'b', content: ofTokens(100) },
		];
		const fitted = fitFiles(files, 2100, measure);
		const told = removeFileContent(fitted);
		expect(told.usedTokens).toBe(fitted.usedTokens);
		expect(told.files).toEqual([
			{ ...fitted.files[0], content: '', maxChars: fitted.files[0]!.content.length },
			{ ...fitted.files[1], content: '' },
		]);
	});
});
