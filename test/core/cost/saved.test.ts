import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeSavedTokens } from '../../../server/core/cost/saved.ts';
import type { StepCause } from '../../../server/core/history/record.ts';
import type { State } from '../../../server/core/history/state.ts';
import type { Usage } from '../../../server/protocol/conversation.ts';
import { apply, row, stateWith } from '../../support/rows.ts';

const prices = { read: 0.1, write: 1.25 };
const minuteMs = 60_000;

/** Writes a session of Claude, one request a minute. */
class Play {
	readonly state: State = stateWith();
	#next = 0;
	at = 1;

	constructor(info: Partial<State['info']> = {}) {
		const full = { sessionId: 's', provider: 'anthropic', model: 'claude-sonnet-4-5', createdAt: 0, ...info };
		apply(this.state, { t: 'open', v: 1, measure: '', info: full });
	}

	/** Adds a prompt and its answer. All but `read` tokens of the prompt are written to the cache. */
	call(prompt: number, read: number, pauseMs = minuteMs): this {
		this.at += pauseMs;
		const usage: Usage = { input: 0, output: 10, cacheRead: read, cacheWrite: prompt - read };
		const no = this.#next++;
		const rows = [row(`u${no}`), row(`a${no}`, { role: 'assistant', usage })];
		for (const one of rows) apply(this.state, { t: 'append', at: this.at, rows: [one] });
		return this;
	}

	step(id: string, cause: StepCause, from: number, removed?: number): this {
		const no = this.state.layers.size + 1;
		const patches = [{ from, to: this.state.rows.length }];
		const receipt = { tokensBefore: removed ?? 0, tokensAfter: 0, stagesUsed: [], removed: [] };
		const sheet = { no, lossy: cause === 'compact', patches };
		const step = { id, cause, at: this.at, sheet, on: [no], off: [] };
		apply(this.state, { t: 'step', step: removed === undefined ? step : { ...step, receipt } });
		return this;
	}

	undo(...steps: string[]): this {
		apply(this.state, { t: 'undo', steps, at: this.at });
		return this;
	}

	get saved(): number {
		return computeSavedTokens(this.state.savings, prices);
	}
}

/** Returns a session that was compacted from 100,000 tokens to 30,000, of which 20,000 were still in the cache. */
const compacted = (info?: Partial<State['info']>) =>
	new Play(info).call(100_000, 0).step('c', 'compact', 1, 70_000).call(30_000, 20_000);

describe('what compactions saved', () => {
	it('subtracts the first write after a compaction from what calls no longer read', () => {
		const play = compacted();
		const first = 0.1 * 70_000 - 1.15 * 10_000;
		expect(play.saved / first).toBeCloseTo(1, 2);
		play.call(30_020, 30_000);
		expect((play.saved - first) / 7000).toBeCloseTo(1, 2);
	});

	it('prices what an expired cache would have written at the price of writing', () => {
		const play = compacted();
		const before = play.saved;
		play.call(30_020, 0, 6 * minuteMs);
		expect((play.saved - before) / (1.25 * 70_000)).toBeCloseTo(1, 2);
	});

	it('prices a call that lost its cache without a pause at the price of reading', () => {
		const play = compacted();
		const before = play.saved;
		play.call(30_020, 0);
		expect((play.saved - before) / 7000).toBeCloseTo(1, 2);
	});

	it('counts the messages of calls only up to the size of the window', () => {
		const play = compacted({ contextWindow: 110_000 });
		const { saved } = play;
		play.call(90_000, 89_000);
		expect(play.saved - saved).toBe(2000);
	});

	it('counts no call after an undo, but the write that the undo caused', () => {
		const play = compacted().call(30_020, 30_000);
		const { saved } = play;
		play.undo('c').call(100_060, 20_000);
		expect(play.saved).toBeCloseTo(saved - 1.15 * 10_020, -1);
		const after = play.saved;
		play.call(100_080, 100_060);
		expect(play.saved).toBe(after);
	});

	it('stops counting a compaction when a rewind cuts what it worked on, or the agent compacts itself', () => {
		for (const [id, cause] of [
			['r', 'rewind'],
			['agent-compaction-1-x', 'compact'],
		] as const) {
			const play = compacted().call(30_020, 30_000);
			play.step(id, cause, 1).call(20_000, 20_000);
			const { saved } = play;
			play.call(20_020, 20_000);
			expect(play.saved).toBe(saved);
		}
	});

	it('counts nothing until a call is smaller, and gives up after three that are not', () => {
		const play = new Play().call(100_000, 0).step('c', 'compact', 1, 70_000);
		play.call(100_020, 100_000).call(100_040, 100_020).call(100_060, 100_040);
		play.call(30_000, 30_000).call(30_000, 30_000);
		expect(play.saved).toBe(0);
	});

	it('counts no calls of the session that it was forked from, and none of a followed transcript', () => {
		expect(compacted({ createdAt: 1e9 }).saved).toBe(0);
		expect(compacted({ source: 'claude-code' }).saved).toBe(0);
	});

	const call = fc.record({
		prompt: fc.integer({ min: 1, max: 300_000 }),
		share: fc.double({ min: 0, max: 1, noNaN: true }),
		pauseMs: fc.constantFrom(1000, 6 * minuteMs, 90 * minuteMs),
	});
	const removed = fc.option(fc.integer({ min: -1000, max: 200_000 }), { nil: undefined });

	it('the saving is 0 without a compaction, and never more than what was not sent at the price of writing', () => {
		fc.assert(
			fc.property(fc.array(fc.tuple(call, removed), { maxLength: 20 }), (steps) => {
				const play = new Play();
				let total = 0;
				let limit = 0;
				for (const [{ prompt, share, pauseMs }, tokens] of steps) {
					play.call(prompt, Math.floor(share * prompt), pauseMs);
					limit += Math.min(total, Math.max(0, 200_000 - prompt)) * prices.write;
					if (tokens === undefined) continue;
					total += Math.max(0, tokens);
					play.step(`c${total}-${limit}`, 'compact', 0, tokens);
				}
				expect(play.saved).toBeLessThanOrEqual(Math.ceil(limit));
				if (steps.every(([, tokens]) => tokens === undefined)) expect(play.saved).toBe(0);
			}),
		);
	});
});
