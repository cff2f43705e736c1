import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shortenResult } from '../../../server/core/output/shortenResult.ts';
import { machineSlowness, processorClock } from '../../support/processorClock.ts';

const utf8 = (text: string) => Buffer.byteLength(text);
const lineCount = (text: string) =>
	text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
const noise = (count: number, word = 'ok') =>
	Array.from({ length: count }, (_, index) => `${word} ${index + 1}\n`).join('');
const keep = (output: string, options = {}) =>
	shortenResult(output, { maxLines: 40, ...options }, 'failures').content;

describe('keeping failures of an output', () => {
	it('a shortened output shows failures between its ends, with marks for gaps', () => {
		const output = `${noise(500)}TypeError: x is undefined\n    at a.ts:3\n${noise(500)}warning: old\n${noise(500)}done\n`;
		const content = keep(output);
		expect(content).toMatch(
			/^\[Output truncated from \d+ bytes to \d+ bytes\]\nok 1\n(?:ok \d+\n)*\[… \d+ lines left out\]\nTypeError: x is undefined\n\[… \d+ lines left out\]\nwarning: old\n\[… \d+ lines left out\]\n(?:ok \d+\n)*done\n$/,
		);
		const shown = content.split('\n').filter((line) => line !== '' && !line.startsWith('['));
		const marked = [...content.matchAll(/\[… (\d+) lines left out\]/g)].map((match) => Number(match[1]));
		expect(shown.length + marked.reduce((sum, lines) => sum + lines, 0)).toBe(1504);
	});

	it('a shortened output prefers errors over warnings, and the first and last of each', () => {
		const output = `${noise(50)}${noise(400, 'warning')}${noise(400, 'error')}${noise(50)}`;
		const content = keep(output);
		expect(content).toContain('\nerror 1\n');
		expect(content).toContain('\nerror 400\n');
		expect(content).not.toContain('warning');
	});

	it('a shortened output does not take reports of success for failures', () => {
		const output = `${noise(500)}0 errors, 0 warnings\nexit code: 0\n2 failed, 0 errors\n${noise(500)}`;
		const content = keep(output);
		expect(content).toContain('\n2 failed, 0 errors\n');
		expect(content).not.toContain('exit code');
		expect(content).not.toContain('\n0 errors');
	});

	it('a shortened output shows the relevant part of a long line', () => {
		const output = `${noise(500)}${'a'.repeat(90_000)} fatal: no space ${'b'.repeat(90_000)}\n${noise(500)}`;
		expect(keep(output)).toMatch(/\n…a+ fatal: no space b+…\n/);
	});

	it('an output without failures is shortened as usual', () => {
		expect(keep(noise(500))).toBe(shortenResult(noise(500), { maxLines: 40 }).content);
	});

	it('an output shortened to its failures stays within the limits, with ends from the output', () => {
		const line = fc.constantFrom(
			'ok\n',
			'error here\n',
			'warn\r\n',
			'\n',
			'a fáil\n',
			`${'long '.repeat(99)}error\n`,
			'FAIL',
		);
		fc.assert(
			fc.property(
				fc.array(line, { minLength: 1, maxLength: 300 }),
				fc.integer({ min: 0, max: 3000 }),
				fc.integer({ min: 0, max: 60 }),
				fc.constantFrom('head' as const, 'tail' as const, 'both' as const),
				(lines, maxBytes, maxLines, direction) => {
					const output = lines.join('');
					const result = shortenResult(output, { maxBytes, maxLines, direction }, 'failures');
					expect(utf8(result.content)).toBeLessThanOrEqual(
						Math.max(maxBytes, result.truncated ? 0 : utf8(output)),
					);
					expect(lineCount(result.content)).toBeLessThanOrEqual(maxLines);
					expect(result.keptBytes).toBeLessThanOrEqual(result.originalSize);
				},
			),
			{ numRuns: 500 },
		);
	});

	it('failures are found in linear time in text without line ends', () => {
		const spent = processorClock();
		keep('error '.repeat(2_000_000), { maxLines: 2000 });
		keep(`${'x'.repeat(10_000_000)}\n${'warn\n'.repeat(100_000)}`);
		expect(spent()).toBeLessThan(5000 * machineSlowness());
	});
});
