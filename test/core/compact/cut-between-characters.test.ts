import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutMiddle } from '../../../server/core/compact/plan/emergency.ts';
import { keepHeadAndTail } from '../../../server/core/output/shortenResult.ts';

/** Characters of several code points, code points of several units, and plain ones. */
const character = fc.constantFrom(
	'a',
	'\n',
	'\r\n',
	'日',
	'𠮷',
	'é',
	'e\u0301\u0323',
	'한',
	'\u1112\u1161\u11ab',
	'🇯🇵',
	'👍🏽',
	'👩‍👩‍👧‍👦',
	'🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
	'क्षि',
	'\ud800',
);

const text = fc.array(character, { minLength: 1, maxLength: 120 }).map((all) => all.join(''));

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

function boundariesOf(whole: string): Set<number> {
	return new Set([...segmenter.segment(whole)].map(({ index }) => index).concat(whole.length));
}

describe('cutting the middle of a text', () => {
	it('a cut text is split only between characters, and is shorter than the original', () => {
		fc.assert(
			fc.property(text, fc.double({ min: 0, max: 1.2, noNaN: true }), (whole, share) => {
				const units = Math.floor(whole.length * share);
				const cut = keepHeadAndTail(whole, units, '|');
				if (cut === whole) return;
				expect(cut.length).toBeLessThan(whole.length);
				const index = cut.indexOf('\n|\n');
				const boundaries = boundariesOf(whole);
				const [head, tail] = [cut.slice(0, index), cut.slice(index + 3)];
				expect(whole.startsWith(head)).toBe(true);
				expect(whole.endsWith(tail)).toBe(true);
				expect(boundaries).toContain(head.length);
				expect(boundaries).toContain(whole.length - tail.length);
			}),
			{ numRuns: Number(process.env.FUZZ_RUNS ?? 400) },
		);
	});
});

describe('cutting the middle of a message', () => {
	it.each([
		['an answer', 'assistant', 1100, false],
		['a long answer', 'assistant', 1300, true],
		['a result', 'tool', 500, true],
		['a short result', 'tool', 300, false],
	] as const)('a short text stays whole: %s', (_, role, length, isCut) => {
		const message = { id: 'm', role, content: 'x'.repeat(length) };
		expect(cutMiddle(message, 0.1, 0.25) !== message).toBe(isCut);
	});

	it('a cut message keeps the shape of its arguments, its images and unknown parts, and is marked', () => {
		const long = 'x'.repeat(2000);
		const image = { type: 'image' as const, mediaType: 'image/png', data: 'AAAA' };
		const opaque = { type: 'opaque' as const, value: { long } };
		const message = cutMiddle(
			{
				id: 'm',
				role: 'assistant',
				content: [{ type: 'text', text: long }, image, opaque],
				toolCalls: [
					{ id: 'k', name: 'write', args: { path: 'a.ts', lines: [long, 7, null], deep: { long } } },
				],
				tokens: 999,
			},
			0.1,
			0.25,
		);
		const [call] = message.toolCalls ?? [];
		const args = call?.args as { path: string; lines: unknown[]; deep: { long: string } };
		expect(message.content.slice(1)).toEqual([image, opaque]);
		expect(args.path).toBe('a.ts');
		expect(args.lines.slice(1)).toEqual([7, null]);
		for (const one of [args.lines[0], args.deep.long]) expect(String(one)).toContain('original m');
		expect(message.tokens).toBeUndefined();
		expect(message.metadata).toEqual({ truncated: true });
	});
});
