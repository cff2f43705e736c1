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

/** Starts the daemon of a session with a clock two hours late, and waits until it listens. */
async function startBehind({ home }: ClaudeSession): Promise<ChildProcess> {
	const state = join(home, '.local/state/contextd');
	const clock = join(home, 'clock.cjs');
	await writeFile(clock, 'const now = Date.now; Date.now = () => now() - 7_200_000;');
	const { argv } = JSON.parse(await readFile(join(state, 'agents/claude/plugin/daemon.json'), 'utf8'));
	const [node, ...program] = argv;
	const args = ['--require', clock, ...program, 'daemon', 'serve', '--storage', state];
	const daemon = spawn(node, args, { stdio: 'ignore' });
	await expect.poll(() => existsSync(join(state, 'daemon.sock'))).toBe(true);
	return daemon;
}

async function setForPlugins({ home }: ClaudeSession, agents: object): Promise<void> {
	const file = join(home, '.local/state/contextd/agents/settings.json');
	const installed = JSON.parse(await readFile(file, 'utf8'));
	await writeFile(file, JSON.stringify({ ...installed, agents }));
}

await insideClaudeCode((begin) => {
	it('the plugin offers to compact a long session that went cold, or compacts it first if so configured', {
		timeout: 180_000,
	}, async () => {
		const session = await begin();
		const behind = await startBehind(session);
		const first = await session.start();
		session.mock.script(await readingSteps(session, 30, 15_500));
		await first.say('Please read the documents.');
		await first.end();
		behind.kill('SIGKILL');
		await once(behind, 'exit');
		const before = mainOf(session.mock.exchanges).at(-1)?.tokens ?? 0;

		const offered = await session.start();
		await expect
			.poll(() => offered.notices().join('\n'), { timeout: 60_000 })
			.toMatch(/^1\d\dk tokens of this session have left the provider's cache: \/compact before/);
		await offered.end();

		await setForPlugins(session, { compactWhenCold: true });
		const set = await session.start();
		session.mock.script([{ text: 'The queue.' }]);
		const { text, exchanges } = await set.say('What were they about?');
		expect(text).toBe('The queue.');
		expect(summariesOf(exchanges)).toBe(0);
		const [request] = mainOf(exchanges);
		expect(request && problemsOf(request)).toEqual([]);
		expect(request?.tokens).toBeLessThan(0.8 * before);
		expect(set.notices().filter((line) => line.includes('left the provider'))).toEqual([]);
	});

	it('the plugin makes a compaction that is near at the end of a turn if so configured', {
		timeout: 120_000,
	}, async () => {
		const session = await begin();
		await setForPlugins(session, { compactAtTurnEnd: true });
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
