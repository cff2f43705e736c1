import {
	appendFileSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	truncateSync,
	unlinkSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DocumentJoiner } from '../../server/core/transcript/splitDocument.ts';
import type { ErasedRecords } from '../../server/node/forget/forget.ts';
import type { RecallResult } from '../../server/protocol/history.ts';
import type { RecordedSession, RecorderStatus } from '../../server/protocol/recorder.ts';
import { Archive } from '../../server/recorder/archive/archive.ts';
import { TranscriptFinder } from '../../server/recorder/follow/finder.ts';
import { eventually } from '../support/eventually.ts';
import { recorderHere } from '../support/recorder.ts';
import { removeFolder } from '../support/removeFolder.ts';
import { databaseOf } from '../support/sqlite.ts';

let root: string;
let home: string;
let folder: string;
let recorder: ReturnType<typeof recorderHere>;
beforeEach(() => {
	root = mkdtempSync(join(tmpdir(), 'contextd-following-'));
	[home, folder] = [join(root, 'home'), join(root, 'state', 'recorder')];
	recorder = recorderHere(folder, home);
});
afterEach(async () => {
	await recorder.stop();
	await removeFolder(root);
});

function start(settings: object = {}): Promise<RecorderStatus> {
	return recorder.ask('set', { recording: true, ...settings });
}

function sessions(): Promise<RecordedSession[]> {
	return recorder.ask('sessions', {});
}

/** The recorded texts of the only recording that has the title or session. */
async function recorded(sessionId: string): Promise<string[]> {
	await recorder.stop();
	const archive = new Archive(join(folder, 'archive.sqlite'));
	try {
		const recording = archive.findRecording(sessionId);
		return recording ? Array.from(archive.entries(recording.recordingId), ({ text }) => text) : [];
	} finally {
		archive.close();
		recorder = recorderHere(folder, home);
	}
}

/** Waits until a session has this number of records. */
function hasEntries(sessionId: string, count: number): Promise<void> {
	return eventually(async () => {
		const found = (await sessions()).find((one) => one.sessionId === sessionId);
		expect(found?.entries).toBe(count);
	});
}

function write(path: string, content: string | Buffer): string {
	const full = join(home, path);
	mkdirSync(dirname(full), { recursive: true });
	writeFileSync(full, content);
	return full;
}

function claudeLine(session: string, no: number, text = 'Look at it.', cwd = '/home/me/a'): string {
	const message = { role: 'user', content: `${text} ${no}` };
	const base = { sessionId: session, cwd, timestamp: '2026-01-01T00:00:00.000Z', type: 'user' };
	return `${JSON.stringify({ ...base, uuid: `${session}-${no}`, message })}\n`;
}

const claudeFile = '.claude/projects/-home-me-a/s1.jsonl';
const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');

