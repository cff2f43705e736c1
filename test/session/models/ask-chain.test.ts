import { describe, expect, it, vi } from 'vitest';
import { CallFailure, RefusedAnswer } from '../../../server/core/ask/callFailure.ts';
import type { ResolvedLink } from '../../../server/core/ask/chain.ts';
import { askChain, type ChainContext } from '../../../server/session/models/askChain.ts';
import type { AskModel } from '../../../server/session/ports.ts';

const question = { system: 's', prompt: 'p', maxTokens: 10 };
const timed = { timeoutMs: 1000, maxRetries: 1 };
const first: ResolvedLink = { provider: 'openai', model: 'one', ...timed };
const second: ResolvedLink = { provider: 'mistral', model: 'two', ...timed };

/** Asks a chain whose models answer by `ask`; waits only move the clock. Returns the outcome, with the waits in milliseconds. */
async function asked(ask: AskModel, over: Partial<ChainContext> = {}, links = [first, second]) {
	let clock = 0;
	const waits: number[] = [];
	const fellBack = vi.fn();
	const outcome = await askChain(
		{
			sessionId: 's',
			chain: { links, totalTimeoutMs: 60_000 },
			ask,
			signal: new AbortController().signal,
			now: () => clock,
			wait: async (ms) => {
				waits.push(ms);
				clock += ms;
			},
			onFallback: fellBack,
			...over,
		},
		async (askOnce) => (await askOnce(question)).text,
	);
	return { ...outcome, waits, fellBack };
}

const refuses: AskModel = () => Promise.reject(new CallFailure('no', { retryable: false }));
const answers: AskModel = async ({ model = '' }) => ({ text: `by ${model}`, stopReason: 'stop' });

/** Fails this number of times, then answers. */
function failing(times: number, problem: ConstructorParameters<typeof CallFailure>[1]): AskModel {
	let left = times;
	return (link, ...rest) =>
		left-- > 0 ? Promise.reject(new CallFailure('busy', problem)) : answers(link, ...rest);
}

describe('asking a chain of models', () => {
	it('a chain uses the first usable answer', async () => {
		const { value, by, attempts, fellBack } = await asked(answers);
		expect({ value, by }).toEqual({ value: 'by one', by: 'one' });
		expect(attempts).toEqual([{ model: 'one', provider: 'openai', ok: true, ms: 0 }]);
		expect(fellBack).not.toHaveBeenCalled();
	});

	it('a chain asks the next model if one fails, and reports the fallback', async () => {
		const ask: AskModel = (link, ...rest) => (link === first ? refuses : answers)(link, ...rest);
		const { value, attempts, fellBack } = await asked(ask);
		expect(value).toBe('by two');
		expect(attempts).toMatchObject([
			{
				model: 'one',
				ok: false,
				error: 'no',
				fallback: 'two',
				failure: { code: 'MODEL_FAILED', model: 'one' },
			},
			{ model: 'two', ok: true },
		]);
		expect(fellBack.mock.calls).toEqual([['one', 'two', 'no']]);
	});

	it('a chain retries a retryable failure after a wait, and reports both attempts', async () => {
		const { value, waits, attempts } = await asked(failing(1, { retryable: true }));
		expect(value).toBe('by one');
		expect(waits).toEqual([500]);
		expect(attempts).toMatchObject([{ model: 'one', ok: false, failure: { retryable: true } }, { ok: true }]);
	});

	it('a chain waits as long as retryAfterMs asks, but treats more than 30 seconds as a failure', async () => {
		expect((await asked(failing(1, { retryable: true, retryAfterMs: 20_000 }))).waits).toEqual([20_000]);
		const long = await asked(failing(1, { retryable: true, retryAfterMs: 30_001 }));
		expect(long).toMatchObject({ value: 'by two', waits: [] });
	});

	it('a chain does not ask a model again after an unusable answer', async () => {
		const ask = vi.fn(answers);
		const failure = {
			code: 'INVALID_SUMMARY',
			message: 'the answer is empty',
			retryable: true,
			tokensAfter: 0,
		} as const;
		const context = { ask, signal: new AbortController().signal, now: () => 0, wait: async () => {} };
		const outcome = await askChain(
			{ ...context, sessionId: 's', chain: { links: [first, second], totalTimeoutMs: 9 }, onFallback() {} },
			async (askOnce) => {
				await askOnce(question);
				throw new RefusedAnswer(failure);
			},
		);
		expect(ask).toHaveBeenCalledTimes(2);
		expect(outcome.value).toBeUndefined();
		expect(outcome.attempts.map((one) => one.failure)).toEqual([
			{ ...failure, model: 'one' },
			{ ...failure, model: 'two' },
		]);
		expect(outcome.attempts[0]?.error).toBe('INVALID_SUMMARY: the answer is empty');
	});

	it('a chain aborts a model that does not answer in time, and asks the next', async () => {
		let isAborted = false;
		const hang: AskModel = (link, q, signal) => {
			if (link.model === 'two') return answers(link, q, signal);
			signal.addEventListener('abort', () => {
				isAborted = true;
			});
			return new Promise(() => {});
		};
		const { value, attempts, waits } = await asked(hang, {}, [{ ...first, timeoutMs: 10 }, second]);
		expect(value).toBe('by two');
		expect(isAborted).toBe(true);
		expect(waits).toEqual([]);
		expect(attempts[0]).toMatchObject({ error: 'no answer within 10 ms', failure: { retryable: true } });
	});

	it('a chain ends when its total time is up, even if models remain', async () => {
		let clock = 0;
		const slow: AskModel = async () => {
			clock += 40;
			throw new CallFailure('slow', { retryable: false });
		};
		const chain = { links: [first, second, { ...second, model: 'three' }], totalTimeoutMs: 60 };
		const { value, attempts } = await asked(slow, { now: () => clock, chain });
		expect(value).toBeUndefined();
		expect(attempts.map(({ model }) => model)).toEqual(['one', 'two']);
		expect(attempts[1]?.fallback).toBeUndefined();
	});

	it('a chain gives no model more time than remains in total', async () => {
		const chain = { links: [{ ...first, timeoutMs: 100_000 }], totalTimeoutMs: 15 };
		const { attempts } = await asked(() => new Promise(() => {}), { chain });
		expect(attempts[0]?.error).toBe('no answer within 15 ms');
	});

	it('a cancelled chain rejects immediately with the reason', async () => {
		const controller = new AbortController();
		const asking = asked(() => new Promise(() => {}), { signal: controller.signal });
		controller.abort(new Error('called off'));
		await expect(asking).rejects.toThrow('called off');
	});
});
