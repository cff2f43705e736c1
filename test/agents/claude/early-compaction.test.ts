/** Compaction before it is necessary. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { insideClaudeCode } from './inside.ts';
import { readingCall, readingSteps } from './script.ts';
import type { ClaudeSession } from './session.ts';
import { mainOf, problemsOf, summariesOf } from './wire.ts';

const pauseMs = 7_200_000;

/** Starts the daemon of a session with a clock that is two hours behind, and waits until it listens. */
async function startBehind({ home }: ClaudeSession): Promise<ChildProcess> {
	const state = join(home, '.local/state/contextd');
	const clock = join(home, 'clock.cjs');
	await writeFile(clock, `const now = Date.now; Date.now = () => now() - ${pauseMs};`);
	const { argv } = JSON.parse(await readFile(join(state, 'agents/claude/plugin/daemon.json'), 'utf8'));
	const [node, ...program] = argv;
	const args = ['--require', clock, ...program, 'daemon', 'serve', '--storage', state];
	const daemon = spawn(node, args, { stdio: 'ignore' });
	await expect.poll(() => existsSync(join(state, 'daemon.sock')), { timeout: 60_000 }).toBe(true);
	return daemon;
}

async function setForPlugins({ home }: ClaudeSession, settings: object): Promise<void> {
	const file = join(home, '.local/state/contextd/agents/settings.json');
	const installed = JSON.parse(await readFile(file, 'utf8'));
	await writeFile(file, JSON.stringify({ ...installed, ...settings }));
}

await insideClaudeCode((begin) => {
	it.each([
		['compacts a long session after a pause, before the prompt is written again', {}, true],
		['only offers to compact after a pause if the policy is full', { compaction: { policy: 'full' } }, false],
		[
			'compacts after a pause if compactWhenCold is set, even if the policy is full',
			{ compaction: { policy: 'full' }, agents: { compactWhenCold: true } },
			true,
		],
	])('the plugin %s', { timeout: 180_000 }, async (_what, settings, isCompacted) => {
		const session = await begin({ hasCache: true });
		await setForPlugins(session, settings);
		const behind = await startBehind(session);
		const first = await session.start();
		session.mock.script(await readingSteps(session, 30, 15_500));
		await first.say('Please read the documents.');
		await first.end();
		behind.kill('SIGKILL');
		await once(behind, 'exit');
		session.mock.pause(pauseMs);
		const before = mainOf(session.mock.exchanges).at(-1)?.tokens ?? 0;
		expect(before).toBeGreaterThan(100_000);

		const second = await session.start();
		session.mock.script([{ text: 'The queue.' }]);
		const { text, exchanges } = await second.say('What were they about?');
		expect(text).toBe('The queue.');
		const [request] = mainOf(exchanges);
		expect(request && problemsOf(request)).toEqual([]);
		expect(summariesOf(exchanges)).toBe(0);
		if (isCompacted) expect(request?.tokens).toBeLessThan(0.8 * before);
		else expect(request?.tokens).toBeGreaterThanOrEqual(before);
		const offers = () => second.notices().filter((line) => line.includes('left the provider'));
		await expect.poll(offers, { timeout: 60_000 }).toHaveLength(isCompacted ? 0 : 1);
	});

	it('the plugin makes a compaction that is nearly due at the end of a turn if compactAtTurnEnd is set', {
		timeout: 120_000,
	}, async () => {
		const session = await begin();
		await setForPlugins(session, { agents: { compactAtTurnEnd: true } });
		const claude = await session.start();
		const more = { calls: [readingCall(await session.document('more.txt', 5000))] };
		const steps = (await readingSteps(session, 12, 12_000)).slice(0, -1);
		session.mock.script([...steps, { ...more, reports: 150_000 }, { text: 'Done.', reports: 151_000 }]);
		const turn = await claude.say('Please read the documents.');
		expect(turn.text).toBe('Done.');
		await expect
			.poll(() => claude.notices().join('\n'), { timeout: 60_000 })
			.toContain('Context reduced from');
		session.mock.script([{ text: 'Nothing.' }]);
		const [request] = mainOf((await claude.say('What is left?')).exchanges);
		expect(request && problemsOf(request)).toEqual([]);
		expect(request?.tokens).toBeLessThan(0.95 * Number(mainOf(turn.exchanges).at(-1)?.tokens));
		expect(summariesOf(session.mock.exchanges)).toBe(0);
	});
});