describe('Follower', () => {
	it('keeps no byte of a forgotten text, although the transcript still has it and grows', async () => {
		const secret = 'zq4711xv';
		const file = write(claudeFile, claudeLine('s1', 1, `The key is ${secret}`));
		await start();
		await hasEntries('s1', 1);
		await recorder.ask('forget', { containing: secret });
		await hasEntries('s1', 0);
		appendFileSync(file, claudeLine('s1', 2, 'The key is changed'));
		await hasEntries('s1', 1);
		expect((await sessions())[0]).not.toHaveProperty('title');
		// A new process reads the beginning of the transcript again.
		await recorder.stop();
		appendFileSync(file, claudeLine('s1', 3));
		recorder = recorderHere(folder, home);
		await hasEntries('s1', 2);
		await recorder.stop();
		const line = Buffer.from(claudeLine('s1', 1, `The key is ${secret}`));
		const forms = [secret, line.toString('base64').slice(0, 40)];
		for (const name of ['archive.sqlite', 'index.sqlite'])
			for (const form of forms) expect(readFileSync(join(folder, name)).includes(form)).toBe(false);
	});

	it('loses nothing and records nothing twice while the times of a file jump by years', async () => {
		const file = write(claudeFile, claudeLine('s1', 0));
		await start();
		await hasEntries('s1', 1);
		for (const [index, year] of [2036, 1971, 2027, 2036].entries()) {
			appendFileSync(file, claudeLine('s1', index + 1));
			utimesSync(file, new Date(year, 0), new Date(year, 0));
			await hasEntries('s1', index + 2);
			utimesSync(file, new Date(year, 1), new Date(year, 1));
		}
		await recorder.service.whenCaughtUp();
		expect(await recorded('s1')).toEqual(linesOf(readFileSync(file, 'utf8')));
	});

	it('records transcripts from their first line, and what is appended later, also after a restart', async () => {
		const whole = claudeLine('s1', 1) + claudeLine('s1', 2);
		const file = write(claudeFile, whole);
		await start();
		await hasEntries('s1', 2);
		appendFileSync(file, claudeLine('s1', 3).slice(0, 20));
		appendFileSync(file, claudeLine('s1', 3).slice(20));
		await hasEntries('s1', 3);
		await recorder.stop();
		appendFileSync(file, claudeLine('s1', 4));
		recorder = recorderHere(folder, home);
		await hasEntries('s1', 4);
		const [session] = await sessions();
		expect(session).toMatchObject({
			agent: 'claude-code',
			folder: '/home/me/a',
			title: 'Look at it. 1',
			path: file,
		});
		const all = [1, 2, 3, 4].map((no) => claudeLine('s1', no)).join('');
		expect(await recorded('s1')).toEqual(linesOf(all));
	});

	it('finds sessions in folders that are created later', async () => {
		await start();
		write('.codex/sessions/2026/01/05/rollout-2026-01-05T09-00-00-c1.jsonl', codexLines());
		await hasEntries('c1', 2);
		write('.claude/projects/-home-me-b/s2.jsonl', claudeLine('s2', 1, 'Hello', '/home/me/b'));
		await hasEntries('s2', 1);
	});

	it('keeps what its agent truncated, rewrote or replaced, and stores nothing twice', async () => {
		const file = write(claudeFile, [1, 2, 3, 4].map((no) => claudeLine('s1', no)).join(''));
		await start();
		await hasEntries('s1', 4);
		truncateSync(file, claudeLine('s1', 1).length);
		appendFileSync(file, claudeLine('s1', 5));
		await hasEntries('s1', 5);
		writeFileSync(file, claudeLine('s1', 6) + claudeLine('s1', 4));
		await hasEntries('s1', 6);
		write(`${claudeFile}.new`, claudeLine('s1', 1) + claudeLine('s1', 6) + claudeLine('s1', 7));
		renameSync(`${file}.new`, file);
		await hasEntries('s1', 7);
		expect(await recorded('s1')).toEqual(
			linesOf([1, 2, 3, 4, 5, 6, 7].map((no) => claudeLine('s1', no)).join('')),
		);
	});

	it('reads a line again that was rewritten before it was complete', async () => {
		const unfinished = claudeLine('s1', 2, 'x'.repeat(3_000)).slice(0, 2_000);
		const file = write(claudeFile, claudeLine('s1', 1) + unfinished);
		await start();
		await hasEntries('s1', 1);
		const whole = claudeLine('s1', 1) + claudeLine('s1', 3, 'y'.repeat(3_000)) + claudeLine('s1', 4);
		writeFileSync(file, whole);
		await hasEntries('s1', 3);
		expect(await recorded('s1')).toEqual(linesOf(whole));
	});

	it('reads what was appended right before its agent deleted the file', async () => {
		const file = write(claudeFile, claudeLine('s1', 1));
		await start();
		await hasEntries('s1', 1);
		appendFileSync(file, `${claudeLine('s1', 2)}{"unfinished":`);
		unlinkSync(file);
		await hasEntries('s1', 3);
		expect((await recorded('s1')).slice(1)).toEqual([...linesOf(claudeLine('s1', 2)), '{"unfinished":']);
	});

	it('continues a recording when its file was moved', async () => {
		const file = write('.codex/sessions/2026/01/05/rollout-2026-01-05T09-00-00-c1.jsonl', codexLines());
		await start();
		await hasEntries('c1', 2);
		const moved = join(home, '.codex/archived_sessions/rollout-2026-01-05T09-00-00-c1.jsonl');
		mkdirSync(dirname(moved), { recursive: true });
		appendFileSync(file, '{"type":"event_msg","payload":{"type":"last words"}}\n');
		renameSync(file, moved);
		await hasEntries('c1', 3);
		appendFileSync(moved, '{"type":"event_msg","payload":{"type":"after the move"}}\n');
		await hasEntries('c1', 4);
		const all = await sessions();
		expect(all).toHaveLength(1);
		expect(all[0]?.path).toBe(moved);
	});

	it('records documents and sessions of databases, and keeps what is removed from them', async () => {
		const geminiFile = `.gemini/tmp/${'a'.repeat(64)}/chats/session-1.json`;
		const chat = (...texts: string[]) =>
			JSON.stringify({ sessionId: 'g1', projectHash: 'a', messages: texts.map(geminiMessage) }, null, 2);
		const file = write(geminiFile, chat('one', 'two', 'three'));
		write('.local/share/opencode/opencode.db', await databaseOf(openCodeRows));
		await start();
		await hasEntries('g1', 4);
		await eventually(async () =>
			expect((await sessions()).some(({ agent }) => agent === 'opencode')).toBe(true),
		);
		writeFileSync(file, chat('three', 'four'));
		await hasEntries('g1', 5);
		const joiner = new DocumentJoiner();
		for (const text of await recorded('g1')) joiner.push(JSON.parse(text));
		expect(joiner.takeDocument()).toMatchObject([
			{ sessionId: 'g1', messages: ['one', 'two', 'three', 'four'].map((text) => ({ content: text })) },
		]);
	});

	it('records nothing of excluded folders, of what was forgotten, or while it is off', async () => {
		write(claudeFile, claudeLine('s1', 1));
		write('.claude/projects/-home-me-b/s2.jsonl', claudeLine('s2', 1, 'Secret', '/home/me/b/deep'));
		await start({ excludedFolders: ['/home/me/b'] });
		await hasEntries('s1', 1);
		await recorder.service.whenCaughtUp();
		expect(await sessions()).toHaveLength(1);
		await recorder.ask('forget', { recordingId: 's1' });
		appendFileSync(join(home, claudeFile), claudeLine('s1', 2));
		write('.claude/projects/-home-me-a/s3.jsonl', claudeLine('s3', 1));
		await hasEntries('s3', 1);
		expect(await sessions()).toHaveLength(1);
		await recorder.ask('set', { recording: false });
		appendFileSync(join(home, '.claude/projects/-home-me-a/s3.jsonl'), claudeLine('s3', 2));
		await start();
		await hasEntries('s3', 2);
	});

	it('erases a text also from transcripts that are not recorded when it is asked to', async () => {
		const secret = 'zq4711xv';
		write(claudeFile, claudeLine('s1', 1));
		await start();
		await hasEntries('s1', 1);
		const paths = Array.from({ length: 60 }, (_, no) => `.claude/projects/-home-me-a/new${no}.jsonl`);
		for (const [no, path] of paths.entries()) write(path, claudeLine(`new${no}`, 1, secret));
		appendFileSync(join(home, claudeFile), claudeLine('s1', 2, secret));
		write('.local/share/opencode/opencode.db', await databaseOf(openCodeRows));
		expect(await recorder.ask<ErasedRecords>('forget', { containing: secret })).toMatchObject({
			entries: 61,
		});
		expect((await recorder.ask<ErasedRecords>('forget', { containing: 'hello' })).sessions).toMatchObject([
			{ agent: 'opencode' },
		]);
		await recorder.stop();
		recorder = recorderHere(folder, home);
		await recorder.service.whenCaughtUp();
		await recorder.stop();
		for (const name of ['archive.sqlite', 'index.sqlite'])
			expect(readFileSync(join(folder, name)).includes(secret)).toBe(false);
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
			write(`.codex/sessions/2026/01/05/rollout-2026-01-05T09-00-00-${id}.jsonl`, rollout(id, source));
		const spawnedBy = (parent: string) => ({
			subagent: { thread_spawn: { parent_thread_id: parent, depth: 1 } },
		});
		await start();
		await recorder.service.whenCaughtUp();
		place('c1', 'cli');
		place('c2', spawnedBy('c1'));
		place('c3', spawnedBy('c2'));
		place('c4', { subagent: 'review' });
		const erased = await recorder.ask<ErasedRecords>('forget', { recordingId: 'c1' });
		expect(erased.sessions.map(({ sessionId }) => sessionId)).toEqual(['c1', 'c2', 'c3']);
		place('c5', spawnedBy('c1'));
		// Searches for all transcripts, and refuses this transcript.
		await recorder.ask('forget', { containing: 'is nowhere', dryRun: true });
		place('c7', spawnedBy('c5'));
		place('c6', 'cli');
		await hasEntries('c6', 2);
		await recorder.service.whenCaughtUp();
		expect((await sessions()).map(({ sessionId }) => sessionId).sort()).toEqual(['c4', 'c6']);
		expect(await recorder.ask('status', {})).toMatchObject({ recordings: 2 });
	});

	it('records whole outputs and sub-agents of workflows with their session, but not without it', async () => {
		const project = '.claude/projects/-home-me-a';
		write(`${project}/s9/tool-results/toolu_9.txt`, 'Output of a session that is not recorded.');
		write(`${project}/s9.jsonl`, claudeLine('s9', 1, 'Look.', '/private'));
		write(claudeFile, claudeLine('s1', 1));
		const output = write(`${project}/s1/tool-results/toolu_1.txt`, 'Count the bollards\nof the "quay".');
		write(`${project}/s1/subagents/workflows/wf1/agent-a1.jsonl`, claudeLine('s1', 7, 'Count the ropes.'));
		const gemini = `.gemini/tmp/${'a'.repeat(64)}`;
		write(`${gemini}/chats/session-1.jsonl`, `${JSON.stringify({ sessionId: 'g1', projectHash: 'a' })}\n`);
		write(`${gemini}/tool-outputs/session-g1/run_shell_command_1.txt`, 'Count the anchors.');
		await start({ excludedFolders: ['/private'] });
		const find = async (query: string) => (await recorder.ask<RecallResult>('recall', { query })).matches;
		for (const word of ['bollards', 'ropes', 'anchors'])
			await eventually(async () => expect(await find(word)).toHaveLength(1));
		expect(await find('output of a session')).toEqual([]);
		const parts = await recorder.ask<RecordedSession[]>('sessions', { parent: 's1' });
		expect(parts.map(({ title, folder: place }) => ({ title, folder: place }))).toContainEqual({
			title: 'Output toolu_1.txt',
			folder: '/home/me/a',
		});
		unlinkSync(output);
		await recorder.ask('forget', { recordingId: 's1' });
		expect(await find('bollards ropes')).toEqual([]);
		expect(await find('anchors')).toHaveLength(1);
	});

	it('records sub-agents, listed and erased with their session', async () => {
		const line = (sessionId: string, content: string, isSidechain: boolean) =>
			`${JSON.stringify({ type: 'user', uuid: content, sessionId, cwd: '/w', isSidechain, agentId: 'a1', message: { role: 'user', content } })}\n`;
		const project = join(home, '.claude', 'projects', '-w');
		const nested = join(project, 's1', 'subagents');
		mkdirSync(nested, { recursive: true });
		writeFileSync(join(project, 's1.jsonl'), line('s1', 'Plan the quay.', false));
		writeFileSync(join(project, 's2.jsonl'), line('s2', 'Plan the pier.', false));
		await start();
		await eventually(async () => (await sessions()).length === 2);
		writeFileSync(join(nested, 'agent-a1.jsonl'), line('s1', 'Count the bollards.', true));
		writeFileSync(join(project, 'agent-b2.jsonl'), line('s1', 'Count the ropes.', true));
		const chats = join(home, '.gemini', 'tmp', 'abc', 'chats');
		mkdirSync(join(chats, 'g1'), { recursive: true });
		for (const [file, sessionId] of [
			['one.jsonl', 'g1'],
			[join('g1', 'two.jsonl'), 'g2'],
		] as const) {
			const head = { sessionId, projectHash: 'abc', startTime: '2026-01-01T00:00:00.000Z' };
			writeFileSync(join(chats, file), `${JSON.stringify(head)}\n`);
		}
		const subAgents = (parent: string) => recorder.ask<RecordedSession[]>('sessions', { parent });
		await eventually(async () => (await subAgents('s1')).length === 2 && (await sessions()).length === 3);
		await eventually(async () => (await subAgents('g1')).length === 1);
		expect(await subAgents('s2')).toEqual([]);
		await eventually(async () => {
			const { matches } = await recorder.ask<RecallResult>('recall', { query: 'bollards ropes' });
			return matches.length === 2;
		});
		const erased = await recorder.ask<ErasedRecords>('forget', { recordingId: 's1' });
		expect(erased).toMatchObject({ entries: 3, sessions: [{ sessionId: 's1' }, {}, {}] });
		const { recordings } = await recorder.ask<RecorderStatus>('status', {});
		expect([recordings, (await sessions()).map(({ sessionId }) => sessionId).sort()]).toEqual([
			3,
			['g1', 's2'],
		]);
	});

	it.each(['ENOSPC', 'EMFILE', 'ENFILE', 'ENOMEM'])(
		'finds transcripts without watches if the system refuses them with %s, and reports why until it lets us',
		(code) => {
			const folder = join(root, 'sessions');
			mkdirSync(folder, { recursive: true });
			writeFileSync(join(folder, 'a.jsonl'), '');
			const found: string[] = [];
			const failure = Object.assign(new Error(`${code}: the limit of watches is reached`), { code });
			let lateFailure: ((error: Error) => void) | undefined;
			let isRefused = true;
			const watch = (path: string) => {
				if (isRefused && path === folder) throw failure;
				const on = (_: string, listener: (error: Error) => void) => {
					lateFailure = listener;
				};
				return { on, close: () => undefined };
			};
			const roots = [{ path: root, name: '', rest: ['sessions', /jsonl$/] }];
			const finder = new TranscriptFinder(roots, (path) => found.push(path), watch as never);
			const pass = (): void => {
				finder.restartPass();
				while (!finder.hasSearchedAll) finder.advance(5);
			};
			pass();
			expect({ found, refusal: finder.watchRefusal }).toEqual({
				found: [join(folder, 'a.jsonl')],
				refusal: failure.message,
			});
			isRefused = false;
			pass();
			expect(finder.watchRefusal).toBeUndefined();
			lateFailure?.(failure);
			expect(finder.watchRefusal).toBe(failure.message);
			finder.stop();
		},
	);

	it('reports no refusal for a folder that may not be read', () => {
		mkdirSync(join(root, 'sessions'));
		const watch = () => {
			throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
		};
		const finder = new TranscriptFinder([{ path: root, name: '', rest: [/./] }], () => undefined, watch);
		while (!finder.hasSearchedAll) finder.advance(5);
		finder.stop();
		expect(finder.watchRefusal).toBeUndefined();
	});

	it('never changes a transcript, nor its time', async () => {
		const file = write(claudeFile, claudeLine('s1', 1));
		utimesSync(file, 1_700_000_000, 1_700_000_000);
		const before = statSync(file);
		await start();
		await hasEntries('s1', 1);
		const { mtimeMs, ctimeMs, size, mode } = statSync(file);
		expect({ mtimeMs, ctimeMs, size, mode }).toEqual({
			mtimeMs: before.mtimeMs,
			ctimeMs: before.ctimeMs,
			size: before.size,
			mode: before.mode,
		});
	});

	it('removes the oldest session that is not pinned when the archive exceeds its limit, and reports it', async () => {
		const noise = (no: number) =>
			Array.from({ length: 40 }, (_, n) => claudeLine(`s${no}`, n, randomText(no, n))).join('');
		for (const no of [1, 2, 3])
			write(`.claude/projects/-home-me-a/s${no}.jsonl`, noise(no).replaceAll('2026-01', `2026-0${no}`));
		await start();
		for (const no of [1, 2, 3]) await hasEntries(`s${no}`, 40);
		await recorder.ask('pin', { recordingId: 's1', pinned: true });
		const { bytes } = await recorder.ask<RecorderStatus>('status', {});
		await recorder.ask('set', { maxBytes: bytes - 1 });
		expect((await sessions()).map(({ sessionId }) => sessionId)).toEqual(['s3', 's1']);
		await recorder.service.whenCaughtUp();
		expect(await sessions()).toHaveLength(2);
		expect(existsSync(join(home, '.claude/projects/-home-me-a/s2.jsonl'))).toBe(true);
		rmSync(join(home, '.claude/projects/-home-me-a/s1.jsonl'));
	});
});

