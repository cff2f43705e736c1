/** `recorder/forget`: afterwards the state folder contains no byte of the forgotten text. */

import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Database } from 'node-sqlite3-wasm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contextRecall } from '../../server/protocol/history.ts';
import { contextTruncateToolOutput } from '../../server/protocol/output.ts';
import { recorderForget, recorderRead, recorderSessions } from '../../server/protocol/recorder.ts';
import { sessionAppend, sessionHoldView, sessionList, sessionOpen } from '../../server/protocol/session.ts';
import { contextImport } from '../../server/protocol/transcript.ts';
import { Archive } from '../../server/recorder/archive/archive.ts';
import type { RecordingInfo } from '../../server/recorder/archive/recording.ts';
import type { Services } from '../../server/wiring/services.ts';
import { type App, freshFolder, removeFolders, startTestApp, testServices } from '../support/app.ts';
import { createTestRecorder } from '../support/recorder.ts';

const secret = 'the "launch code" is zq4711xv';
const agentsId = '0b1c2d3e-0000-4000-8000-000000000001';

let stateFolder: string;
let project: string;
let transcript: string;
let app: App;
let services: Services;
let recorder: ReturnType<typeof createTestRecorder>;
let recordingId: string;
/** The first bytes of everything that the archive stores compressed. */
let compressed: Buffer[];

/** Returns a line of Claude Code with a prompt, or with a long answer. */
function line(index: number, text: string): string {
	const message =
		index % 2 === 0
			? { role: 'user', content: text }
			: {
					id: `msg_${index}`,
					role: 'assistant',
					model: 'claude-sonnet-4-5',
					content: [{ type: 'text', text }],
				};
	const type = index % 2 === 0 ? 'user' : 'assistant';
	return JSON.stringify({
		type,
		uuid: `u${index}`,
		parentUuid: null,
		sessionId: agentsId,
		cwd: project,
		message,
	});
}

function filesIn(folder: string): string[] {
	return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
		const path = join(folder, entry.name);
		return entry.isDirectory() ? filesIn(path) : entry.isFile() ? [path] : [];
	});
}

/** Returns the files of the state folder that contain the secret, as it is, escaped, or compressed. */
function filesWithSecret(): string[] {
	const needles = ['launch code', 'q4711x'].map((text) => Buffer.from(text));
	return filesIn(stateFolder).filter((file) => {
		const bytes = readFileSync(file);
		return [...needles, ...compressed].some((needle) => bytes.includes(needle));
	});
}

/** Resolves when a search finds the secret. */
function isIndexed(): Promise<void> {
	const search = async () => (await app.ask(contextRecall, { query: 'launch code' })).matches.length;
	return expect.poll(search).toBeGreaterThan(0);
}

/** Records a transcript, and returns the id of the recording. */
function record(
	lines: readonly string[],
	about: Pick<RecordingInfo, 'path' | 'sessionId' | 'title'>,
): string {
	const archive = new Archive(join(stateFolder, 'recorder', 'archive.sqlite'));
	const created = archive.create({ ...about, agent: 'claude-code', label: 'Claude Code', folder: project });
	archive.append(created.recordingId, { entries: lines.map((text) => ({ at: 1, text })) });
	archive.close();
	return created.recordingId;
}

function compressedIn(file: string): Buffer[] {
	const database = new Database(file, { readOnly: true });
	const rows = [...database.all('select content from bodies'), ...database.all('select content from blocks')];
	database.close();
	return rows.map(({ content }) => Buffer.from(content as Uint8Array).subarray(8, 40));
}

beforeEach(async () => {
	stateFolder = freshFolder();
	project = freshFolder();
	mkdirSync(join(stateFolder, 'recorder'), { mode: 0o700 });
	transcript = join(project, `${agentsId}.jsonl`);
	services = testServices({ stateFolder });
	app = await startTestApp({ home: stateFolder, services });
	const output = await app.ask(contextTruncateToolOutput, {
		output: `${secret}\n${'filler line\n'.repeat(50_000)}`,
		saveToDisk: true,
	});
	const long = `${'Some long answer. '.repeat(3000)}${secret}`;
	const lines = [secret, long, `The whole output is in ${output.savedPath}`, 'Fine'].map((text, index) =>
		line(index, text),
	);
	writeFileSync(transcript, lines.map((one) => `${one}\n`).join(''));
	await app.ask(contextImport, { path: transcript });
	await app.ask(sessionOpen, { sessionId: `claude:${agentsId}`, workspace: pathToFileURL(project).href });
	await app.ask(sessionAppend, {
		sessionId: `claude:${agentsId}`,
		messages: [{ id: 'a', role: 'user', content: secret }],
	});
	await app.ask(sessionHoldView, { sessionId: `claude:${agentsId}`, view: JSON.stringify({ secret }) });
	await app.ask(sessionOpen, { sessionId: 'other' });
	await app.ask(sessionAppend, {
		sessionId: 'other',
		messages: [{ id: 'a', role: 'user', content: 'Hello' }],
	});
	await app.stop();
	recordingId = record(lines, { path: transcript, sessionId: agentsId, title: `About ${secret}` });
	record([line(0, 'Another session')], {
		path: join(project, 'other.jsonl'),
		sessionId: 'x',
		title: 'Other',
	});
	compressed = compressedIn(join(stateFolder, 'recorder', 'archive.sqlite')).slice(0, 2);
	await services.close();
	recorder = createTestRecorder(join(stateFolder, 'recorder'), project);
	services = testServices({ stateFolder, recorder });
	app = await startTestApp({ home: stateFolder, services });
});

