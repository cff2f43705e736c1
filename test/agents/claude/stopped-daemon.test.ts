/** Commands answer while processes of contextd are stopped by a signal. */

import { expect, it } from 'vitest';
import { insideClaudeCode } from './inside.ts';
import { readAndCompacted } from './script.ts';
import type { ClaudeProcess, ClaudeSession } from './session.ts';

const timeout = 240_000;
/** Maximum milliseconds that Claude Code waits for the plugin. A shorter limit would fail on a busy machine. */
const claudeWaitMs = 30_000;

/** Stops the matching process (SIGSTOP) after a compaction. Returns Claude Code, which has since sent another request. */
async function sayWithout(session: ClaudeSession, processes: RegExp): Promise<ClaudeProcess> {
	const claude = await session.start();
	await readAndCompacted(session, claude);
	const stopped = session.daemons(processes);
	expect(stopped).toHaveLength(1);
	for (const pid of stopped) process.kill(pid, 'SIGSTOP');
	session.mock.script([{ text: 'Meanwhile.' }]);
	expect((await claude.say('Say Meanwhile.')).text).toBe('Meanwhile.');
	return claude;
}

await insideClaudeCode((begin) => {
	it('the plugin answers every command while the daemon is stopped', { timeout }, async () => {
		const session = await begin();
		const claude = await sayWithout(session, /daemon serve/);
		for (const command of ['/contextd', '/compact', '/contextd-undo', '/contextd-pin word']) {
			const { text, ms } = await claude.say(command);
			expect(text).toContain('is suspended and does not answer');
			expect(ms).toBeLessThan(claudeWaitMs);
		}
		for (const pid of session.daemons()) process.kill(pid, 'SIGCONT');
		session.mock.script([{ text: 'Second.' }]);
		expect((await claude.say('Say Second.')).text).toBe('Second.');
		expect((await claude.say('/contextd')).text).toMatch(/last decision: [\d,]+ → [\d,]+ tokens/);
	});

	it('the plugin replaces its own process if that is stopped', { timeout }, async () => {
		const session = await begin();
		const claude = await sayWithout(session, /--http-socket/);
		const { text, ms } = await claude.say('/contextd');
		expect(text).toMatch(/last decision: [\d,]+ → [\d,]+ tokens/);
		expect(ms).toBeLessThan(claudeWaitMs);
	});
});
