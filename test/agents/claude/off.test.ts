/** `/contextd off` in the real Claude Code. */

import { expect, it } from 'vitest';
import { insideClaudeCode } from './inside.ts';
import { readingSteps } from './script.ts';
import type { ClaudeProcess, ClaudeSession } from './session.ts';
import { isContinuedBy, mainOf, summariesOf } from './wire.ts';

await insideClaudeCode((begin) => {
	async function requestOf(session: ClaudeSession, claude: ClaudeProcess) {
		session.mock.script([{ text: 'Nothing to do.' }]);
		const [request] = mainOf((await claude.say('Anything left?')).exchanges);
		if (request === undefined) throw new Error('no request');
		return request;
	}

	it('the plugin sends Claude Code’s own messages while it is off, also after a resume, and the view once it is on', {
		timeout: 120_000,
	}, async () => {
		const session = await begin();
		const claude = await session.start();
		session.mock.script(await readingSteps(session, 12, 12_000));
		await claude.say('Please read the documents.');
		const whole = mainOf(session.mock.exchanges).at(-1);
		expect((await claude.say('/compact')).text).toContain('Context reduced from');
		const compacted = await requestOf(session, claude);

		expect((await claude.say('/contextd off')).text).toContain('Turn it on: /contextd on');
		const off = await requestOf(session, claude);
		await claude.end();
		const resumed = await session.start();
		expect((await resumed.say('/contextd')).text).toContain('contextd is off in this session');
		const later = await requestOf(session, resumed);
		expect(whole && off.tokens > whole.tokens && later.tokens > off.tokens).toBe(true);

		expect((await resumed.say('/contextd on')).text).toContain('contextd is on in this session');
		expect(isContinuedBy(compacted, await requestOf(session, resumed))).toBe(true);
		expect((await resumed.say('/contextd off')).text).toContain('contextd is off');
		await resumed.say('/compact');
		expect(summariesOf(session.mock.exchanges)).toBe(1);
	});
});
