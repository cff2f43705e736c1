import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shortenResult } from '../../../server/core/output/shortenResult.ts';

const utf8 = (text: string) => Buffer.byteLength(text);
const elide = (output: string, maxBytes: number, maxLines = 2000) =>
	shortenResult(output, { maxBytes, maxLines }, 'json');

describe('a JSON document that is too large', () => {
	it('a shortened JSON document remains JSON, with counts of omitted parts and exact numbers', () => {
		const items = Array.from({ length: 500 }, (_, index) => ({ id: index, name: `item ${index}` }));
		const output = JSON.stringify({ big: 'x'.repeat(9000), items, last: true }).replace(
			'"last":true',
			'"last":12345678901234567890',
		);
		const result = elide(output, 2000);
		const value = JSON.parse(result.content);
		expect(Object.keys(value)).toEqual(['[truncated]', 'big', 'items', 'last']);
		expect(value['[truncated]']).toBe(
			`[Output truncated from ${utf8(output)} bytes to ${result.keptBytes} bytes]`,
		);
		expect(value.big).toMatch(/^x+… \[\d+ more characters left out\]$/);
		expect(value.items.at(-1)).toBe(`[… ${500 - (value.items.length - 1)} more items left out]`);
		expect(value.items[0]).toEqual({ id: 0, name: 'item 0' });
		expect(result.content).toContain('"last":12345678901234567890');
	});

	it('a shortened JSON document remains indented', () => {
		const output = JSON.stringify(
			Array.from({ length: 900 }, (_, n) => ({ n })),
			null,
			2,
		);
		const result = elide(output, 51_200, 700);
		expect(result).toMatchObject({ truncated: true, limit: 'lines' });
		expect(result.content.split('\n').length).toBeLessThanOrEqual(700);
		expect(result.content.startsWith('[\n  "[Output truncated from ')).toBe(true);
		expect(JSON.parse(result.content)[1]).toEqual({ n: 0 });
	});

	it('a shortened JSON document is never cut inside an escape', () => {
		for (const piece of ['\\n', '\\u00e9', '\\ud83d\\ude00', '\\\\', '\\"', '🙂']) {
			for (const shift of ['', 'a', 'ab', 'abc']) {
				const result = elide(`["${shift}${piece.repeat(3000)}"]`, 800);
				const [, text] = JSON.parse(result.content);
				expect(text).toMatch(/left out\]$/);
				expect(text).not.toMatch(/\p{Surrogate}/u);
			}
		}
	});

	it('a JSON document is shortened as text if it is invalid, a scalar or too wide', () => {
		for (const output of [
			`[${'1,'.repeat(900)}`,
			'9'.repeat(900),
			`{"${'k'.repeat(900)}":1}`,
			'[1}'.repeat(300),
		]) {
			expect(elide(output, 200)).toEqual(shortenResult(output, { maxBytes: 200 }));
		}
	});

	it('a shortened JSON document may be nested to any depth', () => {
		const deep = `${'['.repeat(9000)}${']'.repeat(9000)}`;
		expect(JSON.parse(elide(deep, 300).content)[0]).toContain('Output truncated from 18000');
		expect(elide('['.repeat(1_000_000), 300).truncated).toBe(true);
	});

	it('a shortened JSON document is valid and within the limits for any content', () => {
		fc.assert(
			fc.property(fc.json({ maxDepth: 6 }), fc.integer({ min: 1, max: 40 }), (json, times) => {
				const output = `[${Array(times).fill(json).join(', ')}]`;
				const result = elide(output, 300, 50);
				expect(utf8(result.content)).toBeLessThanOrEqual(300);
				if (result.content.startsWith('[\n') || result.content.startsWith('["[Output'))
					JSON.parse(result.content);
			}),
			{ numRuns: 500 },
		);
	});
});
