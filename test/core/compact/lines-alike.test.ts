import { describe, expect, it } from 'vitest';
import { ran, summaryOf } from './summaries.ts';

const times = (text: string, words: string): number => text.split(words).length - 1;

describe('similar lines of an output', () => {
	it('similar lines of a log are shown once', () => {
		const log = Array.from(
			{ length: 40 },
			(_, index) =>
				`2025-12-02 04:10:${10 + index} [WARN ] No answer in time: /tmp/orders-17646486${52000 + index}-te3ve.json`,
		);
		const text = summaryOf(
			ran(['./import --all', `${log.join('\n')}\n2025-12-02 04:11:02 [INFO ] 40 orders were tried again`]),
		);
		expect(times(text, 'No answer in time')).toBe(1);
		expect(text).toContain('40 orders were tried again');
	});

	it('similar lines that name locations are all shown', () => {
		const places = [20, 41, 77].map((line) => `src/import/rows.ts:${line}: await readRows(path);`);
		const text = summaryOf(ran(['rg -n readRows src', places.join('\n')]));
		for (const place of ['rows.ts:20', 'rows.ts:41', 'rows.ts:77']) expect(text).toContain(place);
	});

	it('similar lines with different figures are all shown', () => {
		const runs = [184.2, 31.7, 9.8].map(
			(seconds, index) => `2025-12-02 04:1${index}:00 import of 20000 rows took ${seconds} s`,
		);
		const text = summaryOf(ran(['./bench', runs.join('\n')]));
		for (const figure of ['184.2 s', '31.7 s', '9.8 s']) expect(text).toContain(figure);
	});
});

describe('lines written by tools', () => {
	it('marks of omitted output and bare line numbers are left out', () => {
		const text = summaryOf(
			ran([
				'./show',
				'const index = createIndex(orders);\n  106 |\n> 107 |\n... [621956 characters truncated] ...\n[10460 lines truncated]\nindex.close();',
			]),
		);
		expect(text).toContain('createIndex(orders)');
		expect(text).not.toMatch(/10[67] \||truncated/);
	});
});
