import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOutline } from '../../server/core/transcript/outline.ts';
import { openTranscript } from '../../server/node/transcript/openTranscript.ts';
import type { OpenTranscript } from '../../server/session/transcript/reader.ts';
import { arrays, eventful, streams } from '../core/transcript/fixtures/all.ts';
import { clineTaskRecord } from '../core/transcript/fixtures/cline.ts';
import { freshFolder, removeFolders } from '../support/app.ts';
import { needsPosix } from '../support/needs.ts';
import { soakFactor } from '../support/soak.ts';
import { allMessages, applyEvents, readTranscript, visibleMessages } from '../support/transcriptFold.ts';

const numRuns = 3 * soakFactor;

let folder: string;
let count = 0;

beforeEach(() => {
	folder = freshFolder();
});

afterEach(removeFolders);

const freshPath = (name = 'session'): string => join(folder, `${name}-${++count}`);

/** Returns a function that reads the current content and returns all and the visible messages. */
function follower(transcript: OpenTranscript) {
	let taken = createOutline();
	return async () => {
		for (let batch = await transcript.readNext(); batch !== undefined; batch = await transcript.readNext()) {
			if (batch.isRestart) taken = createOutline();
			applyEvents(taken, batch.events);
		}
		return { all: allMessages(taken), visible: visibleMessages(taken) };
	};
}

async function whole(path: string) {
	const transcript = await openTranscript(path);
	const read = await follower(transcript)();
	await transcript.close();
	return read;
}

/** A change of a file, measured in its bytes or lines. */
type Change =
	| { kind: 'grows'; bytes: number }
	| { kind: 'truncated'; share: number }
	| { kind: 'rewritten'; without: number }
	| { kind: 'replaced'; without: number }
	| { kind: 'recreated'; share: number };

const change: fc.Arbitrary<Change> = fc.oneof(
	{ weight: 6, arbitrary: fc.record({ kind: fc.constant('grows' as const), bytes: fc.nat(700) }) },
	{
		weight: 1,
		arbitrary: fc.record({
			kind: fc.constant('truncated' as const),
			share: fc.double({ min: 0, max: 1, noNaN: true }),
		}),
	},
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('rewritten' as const), without: fc.nat(30) }) },
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('replaced' as const), without: fc.nat(30) }) },
	{
		weight: 1,
		arbitrary: fc.record({
			kind: fc.constant('recreated' as const),
			share: fc.double({ min: 0, max: 1, noNaN: true }),
		}),
	},
);

/** The content of a file, and the rest that an agent will write. */
interface File {
	now: Buffer;
	rest: Buffer;
}

function applyChange(path: string, now: Buffer, rest: Buffer, one: Change): File {
	const write = (bytes: Buffer): File => {
		writeFileSync(path, bytes);
		return { now: bytes, rest };
	};
	switch (one.kind) {
		case 'grows': {
			const grown = Buffer.concat([now, rest.subarray(0, one.bytes)]);
			writeFileSync(path, grown, { flag: 'r+' });
			return { now: grown, rest: rest.subarray(one.bytes) };
		}
		case 'truncated': {
			const length = Math.floor(now.length * one.share);
			truncateSync(path, length);
			return { now: now.subarray(0, length), rest };
		}
		case 'rewritten':
			return write(withoutLine(now, one.without));
		case 'replaced': {
			writeFileSync(`${path}.new`, withoutLine(now, one.without));
			renameSync(`${path}.new`, path);
			return { now: withoutLine(now, one.without), rest };
		}
		case 'recreated':
			rmSync(path);
			return write(now.subarray(0, Math.floor(now.length * one.share)));
	}
}

function withoutLine(bytes: Buffer, line: number): Buffer {
	const lines = bytes.toString('utf8').split('\n');
	return Buffer.from(lines.filter((_, index) => index !== line % lines.length).join('\n'));
}

describe.each([...Object.entries(streams), ...Object.entries(eventful)])(
	'%s, followed through changes of its file',
	(agent, records) => {
		it('following a transcript equals reading it whole after every change', async () => {
			const text = (newline: string) => records.map((one) => JSON.stringify(one) + newline).join('');
			await fc.assert(
				fc.asyncProperty(
					fc.array(change, { maxLength: 12 }),
					fc.constantFrom('\n', '\r\n'),
					async (changes, newline) => {
						const path = freshPath(agent);
						const bytes = Buffer.from(text(newline));
						const known = startOf(agent, bytes);
						let file: File = { now: bytes.subarray(0, known), rest: bytes.subarray(known) };
						writeFileSync(path, file.now);
						const transcript = await openTranscript(path);
						const read = follower(transcript);
						await read();
						for (const one of changes) {
							file = applyChange(path, file.now, file.rest, one);
							const followed = await read();
							// The rest may be too short to identify its agent.
							if (readTranscript(file.now.toString('utf8'))?.agent !== agent) continue;
							expect(followed).toEqual(await whole(path));
						}
						await transcript.close();
					},
				),
				{ numRuns },
			);
		});
	},
);

/** Returns the number of leading bytes that identify the agent of the file. */
function startOf(agent: string, bytes: Buffer): number {
	for (let feed = bytes.indexOf(10); feed >= 0; feed = bytes.indexOf(10, feed + 1)) {
		if (readTranscript(bytes.toString('utf8', 0, feed + 1))?.agent === agent) return feed + 1;
	}
	return bytes.length;
}

