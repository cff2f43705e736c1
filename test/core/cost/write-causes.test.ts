import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lookupCacheRules } from '../../../server/core/cost/cacheModel.ts';
import { type BilledRequest, listWriteCauses } from '../../../server/core/cost/writeCauses.ts';

const minute = 60_000;
const anthropic = lookupCacheRules('anthropic', 'claude-sonnet-4-5');
const openAi = lookupCacheRules('openai', 'gpt-5.1');

function recorded(at: number, cacheRead: number, cacheWrite: number, more = {}): BilledRequest {
	return { at, usage: { input: 3, output: 100, cacheRead, cacheWrite }, ...more };
}

const first = recorded(0, 0, 20_000);

test('counts the first write of a session as its cold start', () => {
	expect(listWriteCauses([first], anthropic)).toMatchObject([{ coldStart: 20_000, growth: 0 }]);
});

test('counts what was added as growth', () => {
	expect(listWriteCauses([first, recorded(minute, 20_000, 900)], anthropic)[1]).toMatchObject({
		growth: 900,
		expiry: 0,
	});
});

test('splits the write after a pause into what had expired and what is new', () => {
	const after = recorded(6 * minute, 0, 21_000);
	expect(listWriteCauses([first, after], anthropic)[1]).toMatchObject({ expiry: 20_000, growth: 1000 });
});

test('blames a changed beginning if the cache was still warm', () => {
	const after = recorded(minute, 5000, 16_000);
	expect(listWriteCauses([first, after], anthropic)[1]).toMatchObject({
		changedPrefix: 15_000,
		growth: 1000,
	});
});

test('blames a change of model even after a pause', () => {
	const [, causes] = listWriteCauses(
		[{ ...first, model: 'claude-a' }, recorded(9 * minute, 0, 21_000, { model: 'claude-b' })],
		anthropic,
	);
	expect(causes).toMatchObject({ changedPrefix: 20_000, expiry: 0 });
});

test('counts the write after a compaction as its cost, even after a pause', () => {
	const after = recorded(9 * minute, 0, 30_000, { isCompacted: true });
	expect(listWriteCauses([first, after], anthropic)[1]).toMatchObject({ compaction: 30_000, expiry: 0 });
});

test('recognizes a compaction that the transcript does not mention by the smaller prompt', () => {
	expect(listWriteCauses([first, recorded(minute, 4000, 5000)], anthropic)[1]).toMatchObject({
		compaction: 5000,
	});
});

test('remembers a compaction until a request was answered', () => {
	const aborted = { at: minute, usage: { input: 0, output: 0 }, isCompacted: true };
	const causes = listWriteCauses([first, aborted, recorded(2 * minute, 12_000, 6000)], anthropic);
	expect(causes.map(({ compaction }) => compaction)).toEqual([0, 0, 6000]);
});

test('attributes plain input if the provider does not charge for writes, and tolerates a few lost blocks', () => {
	const usage = (input: number, cacheRead: number) => ({ input, cacheRead, output: 10 });
	const causes = listWriteCauses(
		[
			{ at: 0, usage: usage(18_000, 0) },
			{ at: minute, usage: usage(1400, 17_600) },
			{ at: 30 * minute, usage: usage(18_000, 2000) },
		],
		openAi,
	);
	expect(causes).toMatchObject([{ coldStart: 18_000 }, { growth: 1400 }, { expiry: 16_944, growth: 1056 }]);
});

test('attributes every paid token to causes exactly once', () => {
	const figure = fc.nat(200_000);
	const request = fc.record({
		at: fc.nat(100_000_000),
		usage: fc.record({ input: fc.nat(100), output: figure, cacheRead: figure, cacheWrite: figure }),
		isCompacted: fc.boolean(),
	});
	fc.assert(
		fc.property(fc.array(request, { maxLength: 20 }), (requests) => {
			const causes = listWriteCauses(requests, anthropic);
			const sums = causes.map((parts) => Object.values(parts).reduce((sum, part) => sum + part, 0));
			const paid = requests.map(({ usage: { input, cacheRead, cacheWrite } }) =>
				input + cacheRead + cacheWrite === 0 ? 0 : cacheWrite,
			);
			expect(sums).toEqual(paid);
		}),
	);
});
