/** Room that is made, or offered, before it is needed. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { insideClaudeCode } from './inside.ts';
import { readingCall, readingSteps } from './script.ts';
import type { ClaudeSession } from './session.ts';
import { mainOf, problemsOf, summariesOf } from './wire.ts';

/** Has daemons run two hours behind the time from now on, or no longer. */
async function runBehind({ home }: ClaudeSession, isBehind: boolean): Promise<void> {
	const start = join(home, '.local/state/contextd/agents/claude/plugin/daemon.json');
	const clock = join(home, 'clock.cjs');
	await writeFile(clock, 'const now = Date.now; Date.now = () => now() - 7_200_000;');
	const { argv, ...others } = JSON.parse(await readFile(start, 'utf8'));
	const [node, ...rest] = argv.filter((one: string) => one !== '--require' && one !== clock);
	const behind = isBehind ? ['--require', clock] : [];
	await writeFile(start, JSON.stringify({ argv: [node, ...behind, ...rest], ...others }));
}

async function setForPlugins({ home }: ClaudeSession, agents: object): Promise<void> {
	const folder = join(home, '.local/state/contextd/agents');
	await mkdir(folder, { recursive: true });
	await writeFile(join(folder, 'settings.json'), JSON.stringify({ agents }), { mode: 0o600 });
}

await insideClaudeCode((begin) => {
	it('a long session that went cold is offered to be compacted, or is compacted first where that is set', {
		timeout: 180_000,
	}, async () => {
		const session = await begin();
		await runBehind(session, true);
		const first = await session.start();
		session.mock.script(await readingSteps(session, 30, 15_500));
		await first.say('Please read the documents.');
		await first.end();
		await runBehind(session, false);
		const before = mainOf(session.mock.exchanges).at(-1)?.tokens ?? 0;

		const offered = await session.start();
		await expect
			.poll(() => offered.notices().join('\n'), { timeout: 20_000 })
			.toMatch(/^1\d\dk tokens of this session left the provider's cache: \/compact makes room/);
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

	it('the end of a turn is where a compaction that is near is made, where that is set', {
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
			.poll(() => claude.notices().join('\n'), { timeout: 20_000 })
			.toContain('Context reduced from');
		session.mock.script([{ text: 'Nothing.' }]);
		const [request] = mainOf((await claude.say('What is left?')).exchanges);
		expect(request && problemsOf(request)).toEqual([]);
		expect(request?.tokens).toBeLessThan(0.95 * Number(mainOf(turn.exchanges).at(-1)?.tokens));
		expect(summariesOf(session.mock.exchanges)).toBe(0);
	});
});