afterEach(async () => {
	await app.stop();
	await services.close();
	await recorder.stop();
	await removeFolders();
});

it('keeps the secret in six places before it is forgotten', async () => {
	const folders = () => filesWithSecret().map((file) => file.slice(stateFolder.length + 1).split('/')[0]);
	const all = ['outputs', 'recorder', 'recorder', 'sessions', 'sessions', 'views'];
	await isIndexed();
	await expect.poll(() => folders().sort()).toEqual(all);
});

describe('forgetting a session', () => {
	it('reports what would be erased, and erases nothing', async () => {
		const before = filesWithSecret();
		const found = await app.ask(recorderForget, { recordingId, dryRun: true });
		expect(found).toMatchObject({
			sessions: [{ recordingId }],
			entries: 4,
			stored: expect.arrayContaining([{ sessionId: `claude:${agentsId}`, messageCount: 1 }]),
			files: 2,
			remaining: [transcript],
		});
		expect(found.stored).toHaveLength(2);
		// Meanwhile, indexing may add files.
		expect(filesWithSecret()).toEqual(expect.arrayContaining(before));
	});

	it('leaves no byte of a forgotten session, and all of the others', async () => {
		await isIndexed();
		await app.ask(recorderForget, { recordingId });
		expect(filesWithSecret()).toEqual([]);
		expect((await app.ask(recorderSessions, {})).sessions).toMatchObject([
			{ path: join(project, 'other.jsonl') },
		]);
		expect((await app.ask(sessionList, {})).sessions).toMatchObject([{ sessionId: 'other' }]);
		expect(statSync(transcript).isFile()).toBe(true);
	});

	it('finds a session by the path of its transcript', async () => {
		await app.ask(recorderForget, { recordingId: transcript });
		expect(filesWithSecret()).toEqual([]);
	});

	it('does not record the transcript of a forgotten session again', async () => {
		await app.ask(recorderForget, { recordingId });
		await recorder.stop();
		const archive = new Archive(join(stateFolder, 'recorder', 'archive.sqlite'));
		expect(archive.isDropped(transcript, '', 1)).toBe(true);
		archive.close();
		// Only a digest of the path remains.
		for (const file of filesIn(join(stateFolder, 'recorder'))) {
			expect(readFileSync(file).includes(agentsId)).toBe(false);
		}
	});

	it('erases a stored session that was never recorded', async () => {
		const { stored, sessions } = await app.ask(recorderForget, { recordingId: 'other' });
		expect({ stored, sessions }).toEqual({ stored: [{ sessionId: 'other', messageCount: 1 }], sessions: [] });
		await expect(app.ask(recorderForget, { recordingId: 'other' })).rejects.toMatchObject({
			message: 'recorder/forget: no recorded or stored session "other"',
		});
	});
});

describe('forgetting a text', () => {
	beforeEach(() => {
		writeFileSync(
			join(stateFolder, 'daemon.log'),
			`one\nfailed at ${secret}\nand at ${JSON.stringify({ secret })}\ntwo\n`,
		);
		mkdirSync(join(stateFolder, 'file-summaries'));
		writeFileSync(
			join(stateFolder, 'file-summaries', `${'0'.repeat(64)}.json`),
			JSON.stringify({ text: secret }),
		);
	});

	it('erases the records and copies that contain a text, and keeps other records', async () => {
		await isIndexed();
		const { entries, stored, files } = await app.ask(recorderForget, { containing: secret });
		expect({ entries, stored: stored.length, files }).toEqual({ entries: 2, stored: 2, files: 3 });
		expect(filesWithSecret().filter((file) => !file.endsWith('archive.sqlite'))).toEqual([]);
		compressed = [];
		expect(filesWithSecret()).toEqual([]);
		expect(readFileSync(join(stateFolder, 'daemon.log'), 'utf8')).toBe('one\ntwo\n');
		const { entries: left } = await app.ask(recorderRead, { recording: recordingId });
		expect(left.map(({ seq }) => seq)).toEqual([2, 3]);
	});

	it('reports nothing for a text that is nowhere', async () => {
		const found = await app.ask(recorderForget, { containing: 'never written' });
		expect(found).toEqual({ sessions: [], entries: 0, stored: [], files: 0, remaining: [] });
	});
});