function randomText(no: number, index: number): string {
	let state = no * 1000 + index + 1;
	return Array.from({ length: 300 }, () => {
		state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
		return state.toString(36);
	}).join('');
}

function codexLines(): string {
	const timestamp = '2026-01-05T09:00:00.000Z';
	const content = [{ type: 'input_text', text: 'Build it.' }];
	return [
		{ timestamp, type: 'session_meta', payload: { id: 'c1', cwd: '/home/me/a' } },
		{ timestamp, type: 'response_item', payload: { type: 'message', role: 'user', content } },
	]
		.map((record) => `${JSON.stringify(record)}\n`)
		.join('');
}

function geminiMessage(text: string) {
	return { id: text, timestamp: '2026-01-05T09:00:00.000Z', type: 'user', content: text };
}

const time = Date.UTC(2026, 0, 5);
const openCodeRows = [
	'create table project (id text primary key, worktree text)',
	'create table session (id text primary key, project_id text, title text, directory text, time_created integer, time_updated integer, parent_id text)',
	'create table message (id text primary key, session_id text, time_created integer, time_updated integer, data text)',
	'create table part (id text primary key, message_id text, session_id text, time_created integer, time_updated integer, data text)',
	`insert into session values ('ses_1', 'p', 'A title', '/home/me/a', ${time}, ${time}, null)`,
	`insert into message values ('msg_1', 'ses_1', ${time}, ${time}, '{"role":"user"}')`,
	`insert into part values ('prt_1', 'msg_1', 'ses_1', ${time}, ${time}, '{"type":"text","text":"hello"}')`,
];
