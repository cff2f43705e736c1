import { describe, expect, it } from 'vitest';
import { ran, summaryOf } from './summaries.ts';

describe('the outcome of a command', () => {
	it('is the sum of a check wherever it stands in what is left of the output', () => {
		const output = `FAIL shop/total.test.ts (6.2 s)\n${'  console.log\n    rows are 3\n      at log (src/log.ts:11:2)\n'.repeat(200)}`;
		expect(summaryOf(ran(['npm test | head -700', output]))).toContain('→ FAIL shop/total.test.ts (6.2 s)');
	});

	it.each([
		['at Object.<anonymous> (src/log.ts:11:2)'],
		['https://example.com/docs/cli'],
		['console.log'],
		['● Total › of one row:'],
	])('is no line that only says where: %s', (last) => {
		const text = summaryOf(
			ran(['./import --all', `The index is missing, so nothing was imported.\n${last}`]),
		);
		expect(text).toContain('./import --all → The index is missing, so nothing was imported.');
	});

	it('is that line where there is no other', () => {
		expect(summaryOf(ran(['./publish', 'https://example.com/pull/7']))).toContain(
			'./publish → https://example.com/pull/7',
		);
	});

	it('names the commit that was made', () => {
		const output = '[main 7e00b6e] fix: count every row\n 2 files changed, 9 insertions(+)';
		expect(summaryOf(ran(['git commit -m "fix: count every row"', output]))).toContain(
			'→ [main 7e00b6e] fix: count every row',
		);
	});
});
