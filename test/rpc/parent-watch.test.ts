import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { isProcessAlive, watchParent } from '../../server/rpc/lifecycle/parentWatch.ts';
import { converse } from './conversation.ts';

beforeEach(() => {
	vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => {
	vi.useRealTimers();
});

function watch(answers: boolean[], processId = 4242) {
	const seen = { gone: 0, checks: 0 };
	watchParent({
		processId,
		onGone: () => seen.gone++,
		isAlive() {
			seen.checks++;
			return answers.shift() ?? false;
		},
	});
	return seen;
}

it('a watched process is polled every three seconds, and its end reported once', () => {
	const seen = watch([true, true, false]);
	vi.advanceTimersByTime(2999);
	expect(seen).toEqual({ gone: 0, checks: 1 });
	vi.advanceTimersByTime(1);
	expect(seen).toEqual({ gone: 0, checks: 2 });
	vi.advanceTimersByTime(3000);
	expect(seen).toEqual({ gone: 1, checks: 3 });
	expect(vi.getTimerCount()).toBe(0);
});

it('a process that had already ended is not watched', () => {
	expect(watch([false])).toEqual({ gone: 0, checks: 1 });
	expect(vi.getTimerCount()).toBe(0);
});

it.each([0, -1, 1.5, Number.NaN])('the process id %d is not watched', (processId) => {
	expect(watch([true], processId)).toEqual({ gone: 0, checks: 0 });
	expect(vi.getTimerCount()).toBe(0);
});

it('a process counts as ended only if it does not exist', () => {
	expect(isProcessAlive(process.pid)).toBe(true);
	expect(isProcessAlive(1)).toBe(true);
	expect(isProcessAlive(spawnSync(process.execPath, ['--version']).pid)).toBe(false);
});

it('the process of the client, or the one named at the start, is watched', async () => {
	for (const [params, clientProcessId, expected] of [
		[{ processId: 11 }, undefined, 11],
		[{ processId: null }, 12, 12],
		[{}, 12, 12],
		[{ processId: 11 }, 12, 11],
	] as const) {
		const asked: number[] = [];
		const isAlive = (processId: number) => asked.push(processId) > 0;
		const talk = converse({ clientProcessId, isAlive });
		await talk.ask('initialize', params);
		await talk.finish();
		expect(asked.at(-1)).toBe(expected);
	}
});
