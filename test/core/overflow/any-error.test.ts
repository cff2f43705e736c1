import fc from 'fast-check';
import { expect, it } from 'vitest';
import { classifyError } from '../../../server/core/overflow/classify.ts';

const names = fc.constantFrom(
	...['message', 'code', 'status', 'type', 'name', 'error', 'cause', 'data', 'body', 'errors', 'provider'],
	...['n_ctx', 'detail', 'toString', 'valueOf'],
);
const errorLike = fc.dictionary(names, fc.dictionary(names, fc.anything({ maxDepth: 1 })));

it('any value can be classified as an error, and unknown values are no overflow', () => {
	fc.assert(
		fc.property(fc.oneof(fc.anything({ maxDepth: 4 }), errorLike), (error) => {
			const found = classifyError(error);
			expect(typeof found.retryable).toBe('boolean');
			expect(found.isContextOverflow && found.retryable).toBe(false);
		}),
		{ numRuns: 500 },
	);
});

it('the figures of an overflow are found in any surrounding text', () => {
	const words = fc.string({ maxLength: 200 }).filter((text) => !/\d|rate|quota|schema|[rt]p[md]/i.test(text));
	fc.assert(
		fc.property(words, words, fc.integer({ min: 1, max: 10_000_000 }), (before, after, limit) => {
			const text = `${before} prompt is too long: ${limit + 1} tokens > ${limit} maximum ${after}`;
			expect(classifyError({ error: { message: text } })).toMatchObject({
				isContextOverflow: true,
				actualTokens: limit + 1,
				limitTokens: limit,
			});
		}),
		{ numRuns: 300 },
	);
});
