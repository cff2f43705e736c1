import fc from 'fast-check';
import { expect, it } from 'vitest';
import { stringifyInPieces } from '../../server/rpc/wire/jsonPieces.ts';

const leaf = fc.oneof(
	fc.jsonValue(),
	fc.constant(undefined),
	fc.date({ noInvalidDate: true }),
	fc.constant(Number.NaN),
	fc.string({ unit: 'binary' }),
);
const long = fc
	.tuple(leaf, leaf, fc.integer({ min: 499, max: 1503 }))
	.map(([a, b, length]) => Array.from({ length }, (_, index) => (index % 2 ? a : b)));
const wide = fc.dictionary(fc.string(), fc.oneof(leaf, long), { maxKeys: 3 });
const message = fc.dictionary(
	fc.string(),
	fc.oneof(leaf, long, wide, fc.array(fc.oneof(leaf, wide), { maxLength: 6 })),
);

it('the pieces of a message add up to the result of JSON.stringify', () => {
	fc.assert(
		fc.property(message, (value) => {
			expect([...stringifyInPieces(value)].join('')).toBe(JSON.stringify(value));
		}),
	);
});

it('a long list is serialized in many pieces', () => {
	const removed = Array.from({ length: 100_000 }, (_, index) => ({ messageId: `m${index}` }));
	const pieces = [...stringifyInPieces({ jsonrpc: '2.0', id: 1, result: { removed } })];
	expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(20_000);
});

it('a short list of long texts is serialized in many pieces', () => {
	const messages = Array.from({ length: 300 }, () => ({ content: 'x'.repeat(100_000) }));
	const pieces = [...stringifyInPieces({ result: { messages } })];
	expect(pieces.join('')).toBe(JSON.stringify({ result: { messages } }));
	expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(1_000_000);
});

it('a long list within a list is serialized in many pieces', () => {
	const removed = Array.from({ length: 100_000 }, (_, index) => ({ messageId: `m${index}` }));
	const compactions = [{ id: 'a', removed: [] }, { id: 'b', removed }, 'another'];
	const pieces = [...stringifyInPieces({ result: { compactions } })];
	expect(pieces.join('')).toBe(JSON.stringify({ result: { compactions } }));
	expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(20_000);
});

it('serializing a value without a JSON form throws', () => {
	const cyclic: Record<string, unknown> = {};
	cyclic.itself = { cyclic };
	expect(() => [...stringifyInPieces({ result: cyclic })]).toThrow(TypeError);
	expect(() => [...stringifyInPieces({ result: 1n })]).toThrow(TypeError);
});
