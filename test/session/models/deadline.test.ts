import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { runWithDeadline } from '../../../server/session/models/askChain.ts';

const never = (): Promise<never> => new Promise(() => undefined);
const calm = new AbortController().signal;

describe('withDeadline', () => {
	it('withDeadline returns the result, and does not abort the signal afterwards', async () => {
		let seen: AbortSignal | undefined;
		const done = await runWithDeadline(10_000, calm, async (signal) => {
			seen = signal;
			return 'done';
		});
		expect([done, seen?.aborted]).toEqual(['done', false]);
	});

	it('withDeadline rejects with the error of the task', async () => {
		await expect(runWithDeadline(10_000, calm, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
	});

	it('withDeadline cancels a late task even if the task ignores the signal', async () => {
		let seen: AbortSignal | undefined;
		const late = runWithDeadline(20, calm, (signal) => {
			seen = signal;
			return never();
		});
		await expect(late).rejects.toThrow('no answer within 20 ms');
		expect(seen?.aborted).toBe(true);
	});

	it('withDeadline cancels the task when its caller aborts, with the caller’s reason', async () => {
		const caller = new AbortController();
		const asked = runWithDeadline(10_000, caller.signal, never);
		caller.abort(new Error('the caller left'));
		await expect(asked).rejects.toThrow('the caller left');
		await expect(runWithDeadline(10_000, caller.signal, never)).rejects.toThrow('the caller left');
	});

	it('withDeadline ends in time even if garbage is collected while it waits', async () => {
		setFlagsFromString('--expose-gc');
		const collect = runInNewContext('gc') as () => void;
		const late = runWithDeadline(60, calm, never);
		const collecting = setInterval(collect, 5);
		await expect(late).rejects.toThrow('no answer within 60 ms');
		clearInterval(collecting);
	});
});
