/** Commands answer soon while the daemon is stopped by a signal. */

import { expect, it } from 'vitest';
import { insideClaudeCode } from './inside.ts';
import { readAndCompacted } from './script.ts';

await insideClaudeCode((begin) => {
	it('the plugin answers every command within seconds while the daemon is stopped', {
		timeout: 240_000,
	}, async () => {
		const session = await begin();
		const claude = await session.start();
		await readAndCompacted(session, claude);
		// The channel answers in order, so no request of the turn is left: Claude Code would wait 30 s for that.
		await claude.say('/contextd');
		const daemons = session.daemons();
		expect(daemons.length).toBeGreaterThan(0);
		for (const daemon of daemons) process.kill(daemon, 'SIGSTOP');
		try {
			for (const command of ['/contextd', '/compact', '/contextd-undo', '/contextd-pin word']) {
				const { text, ms } = await claude.say(command);
				expect(text).toMatch(/did not answer|does not answer/);
				expect(ms).toBeLessThan(5000);
			}
		} finally {
			for (const daemon of daemons) process.kill(daemon, 'SIGCONT');
		}
		session.mock.script([{ text: 'Second.' }]);
		expect((await claude.say('Say Second.')).text).toBe('Second.');
		expect((await claude.say('/contextd')).text).toMatch(/last decision: [\d,]+ → [\d,]+ tokens/);
	});
});