describe.each(Object.entries(arrays))('%s, a document that is rewritten', (agent, messages) => {
	it.each([
		['over lines', '\t'],
		['in one line', undefined],
	])('following a document %s equals reading it whole after every change', async (_, indent) => {
		await fc.assert(
			fc.asyncProperty(fc.array(fc.nat(messages.length), { maxLength: 6 }), async (counts) => {
				const path = freshPath();
				const write = (count: number) =>
					writeFileSync(path, JSON.stringify(messages.slice(0, count), null, indent));
				write(messages.length);
				const transcript = await openTranscript(path);
				const read = follower(transcript);
				await read();
				for (const count of counts) {
					write(count);
					const followed = await read();
					const now = readTranscript(JSON.stringify(messages.slice(0, count)));
					if (now?.agent === agent) expect(followed.all).toEqual(allMessages(now.transcript));
				}
				await transcript.close();
			}),
			{ numRuns },
		);
	});
});

describe('unusual transcript files', () => {
	const prompt = (text: string) => `${JSON.stringify({ role: 'user', content: text })}\n`;
	const texts = async (path: string) => (await whole(path)).all.map(({ content }) => content);

	it('a transcript that grows byte by byte never shows half of a character', async () => {
		const path = freshPath();
		const bytes = Buffer.from(`${prompt('日本語')}${prompt('👩‍👩‍👧‍👦 é')}`);
		const first = bytes.indexOf(10) + 1;
		writeFileSync(path, bytes.subarray(0, first));
		const transcript = await openTranscript(path);
		const read = follower(transcript);
		for (let end = first; end <= bytes.length; end++) {
			writeFileSync(path, bytes.subarray(0, end), { flag: 'r+' });
			const got = (await read()).all.map(({ content }) => content);
			expect(got).toEqual(end < bytes.length - 1 ? ['日本語'] : ['日本語', '👩‍👩‍👧‍👦 é']);
		}
		await transcript.close();
	});

	it('a transcript with byte order mark, carriage returns, two objects per line and zero bytes is read', async () => {
		const path = freshPath();
		const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((text) => prompt(text).trim());
		writeFileSync(path, `\uFEFF${a}\r\n${b}${c}\r\n\r\n${'\0'.repeat(5000)}${d}\n\0\0\0`);
		expect(await texts(path)).toEqual(['a', 'b', 'c', 'd']);
	});

	it('a transcript with a line of 100 MB is read', async () => {
		const path = freshPath();
		writeFileSync(path, prompt('x'.repeat(100 << 20)) + prompt('after'));
		const read = await whole(path);
		expect(read.all.map(({ content }) => content.length)).toEqual([100 << 20, 5]);
	});

	it('openTranscript names why it refuses an empty file, a folder, a loop of links and a missing file', async () => {
		const empty = freshPath();
		writeFileSync(empty, '');
		await expect(openTranscript(empty)).rejects.toMatchObject({ kind: 'UnsupportedFormat' });
		const inner = join(folder, 'inner');
		mkdirSync(inner);
		await expect(openTranscript(inner)).rejects.toThrow(/it is a folder/);
		const loop = freshPath();
		symlinkSync(loop, loop);
		await expect(openTranscript(loop)).rejects.toThrow(/too many symbolic links/);
		await expect(openTranscript(`${empty}.gone`)).rejects.toThrow(/there is no such file/);
	});

	it.each([
		['lines', (text: string) => prompt('long enough').repeat(200) + prompt(text) + prompt('end').repeat(99)],
		['a document', (text: string) => JSON.stringify([{ role: 'user', content: text }], null, 1)],
	])('a transcript of %s that is rewritten with the same size is read again', async (_, holding) => {
		const path = freshPath();
		writeFileSync(path, holding('before'));
		const read = follower(await openTranscript(path));
		const before = await read();
		await new Promise((done) => setTimeout(done, 20));
		writeFileSync(path, holding('behind'));
		const after = await read();
		expect(after.all).toHaveLength(before.all.length);
		expect(JSON.stringify(after)).toBe(JSON.stringify(before).replaceAll('before', 'behind'));
	});

	it('a removed transcript keeps its messages until the file is back', async () => {
		const path = freshPath();
		writeFileSync(path, prompt('a') + prompt('b'));
		const read = follower(await openTranscript(path));
		expect((await read()).all).toHaveLength(2);
		rmSync(path);
		expect((await read()).all).toHaveLength(2);
		writeFileSync(path, prompt('c'));
		expect((await read()).all.map(({ content }) => content)).toEqual(['c']);
		rmSync(path);
		mkdirSync(path);
		await expect(read()).rejects.toThrow(/it is a folder/);
	});
});

describe.skipIf(process.platform === 'win32')('a pipe', needsPosix, () => {
	const pipe = async (path: string) => {
		const { spawnSync } = await import('node:child_process');
		mkdirSync(dirname(path), { recursive: true });
		expect(spawnSync('mkfifo', [path]).status).toBe(0);
		return path;
	};

	it('a pipe is refused at once, also in place of a followed file', async () => {
		await expect(openTranscript(await pipe(freshPath()))).rejects.toThrow(/it is not a regular file/);
		const task = join(folder, 'task', 'api_conversation_history.json');
		await expect(openTranscript(await pipe(task))).rejects.toThrow(/it is not a regular file/);
		const path = freshPath();
		writeFileSync(path, '{"role":"user","content":"a"}\n');
		const read = follower(await openTranscript(path));
		await read();
		rmSync(path);
		await pipe(path);
		await expect(read()).rejects.toThrow(/it is not a regular file/);
	});

	it('a pipe next to a task is not waited for', async () => {
		const path = join(folder, 'other', 'api_conversation_history.json');
		await pipe(join(dirname(path), 'ui_messages.json'));
		writeFileSync(path, JSON.stringify(clineTaskRecord.messages));
		expect((await whole(path)).all).toHaveLength(4);
	});
});
