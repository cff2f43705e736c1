/** Conversations that do not fit: refusals of the provider, and sessions larger than the window. */

import { expect, it } from 'vitest';
import { insideClaudeCode } from './inside.ts';
import { readingSteps } from './script.ts';
import { mainOf, problemsOf, summariesOf } from './wire.ts';

await insideClaudeCode((begin) => {
	it('the plugin sends a shorter prompt after a refused one: no turn is lost, and no model writes a summary', {
		timeout: 120_000,
	}, async () => {
		const session = await begin({ window: 60_000 });
		const claude = await session.start();
		session.mock.script(await readingSteps(session, 16, 12_000));
		const { text, exchanges } = await claude.say('Please read the documents.');
		expect(text).toBe('All documents were read.');
		expect(session.mock.refused.length).toBeGreaterThan(0);
		// The refused request and its repetition, then both once more with the full history, to prove that it is too long.
		expect(session.mock.refused.length).toBeLessThanOrEqual(4);
		expect(mainOf(exchanges)).toHaveLength(9);
		expect(mainOf(exchanges).flatMap(problemsOf)).toEqual([]);
		expect(summariesOf(exchanges)).toBe(0);
	});

	it('the plugin runs forty turns of 300,000 tokens in a window of 200,000, and Claude Code resumes without it', {
		timeout: 300_000,
	}, async () => {
		const session = await begin({ window: 200_000 });
		const claude = await session.start();
		for (let turn = 0; turn < 40; turn++) {
			session.mock.script(await readingSteps(session, 2, 14_000, 1 + 2 * turn));
			const { text } = await claude.say(`Please read two more documents, no. ${turn + 1}.`);
			expect(text).toBe('All documents were read.');
		}
		const requests = mainOf(session.mock.exchanges);
		const whole = requests.reduce((sum, { tokens }, index) => {
			const before = requests[index - 1]?.tokens ?? 0;
			return sum + Math.max(0, tokens - before);
		}, 0);
		// If a compaction shortened a request, the growth of that request is not visible.
		expect(whole).toBeGreaterThan(270_000);
		expect(summariesOf(session.mock.exchanges)).toBe(0);
		expect(session.mock.refused).toEqual([]);
		expect(requests.flatMap(problemsOf)).toEqual([]);

		await claude.end();
		session.contextd('uninstall', 'claude');
		const plain = await session.start();
		session.mock.script([{ text: 'Still here.' }]);
		expect((await plain.say('What did you read?')).text).toBe('Still here.');
		expect(session.mock.refused.length).toBeGreaterThan(0);
	});

	it('the plugin continues a session of 300,000 tokens that it has not seen, in a window of 200,000', {
		timeout: 300_000,
	}, async () => {
		const session = await begin({ isPlain: true });
		const plain = await session.start({ args: ['--model', 'claude-sonnet-4-5[1m]'] });
		session.mock.script(await readingSteps(session, 74, 16_000));
		await plain.say('Please read the documents.');
		await plain.end();
		expect(mainOf(session.mock.exchanges).at(-1)?.tokens).toBeGreaterThan(300_000);

		session.contextd('install', 'claude');
		session.mock.allow(200_000);
		const claude = await session.start();
		session.mock.script([{ text: 'The queue.' }]);
		const { text, exchanges } = await claude.say('What were the documents about?');
		expect(text).toBe('The queue.');
		expect(summariesOf(exchanges)).toBe(0);
		const [request] = mainOf(exchanges);
		expect(request && problemsOf(request)).toEqual([]);
	});
});
