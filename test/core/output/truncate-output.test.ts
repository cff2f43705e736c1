import { describe, expect, it } from 'vitest';
import { shortenResult } from '../../../server/core/output/shortenResult.ts';

const utf8 = (text: string) => new TextEncoder().encode(text).length;
const numbered = (count: number) =>
	Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

describe('keeping both ends', () => {
	const lines = Array.from({ length: 1000 }, (_, index) => `line ${index}`).join('\n');
	const kept = (headRatio?: number) => {
		const { content } = shortenResult(lines, { maxLines: 101, direction: 'both', headRatio });
		const [head = '', tail = ''] = content.split(/\[Output truncated.*\]/);
		return [head, tail].map((part) => part.split('\n').filter(Boolean).length);
	};

	it.each([
		[undefined, [50, 50]],
		[0.25, [25, 75]],
		[0, [0, 100]],
		[1, [99, 1]],
	])('a truncated output divides its limits by headRatio %s', (headRatio, expected) =>
		expect(kept(headRatio)).toEqual(expected),
	);

	it('a headRatio below 0 or above 1 is refused', () => {
		expect(() => kept(1.5)).toThrow('headRatio: expected a number from 0 to 1, got 1.5');
	});
});

describe('an output within its limits', () => {
	it('an output within its limits is returned as the same string', () => {
		const output = 'one\r\ntwo\nthree';
		const result = shortenResult(output);
		expect(result).toEqual({
			content: output,
			truncated: false,
			originalSize: 14,
			originalLines: 3,
			keptBytes: 14,
		});
	});

	it('an output may have exactly as many lines and bytes as the limits allow', () => {
		expect(shortenResult(numbered(2000)).truncated).toBe(false);
		expect(shortenResult(numbered(2001)).truncated).toBe(true);
		expect(shortenResult('x'.repeat(51_200)).truncated).toBe(false);
		expect(shortenResult('x'.repeat(51_201)).truncated).toBe(true);
		expect(shortenResult('é'.repeat(25_600)).truncated).toBe(false);
		expect(shortenResult('é'.repeat(25_601)).truncated).toBe(true);
	});

	it('lone surrogates in an output are replaced', () => {
		expect(shortenResult('a\ud83d').content).toBe('a\ufffd');
		expect(shortenResult('a\ud83d').originalSize).toBe(4);
	});

	it('an empty output stays empty for any limits', () => {
		expect(shortenResult('', { maxBytes: 0, maxLines: 0 })).toMatchObject({ content: '', truncated: false });
	});
});

describe('an output with too many lines', () => {
	it('an output with too many lines keeps the last complete ones after the notice', () => {
		const result = shortenResult(numbered(10), { maxLines: 3 });
		expect(result.content).toBe('[Output truncated from 71 bytes to 15 bytes]\nline 9\nline 10\n');
		expect(result).toMatchObject({ limit: 'lines', originalLines: 10, keptBytes: 15 });
	});

	it('an output with too many lines keeps the first complete ones before the notice', () => {
		const result = shortenResult(numbered(10), { maxLines: 3, direction: 'head' });
		expect(result.content).toBe('line 1\nline 2\n[Output truncated from 71 bytes to 14 bytes]');
	});

	it('an output with too many lines keeps both ends around the notice', () => {
		const result = shortenResult(numbered(10), { maxLines: 5, direction: 'both' });
		expect(result.content).toBe(
			'line 1\nline 2\n[Output truncated from 71 bytes to 29 bytes]\nline 9\nline 10\n',
		);
	});

	it('a truncated output keeps the kinds of line ends', () => {
		const result = shortenResult('a\r\nb\r\nc\r\nd\r\n', { maxLines: 2 });
		expect(result.content).toBe('[Output truncated from 12 bytes to 3 bytes]\nd\r\n');
	});

	it('a truncated output is only the notice for one line, and empty for none', () => {
		expect(shortenResult('a\nb\n', { maxLines: 1 }).content).toBe(
			'[Output truncated from 4 bytes to 0 bytes]',
		);
		expect(shortenResult('a\nb\n', { maxLines: 0 })).toMatchObject({ content: '', keptBytes: 0 });
	});
});

