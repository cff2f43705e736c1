import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { isProcessAlive, watchParent } from '../../server/rpc/lifecycle/parentWatch.ts';
import { converse } from './conversation.ts';

function watched(answers: boolean[], processId = 4242) {
	const seen = { gone: 0, ticks: [] as (() => void)[], period: 0, stopped: 0, checks: 0 };
	const stop = watchParent({
		processId,
		onGone: () => seen.gone++,
		isAlive() {
			seen.checks++;
			return answers.shift() ?? false;
		},
		setRepeating(callback, ms) {
			seen.period = ms;
			seen.ticks.push(callback);
			return () => seen.stopped++;
		},
	});
	return { seen, stop };
}

it('a watched process is polled every three seconds, and its end reported once', () => {
	const { seen } = watched([true, true, false]);
	expect(seen.period).toBe(3000);
	seen.ticks[0]!();
	expect(seen.gone).toBe(0);
	seen.ticks[0]!();
	expect(seen).toMatchObject({ gone: 1, stopped: 1 });
});

it('a process that had already ended is not watched', () => {
	expect(watched([false]).seen).toMatchObject({ ticks: [], gone: 0, checks: 1 });
});

it.each([0, -1, 1.5, Number.NaN])('the process id %d is not watched', (processId) => {
	expect(watched([true], processId).seen).toMatchObject({ ticks: [], checks: 0 });
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
