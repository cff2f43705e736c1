import { appendFile, mkdir, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { createOutline } from '../../server/core/transcript/outline.ts';
import { LineBytes } from '../../server/node/transcript/lineBytes.ts';
import { createLineSource } from '../../server/node/transcript/lineFile.ts';
import { openTranscript, type TranscriptOnDisk } from '../../server/node/transcript/openTranscript.ts';
import type { IdentifiedMessage } from '../../server/protocol/conversation.ts';
import type { OpenTranscript } from '../../server/session/transcript/reader.ts';
import { clineTaskRecord } from '../core/transcript/fixtures/cline.ts';
import { freshFolder, removeFolders } from '../support/app.ts';
import { needsLinux } from '../support/needs.ts';
import { databaseOf } from '../support/sqlite.ts';
import { applyEvents, visibleMessages } from '../support/transcriptFold.ts';

const open: OpenTranscript[] = [];

afterEach(async () => {
	await Promise.all(open.splice(0).map((transcript) => transcript.close()));
	await removeFolders();
});

async function opened(path: string): Promise<TranscriptOnDisk> {
	const transcript = await openTranscript(path);
	open.push(transcript);
	return transcript;
}

const shown = ({ role, content }: IdentifiedMessage) => `${role} ${content}`;

/** Returns a function that reads the current content and returns the visible messages. */
function reader(transcript: OpenTranscript) {
	let taken = createOutline();
	return async () => {
		for (let batch = await transcript.readNext(); batch !== undefined; batch = await transcript.readNext()) {
			if (batch.isRestart) taken = createOutline();
			applyEvents(taken, batch.events);
		}
		return visibleMessages(taken).map(shown);
	};
}

describe('reading the records of lines', () => {
	it('LineBytes returns the same records however the bytes arrive', () => {
		const value = fc
			.oneof(fc.string({ unit: 'grapheme' }), fc.jsonValue({ maxDepth: 1 }))
			.map((one) => ({ one }));
		fc.assert(
			fc.property(fc.array(value), fc.array(fc.nat(40)), fc.boolean(), (values, cuts, ends) => {
				const text = values.map((one) => JSON.stringify(one)).join('\n') + (ends ? '\n' : '');
				const bytes = Buffer.from(text);
				const lines = new LineBytes();
				const records: unknown[] = [];
				let from = 0;
				for (const cut of [...cuts, bytes.length]) {
					records.push(...lines.push(Buffer.from(bytes.subarray(from, from + cut))).records);
					from += cut;
				}
				records.push(...lines.end().records);
				expect(records).toEqual(JSON.parse(JSON.stringify(values)));
				expect(lines.consumedBytes).toBe(bytes.length);
			}),
		);
	});

	it('LineBytes waits for the rest of a half-written line, and does not pass its offset', () => {
		const lines = new LineBytes();
		expect(lines.push(Buffer.from('{"a":1}\n{"b":')).records).toEqual([{ a: 1 }]);
		expect(lines.end().records).toEqual([]);
		expect(lines.consumedBytes).toBe(8);
	});

	it('createLineSource returns only the new records of a file that grew, and all of a file whose bytes changed', async () => {
		const path = join(freshFolder(), 'a.jsonl');
		await writeFile(path, '{"a":1}\n');
		const source = createLineSource(path);
		const all = async () => {
			const batches = [];
			for (let batch = await source.next(); batch !== undefined; batch = await source.next())
				batches.push(batch);
			return batches.map(({ records, isRestart }) => ({ records, isRestart }));
		};
		expect(await all()).toEqual([{ records: [{ a: 1 }], isRestart: false }]);
		expect(await all()).toEqual([]);
		await appendFile(path, '{"a":2}');
		expect(await all()).toEqual([{ records: [{ a: 2 }], isRestart: false }]);
		await appendFile(path, '\n{"a":3}\n');
		expect(await all()).toEqual([{ records: [{ a: 3 }], isRestart: false }]);
		await writeFile(path, '{"b":1}\n{"b":2}\n{"b":3}\n{"b":4}\n');
		expect(await all()).toEqual([{ records: [{ b: 1 }, { b: 2 }, { b: 3 }, { b: 4 }], isRestart: true }]);
		await writeFile(path, '');
		expect(await all()).toEqual([{ records: [], isRestart: true }]);
	});
});

describe('a transcript', () => {
	it('a transcript that is one document is read again after a change, and waited for while it is half written', async () => {
		const path = join(freshFolder(), 'api_conversation_history.json');
		const messages = [
			{ role: 'user', content: [{ type: 'text', text: 'Hello' }], ts: 1 },
			{ role: 'assistant', content: [{ type: 'text', text: 'Hi' }], ts: 2 },
		];
		await writeFile(path, JSON.stringify(messages.slice(0, 1), null, '\t'));
		const read = reader(await opened(pathToFileURL(path).href));
		expect(await read()).toEqual(['user Hello']);
		const whole = JSON.stringify(messages, null, '\t');
		await writeFile(path, whole.slice(0, -20));
		expect(await read()).toEqual(['user Hello']);
		await writeFile(path, whole);
		expect(await read()).toEqual(['user Hello', 'assistant Hi']);
	});

	it('a transcript of a Cline task takes figures from the file next to it, also later ones', async () => {
		const path = join(freshFolder(), 'api_conversation_history.json');
		const companion = join(dirname(path), 'ui_messages.json');
		const [asked, answered] = clineTaskRecord.messages;
		await writeFile(path, JSON.stringify([asked, answered]));
		const transcript = await opened(path);
		let taken = createOutline();
		const usage = async () => {
			for (
				let batch = await transcript.readNext();
				batch !== undefined;
				batch = await transcript.readNext()
			) {
				if (batch.isRestart) taken = createOutline();
				applyEvents(taken, batch.events);
			}
			return visibleMessages(taken)[1]?.usage?.cacheRead;
		};
		expect(await usage()).toBeUndefined();
		const text = JSON.stringify(clineTaskRecord.uiMessages);
		await writeFile(companion, text.slice(0, -5));
		expect(await usage()).toBeUndefined();
		await writeFile(companion, text);
		expect(await usage()).toBe(100);
		await rm(companion);
		expect(await usage()).toBe(100);
	});

	it('a document that is one long line is recognized as a document', async () => {
		const path = join(freshFolder(), 'messages.json');
		const messages = Array.from({ length: 400 }, (_, index) => ({
			role: 'user',
			content: `${index} ${'x'.repeat(4000)}`,
		}));
		await writeFile(path, JSON.stringify(messages));
		expect(await reader(await opened(path))()).toHaveLength(400);
	});

	it('a compressed transcript is read', async () => {
		const path = join(freshFolder(), 'rollout.jsonl.zst');
		// {"role":"user","content":"Hello"}
		const bytes = 'KLUv/SAiEQEAeyJyb2xlIjoidXNlciIsImNvbnRlbnQiOiJIZWxsbyJ9Cg==';
		await writeFile(path, Buffer.from(bytes, 'base64'));
		expect(await reader(await opened(path))()).toEqual(['user Hello']);
	});

	it('a session in the storage folder of OpenCode is assembled from its files, and kept current', async () => {
		const storage = join(freshFolder(), 'storage');
		const put = async (name: string, value: unknown) => {
			const path = join(storage, name);
			await mkdir(dirname(path), { recursive: true });
			await writeFile(path, JSON.stringify(value));
			return path;
		};
		const session = await put('session/p/ses_1.json', {
			id: 'ses_1',
			projectID: 'p',
			directory: '/home/me/project',
		});
		const user = { id: 'msg_1', sessionID: 'ses_1', role: 'user', time: { created: 1 } };
		const assistant = { id: 'msg_2', sessionID: 'ses_1', role: 'assistant', time: { created: 2 } };
		await put('part/msg_1/prt_1.json', { type: 'text', text: 'Hello' });
		await put('message/ses_1/msg_1.json', user);
		const transcript = await opened(session);
		const { listWatchedPaths } = transcript;
		expect(listWatchedPaths()).toContain(join(storage, 'message/ses_1'));
		const read = reader(transcript);
		expect(await read()).toEqual(['user Hello']);
		await put('message/ses_1/msg_2.json', assistant);
		await put('part/msg_2/prt_2.json', { type: 'text', text: 'H' });
		expect(await read()).toEqual(['user Hello', 'assistant H']);
		await put('part/msg_2/prt_2.json', { type: 'text', text: 'Hi there' });
		expect(await read()).toEqual(['user Hello', 'assistant Hi there']);
		await rm(join(storage, 'message/ses_1/msg_2.json'));
		expect(await read()).toEqual(['user Hello']);
	});

	it('a session in the storage folder of OpenCode shows that its agent cleared an old output', async () => {
		const storage = join(freshFolder(), 'storage');
		const put = async (name: string, value: unknown) => {
			await mkdir(dirname(join(storage, name)), { recursive: true });
			await writeFile(join(storage, name), JSON.stringify(value));
		};
		const state = { status: 'completed', input: {}, output: 'long', time: {} };
		for (let index = 100; index < 240; index++) {
			const message = { id: `msg_${index}`, sessionID: 'ses_1', role: 'assistant', time: { created: index } };
			await put(`message/ses_1/msg_${index}.json`, message);
			const part = { type: 'tool', tool: 'read', callID: `c${index}`, state };
			await put(`part/msg_${index}/prt_${index}.json`, part);
		}
		const read = reader(await opened(join(storage, 'message/ses_1')));
		expect((await read()).filter((text) => text === 'tool long')).toHaveLength(140);
		const cleared = { ...state, time: { compacted: 5 } };
		await put('part/msg_170/prt_170.json', { type: 'tool', tool: 'read', callID: 'c170', state: cleared });
		let now: string[] = [];
		for (let look = 0; look < 3; look++) now = await read();
		expect(now.filter((text) => text === 'tool long')).toHaveLength(139);
	});

	it('a session in the database of OpenCode is read by its id', async () => {
		const file = join(freshFolder(), 'opencode.db');
		const first = [
			'create table session(id, project_id, directory, title, time_updated, parent_id)',
			'create table message(id, session_id, data)',
			'create table part(id, message_id, session_id, data)',
			`insert into session values ('ses_1', 'p', '/home/me/project', 'A title', 5, null)`,
			`insert into message values ('msg_1', 'ses_1', '{"role":"user","time":{"created":1}}')`,
			`insert into part values ('prt_1', 'msg_1', 'ses_1', '{"type":"text","text":"Hello"}')`,
		];
		await writeFile(file, await databaseOf(first));
		const read = reader(await opened(`${file}#ses_1`));
		expect(await read()).toEqual(['user Hello']);
		const more = [
			`insert into message values ('msg_2', 'ses_1', '{"role":"assistant","time":{"created":2}}')`,
			`insert into part values ('prt_2', 'msg_2', 'ses_1', '{"type":"text","text":"Hi"}')`,
		];
		await writeFile(file, await databaseOf([...first, ...more]));
		expect(await read()).toEqual(['user Hello', 'assistant Hi']);
		await expect(opened(`${file}#ses_2`)).rejects.toThrow(/contains no session "ses_2"/);
		await expect(opened(file)).rejects.toThrow(
			/expected a session of it; the newest are .*opencode\.db#ses_1/,
		);
	});

	it('openTranscript recognizes a transcript by its content, and names why it refuses a file', async () => {
		const path = join(freshFolder(), 'anything');
		await writeFile(path, '{"some":"thing"}\n');
		await expect(openTranscript(path)).rejects.toMatchObject({ kind: 'UnsupportedFormat' });
		await writeFile(path, '');
		await expect(openTranscript(path)).rejects.toThrow(/contains no JSON/);
		await expect(openTranscript(dirname(path))).rejects.toMatchObject({ kind: 'FileUnreadable' });
		await expect(openTranscript(`${path}/x`)).rejects.toThrow(/there is no such file/);
	});

	it.skipIf(process.platform !== 'linux')(
		'closing a transcript closes its file before the end was read',
		needsLinux,
		async () => {
			const path = join(freshFolder(), 'a.jsonl');
			await writeFile(path, '{"role":"user","content":"Hello"}\n'.repeat(60_000));
			const isOpen = async () => {
				const names = await readdir('/proc/self/fd');
				const targets = await Promise.all(
					names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')),
				);
				return targets.includes(path);
			};
			const transcript = await openTranscript(path);
			await transcript.readNext();
			expect(await isOpen()).toBe(true);
			await transcript.close();
			expect(await isOpen()).toBe(false);
		},
	);
});
