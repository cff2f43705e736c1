import fc from 'fast-check';
import { expect, it } from 'vitest';
import { showsContent, showsLines } from '../../../server/core/files/knownFile.ts';

const whole = (content: string) => ({ content, firstLine: 1, reachesEnd: true });

it('a result is recognized as the whole file, with or without line numbers', () => {
	expect(showsLines('a\nb\n', 1, whole('a\nb\n'))).toBe(true);
	expect(showsLines('a\nb', 1, whole('a\nb\n'))).toBe(true);
	expect(showsLines('     1\ta\n     2\tb', 1, whole('a\nb\n'))).toBe(true);
});

it('a result is not recognized as a file that became shorter or longer', () => {
	expect(showsLines('a\nb\nc\n', 1, whole('a\nb\n'))).toBe(false);
	expect(showsLines('a\nb\n', 1, whole('a\nb\nc\n'))).toBe(false);
});

it('a result is recognized as lines of a file by their position', () => {
	const shown = '     5\ta\n     6\tb\n     7\tc';
	expect(showsLines(shown, 1, { content: 'b\n', firstLine: 6, reachesEnd: false })).toBe(true);
	expect(showsLines(shown, 1, { content: 'b\n', firstLine: 7, reachesEnd: false })).toBe(false);
	expect(showsLines('a\nb\nc', 5, { content: 'b\n', firstLine: 6, reachesEnd: false })).toBe(true);
	expect(showsLines(shown, 1, { content: 'z\n', firstLine: 4, reachesEnd: false })).toBe(false);
});

it('content is found in a result with or without line numbers, but empty content is not', () => {
	expect(showsContent('Here:\na\nb\nThanks', 'a\nb\n')).toBe(true);
	expect(showsContent('     1\ta\n     2\tb', 'a\nb\n')).toBe(true);
	expect(showsContent('a', 'b')).toBe(false);
	expect(showsContent('a', '')).toBe(false);
});

it('a result is recognized as every part of any text, and not as a text with another line', () => {
	const line = fc.string({ maxLength: 12 }).map((text) => text.replaceAll(/[\n\r]/g, ''));
	const lines = fc.array(line, { minLength: 1, maxLength: 8 });
	fc.assert(
		fc.property(lines, fc.nat(7), fc.nat(7), (all, some, others) => {
			const from = Math.min(some, others, all.length - 1);
			const to = Math.min(Math.max(some, others), all.length - 1);
			const text = all.map((one) => `x${one}\n`).join('');
			const part = all.slice(from, to + 1).map((one) => `x${one}\n`);
			const reachesEnd = to === all.length - 1;
			expect(
				showsLines(text, 1, { content: part.join(''), firstLine: from + 1, reachesEnd: reachesEnd }),
			).toBe(true);
			const other = [...part.slice(0, -1), 'y\n'].join('');
			expect(showsLines(text, 1, { content: other, firstLine: from + 1, reachesEnd: reachesEnd })).toBe(
				false,
			);
		}),
		{ numRuns: 300 },
	);
});
