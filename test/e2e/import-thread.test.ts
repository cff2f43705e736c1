import { appendFile, readdir, readlink, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contextHistory } from '../../server/protocol/history.ts';
import { sessionList } from '../../server/protocol/session.ts';
import { contextStats } from '../../server/protocol/stats.ts';
import { contextImport } from '../../server/protocol/transcript.ts';
import { freshFolder, removeFolders, startTestApp } from '../support/app.ts';
import type { Client } from '../support/client.ts';
import { cleanUp, type Daemon, startDaemon } from '../support/daemon.ts';

const initializationOptions = { estimator: 'heuristic', logLevel: 'debug' };

let daemon: Daemon;
let path: string;

beforeEach(async () => {
	path = join(freshFolder(), 'session.jsonl');
	daemon = await startDaemon({ initialize: { initializationOptions } });
});

afterEach(async () => {
	await cleanUp();
	await removeFolders();
});

/** Returns turns `from` to `to` of a Claude Code transcript, about 12 kB each, with texts in several scripts. */
function turns(from: number, to: number): string {
	const base = { sessionId: 's', cwd: '/w' };
	return Array.from({ length: to - from }, (_, index) => from + index)
		.flatMap((turn) => {
			const answer = { id: `m${turn}`, role: 'assistant', model: 'claude-sonnet-4-5' };
			const usage = { input_tokens: 3, cache_read_input_tokens: 1000 + turn, output_tokens: 20 };
			const call = {
				type: 'tool_use',
				id: `call${turn}`,
				name: 'Read',
				input: { file_path: `/w/${turn}.ts` },
			};
			const result = {
				type: 'tool_result',
				tool_use_id: `call${turn}`,
				content: 'x = "ä → 😀";\n'.repeat(600),
			};
			return [
				{ ...base, type: 'user', uuid: `u${turn}`, message: { role: 'user', content: `Question ${turn}` } },
				{
					...base,
					type: 'assistant',
					uuid: `t${turn}`,
					message: { ...answer, content: [{ type: 'text', text: `Answer ${turn}` }] },
				},
				{ ...base, type: 'assistant', uuid: `a${turn}`, message: { ...answer, content: [call], usage } },
				{ ...base, type: 'user', uuid: `r${turn}`, message: { role: 'user', content: [result] } },
			];
		})
		.map((record) => `${JSON.stringify(record)}\n`)
		.join('');
}

/** Number of turns that make a transcript long enough to be read in a thread. */
const manyTurns = 1_000;

/** Imports the file; returns the answer and the session. */
async function imported(client: Client, follow = false) {
	const answer = await client.ask(contextImport, { path, follow });
	return { answer, ...(await readSession(client, answer.sessionId)) };
}

async function readSession(client: Client, sessionId: string) {
	const { messages } = await client.ask(contextHistory, { sessionId });
	const stats = await client.ask(contextStats, { sessionId });
	return { messages, tokens: stats?.estimatedInputTokens };
}

/** Restores the original id of a message, because the import gives repeated messages another id. */
function asWritten(message: unknown): unknown {
	const { id, ...rest } = message as { id: string };
	return { ...rest, id: id.replace(/~\d+$/, '') };
}

/** Imports the file with a daemon that uses no thread for reading. */
async function importedWithoutThread() {
	const app = await startTestApp();
	try {
		return await imported(app);
	} finally {
		await app.stop();
	}
}

const startsThread = (): boolean => daemon.errors().includes('in its own thread');

describe('a long transcript that is read in a thread', () => {
	it('a transcript read in a thread becomes the same session as without a thread', async () => {
		await writeFile(path, `${turns(0, manyTurns)}no JSON\n{"half`);
		const got = await imported(daemon);
		expect(got).toEqual(await importedWithoutThread());
		expect(got.answer).toMatchObject({
			messageCount: 3 * manyTurns,
			skipped: [{ type: 'invalid JSON', count: 1 }],
		});
		expect(startsThread()).toBe(true);
	});

	it('a transcript read in a thread is followed while it grows and after it was rewritten', async () => {
		await writeFile(path, turns(0, manyTurns));
		const { answer } = await imported(daemon, true);
		const same = async () => {
			const wanted = await importedWithoutThread();
			const now = () => readSession(daemon, answer.sessionId);
			await expect.poll(async () => (await now()).messages.length).toBe(wanted.answer.messageCount);
			expect((await now()).messages.map(asWritten)).toEqual(wanted.messages);
		};
		const more = turns(manyTurns, manyTurns + 5);
		await appendFile(path, more.slice(0, 20_000));
		await appendFile(path, more.slice(20_000));
		await same();
		await writeFile(path, turns(3, 40));
		await same();
	});

	it('a file that is no transcript is refused in the same words by the thread', async () => {
		await writeFile(path, '{"some":"thing"}\n'.repeat(600_000));
		const refused = await daemon.refusal('context/import', { path });
		const app = await startTestApp();
		expect(refused).toEqual(await app.refusal('context/import', { path }));
		await app.stop();
		expect(refused.data?.kind).toBe('UnsupportedFormat');
		expect(startsThread()).toBe(true);
	});
});

describe('a thread that reads a transcript', () => {
	type Told = { value: { percentage?: number } };

	/** Starts an import and waits until it has read a part of the file. */
	async function running() {
		await writeFile(path, turns(0, 3 * manyTurns));
		const { id, reply } = daemon.start('context/import', { path, workDoneToken: 't' });
		await daemon.awaitNotification('$/progress', ({ value: { percentage = 0 } }: Told) => percentage > 0);
		return { id, reply };
	}

	it.each([
		['is deleted', () => rm(path)],
		['is cut off', () => truncate(path, 100_000)],
	])('a transcript that %s during its import is imported up to that place', async (_, damage) => {
		const { reply } = await running();
		await damage();
		const { result, error } = await reply;
		expect(error).toBeUndefined();
		expect((result as { messageCount: number }).messageCount).toBeGreaterThan(0);
	});

	it('cancelling an import in a thread leaves neither a session nor an open file', async () => {
		const { id, reply } = await running();
		daemon.cancel(id);
		expect(await reply).toMatchObject({ error: { code: -32800 } });
		expect((await daemon.ask(sessionList, {})).sessions).toEqual([]);
		if (process.platform === 'linux') expect(await openFiles()).not.toContain(path);
	});

	it('a shutdown during an import in a thread ends the process in good order', async () => {
		await running();
		expect(await daemon.quit()).toBe(0);
		expect(daemon.errors()).not.toMatch(/Warning|unhandled/i);
	});

	it('the process ends when its client leaves during an import in a thread', async () => {
		await running();
		daemon.end();
		expect(await daemon.exited).toBe(0);
	});

	async function openFiles(): Promise<string[]> {
		const folder = `/proc/${await daemon.writer()}/fd`;
		return Promise.all((await readdir(folder)).map((name) => readlink(join(folder, name)).catch(() => '')));
	}
});
