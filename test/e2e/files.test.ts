import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, realpathSync, truncateSync, writeFileSync } from 'node:fs';
import { rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import * as protocol from '../../server/protocol/index.ts';
import { cleanUp, type Daemon, freshHome, startDaemon } from '../support/daemon.ts';
import { eventually } from '../support/eventually.ts';
import { user } from '../support/messages.ts';
import { needsLinux } from '../support/needs.ts';

afterEach(cleanUp);

const isLinux = process.platform === 'linux';

async function workspace(): Promise<{ daemon: Daemon; folder: string; uri(name: string): string }> {
	const folder = realpathSync(await freshHome());
	const daemon = await startDaemon({
		initialize: {
			rootUri: pathToFileURL(folder).href,
			capabilities: { experimental: { contextd: { notifications: true } } },
		},
	});
	await daemon.ask(protocol.sessionOpen, { sessionId: 's', contextWindow: 4_000_000 });
	await daemon.ask(protocol.sessionAppend, { sessionId: 's', messages: [user('u', 'Look around.')] });
	return { daemon, folder, uri: (name) => pathToFileURL(join(folder, name)).href };
}

/** Resident memory of a process in bytes. */
function memoryOf(pid: number): number {
	const status = readFileSync(`/proc/${pid}/status`, 'utf8');
	return Number(/VmRSS:\s*(\d+)/.exec(status)?.[1]) * 1024;
}

/** Bytes that a process has read so far, its own program included. */
function bytesReadBy(pid: number): number {
	const counters = readFileSync(`/proc/${pid}/io`, 'utf8');
	return Number(/rchar: (\d+)/.exec(counters)?.[1]);
}

/** Files and folders that the system watches for a process. */
function watchesOf(pid: number): number {
	const folder = `/proc/${pid}/fdinfo`;
	const infos = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
	return infos.join('').split('inotify wd:').length - 1;
}

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

describe('the daemon and files', () => {
	it.skipIf(!isLinux)(
		'watches 5,000 files for less than 100 MB and reports a change of any of them',
		{ ...needsLinux, timeout: 240_000 },
		async () => {
			const { daemon, folder, uri } = await workspace();
			const count = 5000;
			const nameOf = (index: number) => `part${Math.floor(index / 100)}/file${index}.ts`;
			for (let index = 0; index < count; index++) {
				if (index % 100 === 0) mkdirSync(join(folder, `part${index / 100}`));
				writeFileSync(join(folder, nameOf(index)), `export const value${index} = ${index};\n`.repeat(20));
			}
			// The estimator's tables are there, whoever watches.
			await daemon.ask(protocol.contextCount, { text: 'some words' });
			const pid = await daemon.writer();
			const before = memoryOf(pid);
			for (let index = 0; index < count; index++) {
				daemon.notify('context/didReadFile', { sessionId: 's', uri: uri(nameOf(index)), messageId: 'u' });
			}
			await daemon.ask(protocol.contextStats, { sessionId: 's' });
			await eventually(() => expect(watchesOf(pid)).toBeGreaterThanOrEqual(count));
			const added = (memoryOf(pid) - before) / 2 ** 20;
			const changed = [0, 250, 2499, 4999];
			for (const index of changed) {
				writeFileSync(join(folder, nameOf(index)), 'changed\n');
				const isIt = (news: { uri: string }) => news.uri === uri(nameOf(index));
				await daemon.told('context/didChangeFile', isIt);
			}
			const stats = await daemon.ask(protocol.contextStats, { sessionId: 's' });
			expect(stats?.staleReads).toEqual(
				changed.map((index) => ({ uri: uri(nameOf(index)), messageId: 'u' })),
			);
			expect(added).toBeLessThan(100);
		},
	);

	it.skipIf(!isLinux)('reads the ends of a 4 GiB file alone', needsLinux, async () => {
		const { daemon, folder, uri } = await workspace();
		writeFileSync(join(folder, 'big.log'), 'first line\n');
		truncateSync(join(folder, 'big.log'), 4 * 2 ** 30);
		writeFileSync(join(folder, 'big.log'), 'last line\n', { flag: 'a' });
		const pid = await daemon.writer();
		const before = bytesReadBy(pid);
		const shortened = await daemon.ask(protocol.contextTruncateToolOutput, {
			uri: uri('big.log'),
			maxBytes: 400,
		});
		expect(shortened).toMatchObject({ truncated: true, originalSize: 4 * 2 ** 30 + 10 });
		const read = await daemon.ask(protocol.contextReadFile, { sessionId: 's', uri: uri('big.log') });
		expect(read.status).toBe('excluded');
		expect(read.notice).toContain('binary file');
		expect(bytesReadBy(pid) - before).toBeLessThan(2 ** 24);
	});

	it.skipIf(!isLinux)('never waits for the other end of a pipe', needsLinux, async () => {
		const { daemon, folder, uri } = await workspace();
		execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder, 'pipe')]);
		const read = await daemon.refusal('context/readFile', { sessionId: 's', uri: uri('pipe') });
		expect(read.data?.kind).toBe('FileUnreadable');
		expect(read.message).toContain('named pipe');
		const shortened = await daemon.refusal('context/truncateToolOutput', { uri: uri('pipe') });
		expect(shortened.data?.kind).toBe('FileUnreadable');
		daemon.notify('context/didReadFile', { sessionId: 's', uri: uri('pipe') });
		const stats = await daemon.ask(protocol.contextStats, { sessionId: 's' });
		expect(stats?.staleReads).toEqual([]);
	});

	it('gives nothing of a file outside, whatever takes a name’s place while it is read', async () => {
		const { daemon, folder, uri } = await workspace();
		const outside = join(realpathSync(await freshHome()), 'secret');
		writeFileSync(outside, 'secret');
		let isRacing = true;
		const racing = (async () => {
			for (let round = 0; isRacing; round++) {
				const next = join(folder, `next${round % 2}`);
				if (round % 2 === 0) writeFileSync(next, 'public');
				else await symlink(outside, next);
				await rename(next, join(folder, 'name'));
			}
		})();
		const answers: Promise<protocol.ReadFileResult['content'] | undefined>[] = [];
		for (let round = 0; round < 300; round++) {
			const { reply } = daemon.start('context/readFile', { sessionId: 's', uri: uri('name') });
			answers.push(
				reply.then(({ result: read, error }) =>
					error ? String(error.data?.kind) : (read as protocol.ReadFileResult).content,
				),
			);
			if (round % 10 === 0) await wait(1);
		}
		const contents = await Promise.all(answers);
		isRacing = false;
		await racing;
		expect(contents).not.toContain('secret');
		expect(
			contents.every((one) => ['public', 'OutsideWorkspace', 'FileUnreadable'].includes(one ?? '')),
		).toBe(true);
	});

	it('ends a session’s watches when it is deleted, and keeps those of others', async () => {
		const { daemon, folder, uri } = await workspace();
		writeFileSync(join(folder, 'a.txt'), 'a\n');
		await daemon.ask(protocol.sessionOpen, { sessionId: 't', provider: 'openai', model: 'gpt-4o' });
		for (const sessionId of ['s', 't']) {
			await daemon.ask(protocol.contextReadFile, { sessionId, uri: uri('a.txt') });
		}
		await daemon.ask(protocol.sessionDelete, { sessionId: 's' });
		writeFileSync(join(folder, 'a.txt'), 'b\n');
		expect(await daemon.told('context/didChangeFile')).toEqual({
			uri: uri('a.txt'),
			change: 'changed',
			sessionIds: ['t'],
		});
	});

	it('leaves only so many sessions’ watches as sessions are open at once', async () => {
		const { daemon, folder, uri } = await workspace();
		daemon.notify('workspace/didChangeConfiguration', { settings: {} });
		writeFileSync(join(folder, 'a.txt'), 'a\n');
		await daemon.ask(protocol.contextReadFile, { sessionId: 's', uri: uri('a.txt') });
		for (let index = 0; index < 50; index++)
			await daemon.ask(protocol.sessionOpen, { sessionId: `other${index}` });
		await wait(300);
		writeFileSync(join(folder, 'a.txt'), 'b\n');
		await wait(600);
		expect(daemon.heard.filter(({ method }) => method === 'context/didChangeFile')).toEqual([]);
		await eventually(async () => {
			const again = await daemon.ask(protocol.contextReadFile, { sessionId: 's', uri: uri('a.txt') });
			expect(again.content).toBe('b\n');
		});
		await rm(join(folder, 'a.txt'));
		expect(await daemon.told('context/didChangeFile')).toMatchObject({
			change: 'deleted',
			sessionIds: ['s'],
		});
	});
});
