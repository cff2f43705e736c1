import { appendFileSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ErasedRecords } from '../../server/node/forget/forget.ts';
import type { RecallResult } from '../../server/protocol/history.ts';
import type { RecordedSession, RecorderStatus } from '../../server/protocol/recorder.ts';
import { eventually } from '../support/eventually.ts';
import { claudeFile, claudeLine, openCodeRows, RecordedHome } from '../support/recordedHome.ts';
import { databaseOf } from '../support/sqlite.ts';

let here: RecordedHome;
beforeEach(() => {
	here = new RecordedHome();
});
afterEach(() => here.close());

describe('RecorderService', () => {
	it('keeps no byte of a forgotten text, although the transcript still has it and grows', async () => {
		const secret = 'zq4711xv';
		const file = here.write(claudeFile, claudeLine('s1', 1, `The key is ${secret}`));
		await here.start();
		await here.hasEntries('s1', 1);
		await here.recorder.ask('forget', { containing: secret });
		await here.hasEntries('s1', 0);
		appendFileSync(file, claudeLine('s1', 2, 'The key is changed'));
		await here.hasEntries('s1', 1);
		expect((await here.sessions())[0]).not.toHaveProperty('title');
		// A new process reads the start of the transcript again.
		await here.recorder.stop();
		appendFileSync(file, claudeLine('s1', 3));
		here.restart();
		await here.hasEntries('s1', 2);
		await here.recorder.stop();
		const line = Buffer.from(claudeLine('s1', 1, `The key is ${secret}`));
		const forms = [secret, line.toString('base64').slice(0, 40)];
		for (const name of ['archive.sqlite', 'index.sqlite'])
			for (const form of forms) expect(readFileSync(join(here.folder, name)).includes(form)).toBe(false);
	});

	it('records nothing of excluded folders, of what was forgotten, or while it is off', async () => {
		here.write(claudeFile, claudeLine('s1', 1));
		here.write('.claude/projects/-home-me-b/s2.jsonl', claudeLine('s2', 1, 'Secret', '/home/me/b/deep'));
		await here.start({ excludedFolders: ['/home/me/b'] });
		await here.hasEntries('s1', 1);
		await here.recorder.service.whenCaughtUp();
		expect(await here.sessions()).toHaveLength(1);
		await here.recorder.ask('forget', { recordingId: 's1' });
		appendFileSync(join(here.home, claudeFile), claudeLine('s1', 2));
		here.write('.claude/projects/-home-me-a/s3.jsonl', claudeLine('s3', 1));
		await here.hasEntries('s3', 1);
		expect(await here.sessions()).toHaveLength(1);
		await here.recorder.ask('set', { recording: false });
		appendFileSync(join(here.home, '.claude/projects/-home-me-a/s3.jsonl'), claudeLine('s3', 2));
		await here.start();
		await here.hasEntries('s3', 2);
	});

	it('erases a text also from transcripts that are not recorded when it is asked to', async () => {
		const secret = 'zq4711xv';
		here.write(claudeFile, claudeLine('s1', 1));
		await here.start();
		await here.hasEntries('s1', 1);
		const paths = Array.from({ length: 60 }, (_, no) => `.claude/projects/-home-me-a/new${no}.jsonl`);
		for (const [no, path] of paths.entries()) here.write(path, claudeLine(`new${no}`, 1, secret));
		appendFileSync(join(here.home, claudeFile), claudeLine('s1', 2, secret));
		here.write('.local/share/opencode/opencode.db', await databaseOf(openCodeRows));
		expect(await here.recorder.ask<ErasedRecords>('forget', { containing: secret })).toMatchObject({
			entries: 61,
		});
		expect(
			(await here.recorder.ask<ErasedRecords>('forget', { containing: 'hello' })).sessions,
		).toMatchObject([{ agent: 'opencode' }]);
		await here.recorder.stop();
		here.restart();
		await here.recorder.service.whenCaughtUp();
		await here.recorder.stop();
		for (const name of ['archive.sqlite', 'index.sqlite'])
			expect(readFileSync(join(here.folder, name)).includes(secret)).toBe(false);
	});

	it('erases a session that is not recorded yet, with all sub-agents of Codex that start later', async () => {
		const rollout = (id: string, source: unknown) =>
			[
				{ type: 'session_meta', payload: { id, cwd: '/home/me/a', source } },
				{ type: 'event_msg', payload: { type: 'user_message', message: `Hello ${id}` } },
			]
				.map((record) => `${JSON.stringify({ timestamp: '2026-01-05T09:00:00.000Z', ...record })}\n`)
				.join('');
		const place = (id: string, source: unknown) =>
			here.write(`.codex/sessions/2026/01/05/rollout-2026-01-05T09-00-00-${id}.jsonl`, rollout(id, source));
		const spawnedBy = (parent: string) => ({
			subagent: { thread_spawn: { parent_thread_id: parent, depth: 1 } },
		});
		await here.start();
		await here.recorder.service.whenCaughtUp();
		place('c1', 'cli');
		place('c2', spawnedBy('c1'));
		place('c3', spawnedBy('c2'));
		place('c4', { subagent: 'review' });
		const erased = await here.recorder.ask<ErasedRecords>('forget', { recordingId: 'c1' });
		expect(erased.sessions.map(({ sessionId }) => sessionId)).toEqual(['c1', 'c2', 'c3']);
		place('c5', spawnedBy('c1'));
		// Makes the recorder search for new transcripts; it must not record c5, whose parent was erased.
		await here.recorder.ask('forget', { containing: 'is nowhere', dryRun: true });
		place('c7', spawnedBy('c5'));
		place('c6', 'cli');
		await here.hasEntries('c6', 2);
		await here.recorder.service.whenCaughtUp();
		expect((await here.sessions()).map(({ sessionId }) => sessionId).sort()).toEqual(['c4', 'c6']);
		expect(await here.recorder.ask('status', {})).toMatchObject({ recordings: 2 });
	});

	it('records whole outputs and sub-agents of workflows with their session, but not without it', async () => {
		const project = '.claude/projects/-home-me-a';
		here.write(`${project}/s9/tool-results/toolu_9.txt`, 'Output of a session that is not recorded.');
		here.write(`${project}/s9.jsonl`, claudeLine('s9', 1, 'Look.', '/private'));
		here.write(claudeFile, claudeLine('s1', 1));
		const output = here.write(`${project}/s1/tool-results/toolu_1.txt`, 'Count the bollards\nof the "quay".');
		here.write(
			`${project}/s1/subagents/workflows/wf1/agent-a1.jsonl`,
			claudeLine('s1', 7, 'Count the ropes.'),
		);
		const gemini = `.gemini/tmp/${'a'.repeat(64)}`;
		here.write(
			`${gemini}/chats/session-1.jsonl`,
			`${JSON.stringify({ sessionId: 'g1', projectHash: 'a' })}\n`,
		);
		here.write(`${gemini}/tool-outputs/session-g1/run_shell_command_1.txt`, 'Count the anchors.');
		await here.start({ excludedFolders: ['/private'] });
		const find = async (query: string) =>
			(await here.recorder.ask<RecallResult>('recall', { query })).matches;
		for (const word of ['bollards', 'ropes', 'anchors'])
			await eventually(async () => expect(await find(word)).toHaveLength(1));
		expect(await find('output of a session')).toEqual([]);
		const parts = await here.recorder.ask<RecordedSession[]>('sessions', { parent: 's1' });
		expect(parts.map(({ title, folder: place }) => ({ title, folder: place }))).toContainEqual({
			title: 'Output toolu_1.txt',
			folder: '/home/me/a',
		});
		unlinkSync(output);
		await here.recorder.ask('forget', { recordingId: 's1' });
		expect(await find('bollards ropes')).toEqual([]);
		expect(await find('anchors')).toHaveLength(1);
	});

	it('records sub-agents, listed and erased with their session', async () => {
		const line = (sessionId: string, content: string, isSidechain: boolean) =>
			`${JSON.stringify({ type: 'user', uuid: content, sessionId, cwd: '/w', isSidechain, agentId: 'a1', message: { role: 'user', content } })}\n`;
		const project = join(here.home, '.claude', 'projects', '-w');
		const nested = join(project, 's1', 'subagents');
		mkdirSync(nested, { recursive: true });
		writeFileSync(join(project, 's1.jsonl'), line('s1', 'Plan the quay.', false));
		writeFileSync(join(project, 's2.jsonl'), line('s2', 'Plan the pier.', false));
		await here.start();
		await eventually(async () => expect(await here.sessions()).toHaveLength(2));
		writeFileSync(join(nested, 'agent-a1.jsonl'), line('s1', 'Count the bollards.', true));
		writeFileSync(join(project, 'agent-b2.jsonl'), line('s1', 'Count the ropes.', true));
		const chats = join(here.home, '.gemini', 'tmp', 'abc', 'chats');
		mkdirSync(join(chats, 'g1'), { recursive: true });
		for (const [file, sessionId] of [
			['one.jsonl', 'g1'],
			[join('g1', 'two.jsonl'), 'g2'],
		] as const) {
			const head = { sessionId, projectHash: 'abc', startTime: '2026-01-01T00:00:00.000Z' };
			writeFileSync(join(chats, file), `${JSON.stringify(head)}\n`);
		}
		const subAgents = (parent: string) => here.recorder.ask<RecordedSession[]>('sessions', { parent });
		await eventually(async () => {
			expect(await subAgents('s1')).toHaveLength(2);
			expect(await here.sessions()).toHaveLength(3);
		});
		await eventually(async () => expect(await subAgents('g1')).toHaveLength(1));
		expect(await subAgents('s2')).toEqual([]);
		await eventually(async () => {
			const { matches } = await here.recorder.ask<RecallResult>('recall', { query: 'bollards ropes' });
			expect(matches).toHaveLength(2);
		});
		const erased = await here.recorder.ask<ErasedRecords>('forget', { recordingId: 's1' });
		expect(erased).toMatchObject({ entries: 3, sessions: [{ sessionId: 's1' }, {}, {}] });
		const { recordings } = await here.recorder.ask<RecorderStatus>('status', {});
		expect([recordings, (await here.sessions()).map(({ sessionId }) => sessionId).sort()]).toEqual([
			3,
			['g1', 's2'],
		]);
	});
});
