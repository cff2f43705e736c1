/** Subagents: each has its own conversation, and a search stays within the session. */

import { expect, it } from 'vitest';
import { insideClaudeCode } from './inside.ts';
import { journalled, journalOf } from './journal.ts';
import { readingCall, readingSteps } from './script.ts';
import { blocksLike, mainOf, problemsOf, resultText } from './wire.ts';

const recall = (query: string) => ({ calls: [{ name: 'mcp__contextd__contextd_recall', args: { query } }] });

await insideClaudeCode((begin) => {
	it('subagents have sessions of their own, which only the main conversation can search', {
		timeout: 120_000,
	}, async () => {
		const session = await begin();
		const other = await session.start();
		session.mock.script([{ text: 'The word of the other session is marzipan.' }]);
		await other.say('Say the word of the other session.');
		await other.end();

		session.startNewSession();
		const claude = await session.start();
		const path = await session.document('harbour.txt', 3000);
		const order = {
			description: 'Read a document',
			prompt: 'Read harbour.txt, and look for the lighthouse.',
			subagent_type: 'general-purpose',
			run_in_background: false,
		};
		session.mock.script([
			{ calls: [{ name: 'Task', args: order }] },
			{ thinking: 'Where is it?', calls: [readingCall(path)] },
			{ text: 'The lighthouse stands beyond the queue.' },
			recall('queue of harbour.txt'),
			recall('marzipan'),
			{ text: 'It was found.' },
		]);
		const { text, exchanges } = await claude.say('Have somebody look for it.');
		expect(text).toBe('It was found.');
		expect(mainOf(exchanges).flatMap(problemsOf)).toEqual([]);
		const last = mainOf(exchanges).at(-1);
		const [, harbour = '', word = ''] = last ? blocksLike(last, 'tool_result').map(resultText) : [];
		expect(harbour).toContain('The queue of harbour.txt holds');
		expect(word).toContain('Nothing in this session contains "marzipan".');
		await claude.end();

		const resumed = await session.start();
		session.mock.script([recall('queue of harbour.txt'), recall('marzipan'), { text: 'Still there.' }]);
		const later = mainOf((await resumed.say('Look it up once more.')).exchanges).at(-1);
		const texts = later ? blocksLike(later, 'tool_result').map(resultText) : [];
		expect(texts.at(-2)).toContain('The queue of harbour.txt holds');
		expect(texts.at(-1)).toContain('Nothing in this session contains "marzipan".');
		await resumed.end();

		const own = `claude:${session.sessionId}`;
		const ids = await journalled(session);
		const [subagent = '', ...more] = ids.filter((id) => id.startsWith(`${own}/`));
		expect(more).toEqual([]);
		expect(ids).toContain(own);
		expect((await journalOf(session, subagent)).stats?.messageCount).toBe(3);
		expect((await journalOf(session)).stats?.messageCount).toBeGreaterThan(5);
	});

	it('subagents are compacted on their own, and the main conversation stays as it is', {
		timeout: 120_000,
	}, async () => {
		const session = await begin({ window: 200_000 });
		const claude = await session.start();
		const order = {
			description: 'Read',
			prompt: 'Read all.',
			subagent_type: 'general-purpose',
			run_in_background: false,
		};
		const steps = (await readingSteps(session, 40, 32_000)).slice(0, -1);
		session.mock.script([
			{ calls: [{ name: 'Task', args: order }] },
			...steps,
			{ text: 'All of it was read.' },
			{ text: 'Done.' },
		]);
		expect((await claude.say('Have somebody read all.')).text).toBe('Done.');
		const requests = mainOf(session.mock.exchanges);
		expect(requests.flatMap(problemsOf)).toEqual([]);
		expect(session.mock.refused).toEqual([]);
		expect(session.mock.exchanges.every(({ request }) => request.kind !== 'compaction')).toBe(true);
		await claude.end();
		const ids = await journalled(session);
		const subagent = ids.find((id) => id.startsWith(`claude:${session.sessionId}/`)) ?? '';
		expect((await journalOf(session, subagent)).compactions.length).toBeGreaterThan(0);
		expect((await journalOf(session)).compactions).toEqual([]);
	});
});
