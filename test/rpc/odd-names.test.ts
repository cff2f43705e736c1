import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { contextCompact } from '../../server/protocol/compact.ts';
import { sessionList, sessionOpen } from '../../server/protocol/session.ts';
import { contextStats } from '../../server/protocol/stats.ts';
import { contextDiscover, contextImport } from '../../server/protocol/transcript.ts';
import { freshFolder, startingApps } from '../support/app.ts';
import { assistantSays, userSays } from '../support/messages.ts';
import { machineSlowness, processorClock } from '../support/processorClock.ts';
import { begin, conversation } from '../support/talk.ts';

const { start } = startingApps();

/** Half a character, which remains when a text is split in UTF-16. */
const half = '\ud800';

const calls = [
	{ id: '1', name: 'Read', args: { file_path: `/w/${half}.ts` } },
	{ id: '2', name: 'Bash', args: { command: `cat /w/${half}.ts` } },
	{ id: '3', name: 'Edit', args: { file_path: `/w/a${half}`, old_string: half, new_string: 'b' } },
];
const withHalves = [
	userSays(`read ${half}`),
	assistantSays('', { toolCalls: calls }),
	...calls.map(({ id }) => ({ role: 'tool', toolCallId: id, content: half })),
];

describe('half a character in a file name', () => {
	it('half a character in a file name is accepted and survives a restart', async () => {
		const home = freshFolder();
		const app = await start({ home });
		expect(await begin(app, 's', withHalves)).toHaveLength(5);
		await app.stop();
		const again = await start({ home });
		expect(await again.ask(sessionOpen, { sessionId: 's' })).toMatchObject({ messageCount: 5 });
		expect(await again.ask(contextStats, { sessionId: 's' })).toMatchObject({ messageCount: 5 });
		expect(await again.ask(contextCompact, { sessionId: 's', targetTokens: 1 })).toBeTruthy();
		expect(again.errors()).not.toContain('error');
	});

	it('half a character in a file name does not prevent an import', async () => {
		const path = join(freshFolder(), 'session.jsonl');
		const record = (type: string, uuid: string, content: unknown) =>
			JSON.stringify({ type, uuid, sessionId: 's', cwd: '/w', message: { role: type, content } });
		await writeFile(
			path,
			[
				record('user', 'a', 'Hi'),
				record('assistant', 'b', [{ type: 'tool_use', id: '1', name: 'Read', input: calls[0]?.args }]),
				record('user', 'c', [{ type: 'tool_result', tool_use_id: '1', content: half }]),
				'',
			].join('\n'),
		);
		const app = await start();
		expect(await app.ask(contextImport, { path, follow: true })).toMatchObject({ messageCount: 3 });
	});
});

describe('names that are slow to process', () => {
	const spaces = `a${' '.repeat(200_000)}b`;

	async function withinSeconds(seconds: number, work: () => Promise<unknown>): Promise<void> {
		const spent = processorClock();
		await work();
		expect(spent()).toBeLessThan(seconds * 1000 * machineSlowness());
	}

	it('white space of 200 KB in a path, a tool, a command or a task is processed in seconds', async () => {
		const app = await start();
		const args = { file_path: `/w/${spaces}`, command: `cat "${spaces}"`, todos: [{ content: spaces }] };
		const odd = ['Read', 'Bash', 'TodoWrite', spaces].map((name, index) => ({ id: `${index}`, name, args }));
		const results = odd.map(({ id }) => ({ role: 'tool', toolCallId: id, content: spaces, isError: true }));
		await begin(app, 's', [
			userSays('go'),
			assistantSays('', { toolCalls: odd }),
			...results,
			...conversation(20),
		]);
		await withinSeconds(8, () => app.ask(contextCompact, { sessionId: 's', targetTokens: 300 }));
	});

	it('instructions of 20,000 words are processed in seconds', async () => {
		const app = await start();
		await begin(app, 's', conversation(200, 400));
		const instructions = Array.from({ length: 20_000 }, (_, index) => `word${index}`).join(' ');
		await withinSeconds(8, () =>
			app.ask(contextCompact, { sessionId: 's', targetTokens: 3000, instructions }),
		);
	});

	it('a workspace of 500,000 slashes is processed in seconds', async () => {
		const app = await start();
		const workspace = `${'/'.repeat(500_000)}x`;
		await begin(app, 's', [userSays('hi')], { workspace });
		await withinSeconds(4, () => app.ask(sessionList, { workspace }));
		await withinSeconds(4, () => app.ask(contextDiscover, { workspace }));
	});

	it('a workspace that no system accepts has no sessions and no transcripts', async () => {
		const app = await start();
		for (const workspace of ['file:///%00', '/w\0', '/\ud800', `/${'long'.repeat(3000)}`]) {
			expect(await app.ask(contextDiscover, { workspace })).toMatchObject({ transcripts: expect.any(Array) });
			expect(await app.ask(sessionList, { workspace })).toEqual({ sessions: [] });
		}
	});

	it('a file of 100,000 path segments is refused in seconds', async () => {
		const app = await start({ initialize: { rootUri: 'file:///w' } });
		await begin(app, 's', [userSays('hi')]);
		const uri = `file:///w/${'a/'.repeat(100_000)}b`;
		await withinSeconds(4, () => app.refusal('context/readFile', { sessionId: 's', uri }));
		await withinSeconds(4, () => app.refusal('context/truncateToolOutput', { uri }));
		const read = { id: '1', name: 'Read', args: { file_path: uri.slice('file://'.length) } };
		await withinSeconds(4, () => begin(app, 't', [assistantSays('', { toolCalls: [read] })]));
		expect((await app.refusal('context/readFile', { sessionId: 's', uri })).message).toContain('too long');
	});
});
