import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addSource, createFactIndex } from '../../../server/core/analysis/message/factIndex.ts';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { selectBestLines } from '../../../server/core/compact/choice/bestLines.ts';
import { computeFactValues } from '../../../server/core/compact/choice/rank.ts';
import { assistant, call, count, result, user } from './facts-sources.ts';

function shorten(sources: Source[], of: Source, budgetTokens: number): string {
	const factIndex = createFactIndex();
	for (const source of sources) addSource(factIndex, source);
	return selectBestLines(factIndex, of, {
		budgetTokens,
		count,
		values: computeFactValues(factIndex, sources),
	});
}

describe('best lines of a tool result', () => {
	it('the best lines show a line once, wherever it was printed', () => {
		const run = call('Bash', { command: 'npm test' });
		const lines = Array.from({ length: 60 }, (_, index) => [
			`row ${index} of table_${index} has no parent_id`,
			`      at reportRows (src/report_rows.ts:${40 + index}:13)`,
			'OPENAI_API_KEY is required for the summary of a report.',
			'}',
		]).flat();
		const shown = result(2, run, lines.join('\n'));
		const sources = [
			assistant(1, '', run),
			shown,
			assistant(3, 'reportRows in src/report_rows.ts needs OPENAI_API_KEY.'),
		];
		const text = shorten(sources, shown, 400);
		expect(text.match(/at reportRows/g)).toHaveLength(1);
		expect(text.match(/OPENAI_API_KEY is required/g)).toHaveLength(1);
		expect(text.match(/has no parent_id/g)?.length).toBeGreaterThan(12);
	});

	it('the best lines mark a line that is left out because it was shown before', () => {
		const read = call('Read', { file_path: 'fetch.test.ts' });
		const part = (name: string) => [`fetchRows("${name}",`, '  vi.fn().mockResolvedValue({', '  ok: true,'];
		const shown = result(2, read, ['north_rows', 'south_rows', 'east_rows'].flatMap(part).join('\n'));
		const text = shorten([assistant(1, '', read), shown, assistant(3, 'south_rows fails.')], shown, 60);
		const lines = text.split('\n');
		expect(text.match(/mockResolvedValue/g)).toHaveLength(1);
		const isTorn = lines.some((line, at) => line.startsWith('fetchRows') && lines[at + 1] === '  ok: true,');
		expect(isTorn).toBe(false);
		expect(text).toMatch(/south_rows",\n…\n {2}ok/);
	});

	it('the best lines have no colours, so that more of them fit', () => {
		const run = call('Bash', { command: 'npm test' });
		const esc = String.fromCharCode(27);
		const rows = (red: string, plain: string) =>
			Array.from(
				{ length: 60 },
				(_, row) => `${red}${row} |${plain} expect(sum_${row}).toBe(${red}7${plain})`,
			);
		const shorten60 = (lines: string[]) => {
			const shown = result(2, run, lines.join('\n'));
			return shorten([assistant(1, '', run), shown, assistant(3, 'sum_31 is wrong.')], shown, 300);
		};
		const text = shorten60(rows(`${esc}[31m`, `${esc}[39m`));
		expect(text).toContain('31 | expect(sum_31).toBe(7)');
		expect(text).toBe(shorten60(rows('', '')));
	});

	it('the best lines contain what the agent wrote about, in order, with marks for gaps', () => {
		const read = call('Read', { file_path: 'a.ts' });
		const lines = Array.from(
			{ length: 400 },
			(_, index) => `plain filler line with some words of number ${index}`,
		);
		lines[120] = 'function parseRetryHeader(response) reads the header of the answer';
		lines[300] = 'const retryLimitReached = the state after the last attempt failed';
		const shown = result(2, read, lines.join('\n'));
		const text = shorten(
			[assistant(1, '', read), shown, assistant(3, 'parseRetryHeader ignores retryLimitReached entirely.')],
			shown,
			150,
		);
		expect(text.indexOf('parseRetryHeader')).toBeGreaterThan(0);
		expect(text.indexOf('retryLimitReached')).toBeGreaterThan(text.indexOf('parseRetryHeader'));
		expect(text).toMatch(/^…$/m);
	});

	it('the best lines are the head and the tail if there are no facts, so that a final error remains', () => {
		const run = call('Bash', { command: 'make' });
		const log = `${'some line of the long log\n'.repeat(800)}link failed: missing symbol at the very end`;
		const shown = result(2, run, log);
		const text = shorten([assistant(1, '', run), shown], shown, 100);
		expect(text).toContain('missing symbol at the very end');
		expect(text.startsWith('some line')).toBe(true);
	});

	it('the best lines have no line numbers of a read tool', () => {
		const read = call('Read', { file_path: 'a.ts' });
		const shown = result(2, read, '    1→first line of the file here\n    2→second line of the file here\n');
		expect(shorten([assistant(1, '', read), shown], shown, 100)).toBe(
			'first line of the file here\nsecond line of the file here',
		);
	});

	it('the best lines stay within their budget', () => {
		fc.assert(
			fc.property(fc.string({ maxLength: 3000 }), fc.integer({ min: 0, max: 300 }), (text, budget) => {
				const read = call('Read', {});
				const shown = result(2, read, text);
				expect(count(shorten([user(1, 'x'), shown], shown, budget))).toBeLessThanOrEqual(budget);
			}),
			{ numRuns: 200 },
		);
	});
});