describe('an output with too many bytes', () => {
	it('an output with too many bytes keeps only complete lines', () => {
		const result = shortenResult(numbered(100), { maxBytes: 70 });
		expect(result.content).toBe('[Output truncated from 792 bytes to 17 bytes]\nline 99\nline 100\n');
		expect(result.limit).toBe('bytes');
	});

	it('an output with too many bytes keeps the beginning and the error on the last line', () => {
		const output = `start\n${'noise\n'.repeat(3400)}ERROR: it broke`;
		const result = shortenResult(output, { maxBytes: 10_000, direction: 'both' });
		expect(result.content.startsWith('start\n')).toBe(true);
		expect(result.content.endsWith('\nERROR: it broke')).toBe(true);
		expect(utf8(result.content)).toBeLessThanOrEqual(10_000);
	});

	it('an output whose first line is too large says so and shows its beginning', () => {
		const result = shortenResult('x'.repeat(500), { maxBytes: 100, direction: 'head' });
		expect(result.content).toMatch(
			/^x+\n\[Output truncated from 500 bytes to \d+ bytes\] \[First line too large\]$/,
		);
		expect(result.cutLine).toBe('first');
		expect(result.keptBytes).toBe(result.content.indexOf('\n'));
	});

	it('an output shows the last bytes of a line that is too large, from a whole character on', () => {
		const result = shortenResult('👩‍👩‍👧‍👦'.repeat(50), { maxBytes: 150 });
		const kept = result.content.slice(result.content.indexOf('\n') + 1);
		expect(kept).toBe('👩‍👩‍👧‍👦'.repeat(kept.length / '👩‍👩‍👧‍👦'.length));
		expect(result).toMatchObject({ cutLine: 'last', keptBytes: utf8(kept) });
	});

	it('a truncated output never splits a flag or a letter with its accents', () => {
		for (const character of ['🇩🇪', 'e\u0301\u0302', '한', 'क्षि', '\r\n']) {
			const result = shortenResult(`x${character.repeat(80)}`, { maxBytes: 90, maxLines: 1000 });
			const kept = result.content.slice(result.content.indexOf('\n') + 1);
			expect(kept.replaceAll(character, '')).toBe('');
		}
	});

	it('a truncated output of a single line shows both of its ends', () => {
		const result = shortenResult(`${'a'.repeat(200)}${'b'.repeat(200)}`, {
			maxBytes: 120,
			direction: 'both',
		});
		expect(result.content).toMatch(/^a+\n\[Output truncated from 400 bytes to \d+ bytes\].*\nb+$/);
	});

	it('a truncated output drops the head instead of cutting a last line that fits', () => {
		const output = `${'f'.repeat(40)}\n${'y'.repeat(80)}\n`;
		const result = shortenResult(output.repeat(3), { maxBytes: 150, direction: 'both' });
		expect(result.content.endsWith(`bytes]\n${'y'.repeat(80)}\n`)).toBe(true);
	});

	it('a truncated output omits the notice if it does not fit', () => {
		expect(shortenResult('abcdefgh', { maxBytes: 3 }).content).toBe('fgh');
		expect(shortenResult('abcdefgh', { maxBytes: 3, direction: 'head' }).content).toBe('abc');
		expect(shortenResult('abcdefgh', { maxBytes: 1, direction: 'both' }).content).toBe('h');
		expect(shortenResult('äöü', { maxBytes: 1 })).toMatchObject({ content: '', keptBytes: 0 });
		expect(shortenResult('abcdefgh', { maxBytes: 0 }).content).toBe('');
	});
});

describe('the notice of a truncated output', () => {
	it('the notice of a truncated output names the path of the whole output', () => {
		const result = shortenResult(numbered(100), { maxLines: 2, savedPath: '/state/out.txt' });
		expect(result.content).toBe(
			'[Output truncated from 792 bytes to 9 bytes. Full output saved to: /state/out.txt]\nline 100\n',
		);
	});

	it('the notice of a truncated output omits the path if only the rest fits', () => {
		const result = shortenResult(numbered(100), { maxBytes: 60, savedPath: `/${'p'.repeat(100)}` });
		expect(result.content).toMatch(/^\[Output truncated from 792 bytes to 9 bytes\]\n/);
	});

	it('the notice describes binary output instead of showing it', () => {
		const result = shortenResult('\u0000\u0001PNG\ufffd'.repeat(20_000));
		expect(result.content).toBe(
			'[Output truncated from 160000 bytes to 0 bytes] [Binary output is not shown]',
		);
	});
});

it('an invalid limit of an output is refused with its name', () => {
	expect(() => shortenResult('a', { maxBytes: -1 })).toThrow('maxBytes: expected a whole number from 0 up');
	expect(() => shortenResult('a', { maxLines: Number.NaN })).toThrow('maxLines');
	expect(shortenResult('a', { maxBytes: undefined, direction: undefined }).content).toBe('a');
});
