import fc from 'fast-check';
import type { AuditScope, SessionCalls } from '../../../../server/core/cost/audit/audit.ts';
import { lookupPrices } from '../../../../server/core/cost/prices.ts';
import type { ModelCall } from '../../../../server/core/transcript/reading/calls.ts';

export const minute = 60_000;

/** Returns a call of Claude in the first minute, with the given differences. */
export function modelCall(id: string, differences: Partial<ModelCall> = {}): ModelCall {
	return {
		id,
		at: minute,
		provider: 'anthropic',
		model: 'claude-opus-4-5',
		folder: '/home/me/shop',
		usage: { input: 0, output: 0 },
		...differences,
	};
}

export function sessionOf(
	calls: readonly ModelCall[],
	differences: Partial<SessionCalls> = {},
): SessionCalls {
	return { agent: 'claude-code', path: '/a.jsonl', calls, ...differences };
}

/** A period without bounds, in UTC. */
export const everything: AuditScope = {
	from: 0,
	to: Number.MAX_SAFE_INTEGER,
	findPrices: (provider, model) => lookupPrices(provider, model),
	formatDay: (at) => new Date(at).toISOString().slice(0, 10),
};

const figure = fc.integer({ min: 0, max: 300_000 });
const anyUsage = fc.record(
	{ input: figure, output: figure, cacheRead: figure, cacheWrite: figure, cacheWriteForHour: figure },
	{ requiredKeys: ['input', 'output'] },
);
const flag = fc.constantFrom(true as const, undefined);

/** Calls of models with and without a known price, whose costs agents may state. */
export const anyCall: fc.Arbitrary<ModelCall> = fc
	.record({
		id: fc.integer({ min: 0, max: 30 }).map(String),
		at: fc.integer({ min: 1, max: 20 * 24 * 60 }).map((minutes) => minutes * minute),
		provider: fc.constantFrom('anthropic', 'openai', ''),
		model: fc.constantFrom('claude-opus-4-5', 'claude-haiku-5-5', 'gpt-5.4', 'mystery-1', ''),
		folder: fc.constantFrom('/home/me/shop', '/home/me/bank', undefined),
		usage: anyUsage,
		usd: fc.option(fc.double({ min: 0, max: 50, noNaN: true }), { nil: undefined }),
		subAgent: fc.constantFrom('a1', undefined, undefined),
		isSummary: flag,
		isCompacted: flag,
		isSum: flag,
	})
	.map((call) => Object.fromEntries(Object.entries(call).filter(([, value]) => value !== undefined)))
	.map((call) => call as unknown as ModelCall);

export const anySessions: fc.Arbitrary<SessionCalls[]> = fc.array(
	fc
		.record({ agent: fc.constantFrom('claude-code', 'codex'), path: fc.constantFrom('/a', '/b', '/c') })
		.chain((about) => fc.array(anyCall, { maxLength: 25 }).map((calls) => ({ ...about, calls }))),
	{ maxLength: 6 },
);
