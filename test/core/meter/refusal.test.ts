import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeRecoveryTarget } from '../../../server/core/cost/recoveryTarget.ts';
import type { JournalRecord } from '../../../server/core/history/record.ts';
import { emptyRequest } from '../../../server/core/measure/measure.ts';
import { readMeter } from '../../../server/core/meter/reading.ts';
import { sumTally } from '../../../server/core/meter/totals.ts';
import { apply, row, stateWith } from '../../support/rows.ts';

const text = (tokens: number) => ({ counts: { text: tokens, calls: 0, images: 0 } });
const thresholds = { warning: 0.75, critical: 0.85, overflow: 0.95, compact: 0.8 };

/** Returns ten messages with this many tokens in total. */
const history = (tokens: number) =>
	stateWith(...Array.from({ length: 10 }, (_, index) => row(`u${index}`, text(tokens / 10))));

interface Refused {
	/** Tokens of the history by our count. */
	counted: number;
	/** Tokens of the system prompt by our count. */
	systemTokens: number;
	/** Tokens of the prompt by the provider's count. */
	prompt: number;
	/** Maximum tokens that the provider accepts. */
	limit: number;
}

/** Returns the raw tokens of a history after recovery from a refusal. */
function leftAfter({ counted, systemTokens, prompt, limit }: Refused): number {
	const request = { ...emptyRequest, systemPrompt: systemTokens };
	const state = apply(history(counted), { t: 'refusal', prompt, request, at: 2 });
	const reading = readMeter(state.meter, state.totals, request);
	const budget = { contextWindow: limit, available: 0.65 * limit, thresholds };
	const target = computeRecoveryTarget({ reading, budget, maxPromptTokens: limit, tokenThreshold: 0 });
	const weight = state.meter.correction?.weight ?? 1;
	return Math.min(counted, target / weight);
}

const refused: fc.Arbitrary<Refused> = fc
	.record({
		counted: fc.integer({ min: 2_000, max: 400_000 }),
		systemTokens: fc.integer({ min: 0, max: 60_000 }),
		limit: fc.integer({ min: 1_000, max: 1_000_000 }),
		beyond: fc.double({ min: 0.0001, max: 60, noNaN: true }),
	})
	.map(({ beyond, ...rest }) => ({ ...rest, prompt: Math.ceil(rest.limit * (1 + beyond)) }));

describe('recovery from an overflow', () => {
	it('recovery gradually keeps less history as the prompt in the error grows', () => {
		fc.assert(
			fc.property(refused, (one) => {
				const more = { ...one, prompt: Math.ceil(one.prompt * 1.01) };
				const [left, leftWithMore] = [leftAfter(one), leftAfter(more)];
				expect(leftWithMore).toBeLessThanOrEqual(left + 2);
				// If the reported prompt is 1% larger, recovery keeps about 1% less history, or even less if most of the prompt is not history.
				const share = one.prompt / Math.max(one.prompt - one.systemTokens, one.counted / 4);
				expect(leftWithMore).toBeGreaterThanOrEqual(left * (1 - 0.011 * share) - 2);
			}),
			{ numRuns: 2_000 },
		);
	});

	it('recovery gradually keeps less history as the limit falls', () => {
		fc.assert(
			fc.property(refused, (one) => {
				const limit = Math.floor(one.limit * 0.99);
				const [left, leftWithLess] = [leftAfter(one), leftAfter({ ...one, limit })];
				expect(leftWithLess).toBeLessThanOrEqual(left + 2);
				expect(left - leftWithLess).toBeLessThanOrEqual(0.01 * one.limit * 4 + 2);
			}),
			{ numRuns: 2_000 },
		);
	});

	it('recovery keeps at least half of what our own count would keep, for any figure', () => {
		fc.assert(
			fc.property(refused, (one) => {
				const { counted, systemTokens } = one;
				fc.pre(counted + systemTokens > one.limit);
				const honest = leftAfter({ ...one, prompt: counted + systemTokens });
				expect(leftAfter(one)).toBeGreaterThanOrEqual(honest / 2 - 2);
			}),
			{ numRuns: 2_000 },
		);
	});
});

describe('a figure that came with an error', () => {
	const read = (state: ReturnType<typeof stateWith>) => readMeter(state.meter, state.totals, emptyRequest);
	const refuse = (prompt: number) => ({ t: 'refusal', prompt, request: emptyRequest, at: 2 }) as const;

	it('a figure in an error becomes the reading, within bounds', () => {
		fc.assert(
			fc.property(fc.integer({ min: 250, max: 2_000 }), (perMille) => {
				const prompt = 100 * perMille;
				expect(read(apply(history(100_000), refuse(prompt))).tokens).toBe(prompt);
			}),
		);
	});

	it('a figure in an error is trusted up to twice the count, and further if the provider repeats it', () => {
		const state = apply(history(100_000), refuse(9_000_000));
		expect(read(state).tokens).toBe(200_000);
		expect(read(apply(state, refuse(350_000))).tokens).toBe(350_000);
		expect(read(apply(state, refuse(9_000_000))).tokens).toBe(400_000);
		expect(read(apply(state, refuse(9_000_000))).tokens).toBe(400_000);
	});

	it('a figure in an error is replaced by the next figure of an answer, without traces', () => {
		const answered = row('a', {
			role: 'assistant',
			usage: { input: 120_000, output: 20 },
			stopReason: 'stop',
			...text(20),
		});
		const append: JournalRecord = { t: 'append', at: 3, rows: [answered] };
		const plain = apply(history(100_000), append);
		const refused = apply(history(100_000), refuse(190_000), append);
		expect(refused.meter).toEqual(plain.meter);
		expect(read(refused)).toMatchObject({ tokens: 120_020, source: 'reported' });
	});

	it('a figure in an error never changes exact counts of clients', () => {
		const state = stateWith(row('u', { ...text(50_000), exact: true }), row('v', text(10_000)));
		apply(state, refuse(200_000));
		expect(read(state).tokens).toBe(70_000);
		expect(sumTally(state.totals.exact)).toBe(50_000);
	});

	it('a figure in an error can be reverted', () => {
		const state = history(100_000);
		const before = read(state);
		apply(state, refuse(150_000), { t: 'unlearn', at: 3 });
		expect(read(state)).toEqual(before);
	});
});

describe('a window that was learned from an error', () => {
	const learned = (contextWindow: number) =>
		({ t: 'set', change: { contextWindow, contextWindowLearned: true } }) as const;
	const answered = (input: number): JournalRecord => ({
		t: 'append',
		at: 3,
		rows: [row('a', { role: 'assistant', usage: { input, output: 10 }, stopReason: 'stop' })],
	});

	it('a window learned from an error is valid while answered prompts fit into it', () => {
		const { info } = apply(history(10_000), learned(40_000), answered(39_000));
		expect(info.contextWindow).toBe(40_000);
	});

	it("a window learned from an error is replaced by the client's once a larger prompt is answered", () => {
		const said = { t: 'set', change: { contextWindow: 100_000 } } as const;
		expect(apply(history(50_000), learned(40_000), answered(60_000)).info.contextWindow).toBeUndefined();
		const { info } = apply(history(50_000), said, learned(40_000), learned(30_000), answered(60_000));
		expect(info).toMatchObject({ contextWindow: 100_000 });
		expect(info.contextWindowLearned).toBeUndefined();
	});
});
