import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { looksBinary, shortenResult } from '../../../server/core/output/shortenResult.ts';
import type { Truncation } from '../../../server/core/output/truncation.ts';

/** Set CONTEXTD_LONG_TESTS to check 100,000 outputs instead of 2,000. */
const runs = process.env.CONTEXTD_LONG_TESTS ? 100_000 : 2_000;

const noticePattern =
	/\[Output truncated from (\d+) bytes to (\d+) bytes(?:\. Full output saved to: [^\]]*)?\](?: \[[^\]]*\])?/;
const utf8 = (text: string) => Buffer.byteLength(text);
const lineCount = (text: string) =>
	text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);

const piece = fc.oneof(
	{ weight: 6, arbitrary: fc.string({ unit: 'grapheme', maxLength: 30 }) },
	{
		weight: 4,
		arbitrary: fc.constantFrom('\n', '\n\n', '\r\n', '\r', 'line\n', '日本語\n', '🇩🇪🇫🇷', '👩‍👩‍👧‍👦', 'क्षि'),
	},
	{ weight: 1, arbitrary: fc.constantFrom('\ud83d', '\udc00', '\u0000', '\u0301') },
	{ weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 10 }) },
);
const text = fc
	.tuple(fc.array(piece, { maxLength: 25 }), fc.integer({ min: 1, max: 8 }))
	.map(([pieces, times]) => pieces.join('').repeat(times));
const limit = fc.oneof(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 400 }));
const direction = fc.constantFrom('head' as const, 'tail' as const, 'both' as const);
const savedPath = fc.option(fc.constant('/state/outputs/tool-output.txt'), { nil: undefined });

describe('any output with any limits', () => {
	it('any output with any limits fulfils every guarantee about the content', () => {
		fc.assert(
			fc.property(
				text,
				limit,
				limit,
				direction,
				savedPath,
				(output, maxBytes, maxLines, direction, savedPath) => {
					const result = shortenResult(output, { maxBytes, maxLines, direction, savedPath });
					const whole = Buffer.from(output).toString();
					expect(result.originalSize).toBe(utf8(output));
					expect(result.originalLines).toBe(lineCount(output));
					const fits = utf8(output) <= maxBytes && lineCount(output) <= maxLines;
					expect(result.truncated).toBe(!fits);
					if (fits) {
						expect(result.content).toBe(whole);
						return;
					}
					expect(utf8(result.content)).toBeLessThanOrEqual(maxBytes);
					expect(lineCount(result.content)).toBeLessThanOrEqual(maxLines);
					expect(result.content).not.toMatch(/\p{Surrogate}/u);
					expect(result.limit).toBeDefined();
					if (looksBinary(output)) return;
					expectEndsOf(whole, result, direction);
				},
			),
			{ numRuns: runs },
		);
	}, 600_000);
});

function expectEndsOf(whole: string, result: Truncation, direction: 'head' | 'tail' | 'both'): void {
	const notice = noticePattern.exec(result.content);
	if (notice === null) {
		expect(direction === 'head' ? whole.startsWith(result.content) : whole.endsWith(result.content)).toBe(
			true,
		);
		expect(utf8(result.content)).toBe(result.keptBytes);
		return;
	}
	expect(Number(notice[1])).toBe(result.originalSize);
	expect(Number(notice[2])).toBe(result.keptBytes);
	const before = result.content.slice(0, notice.index);
	const tail = result.content.slice(notice.index + notice[0].length + 1);
	const head = whole.startsWith(before) && result.cutLine !== 'first' ? before : before.slice(0, -1);
	expect(whole.startsWith(head)).toBe(true);
	expect(whole.endsWith(tail)).toBe(true);
	expect(utf8(head) + utf8(tail)).toBe(result.keptBytes);
	if (result.cutLine === undefined) {
		expect(head === '' || head.endsWith('\n')).toBe(true);
		expect(tail === '' || whole === tail || whole.at(-tail.length - 1) === '\n').toBe(true);
	}
	const characters = new Set([...new Intl.Segmenter().segment(whole)].map((segment) => segment.index));
	if (utf8(head) > 40) expect(characters.has(head.length)).toBe(true);
	if (utf8(tail) > 40) expect(characters.has(whole.length - tail.length)).toBe(true);
}
