import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
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

/** Returns the resident memory of a process in bytes. */
function memoryOf(pid: number): number {
	const status = readFileSync(`/proc/${pid}/status`, 'utf8');
	return Number(/VmRSS:\s*(\d+)/.exec(status)?.[1]) * 1024;
}

/** Returns the number of files and folders that the system watches for a process. */
function watchesOf(pid: number): number {
	const folder = `/proc/${pid}/fdinfo`;
	const infos = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
	return infos.join('').split('inotify wd:').length - 1;
}

describe('the daemon and files', () => {
	it.skipIf(!isLinux)(
		'a daemon watches 5,000 files with less than 100 MB and reports a change of any of them',
		{ ...needsLinux, timeout: 240_000 },
		async () => {
			const { daemon, folder, uri } = await workspace();
			const count = 5000;
			const nameOf = (index: number) => `part${Math.floor(index / 100)}/file${index}.ts`;
			for (let index = 0; index < count; index++) {
				if (index % 100 === 0) mkdirSync(join(folder, `part${index / 100}`));
				writeFileSync(join(folder, nameOf(index)), `export const value${index} = ${index};\n`.repeat(20));
			}
			// Loads the estimator's tables, which should not be measured.
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
				await daemon.awaitNotification('context/didChangeFile', isIt);
			}
			const stats = await daemon.ask(protocol.contextStats, { sessionId: 's' });
			expect(stats?.staleReads).toEqual(
				changed.map((index) => ({ uri: uri(nameOf(index)), messageId: 'u' })),
			);
			expect(added).toBeLessThan(100);
		},
	);

	it('deleting a session ends its watches, and keeps those of other sessions', async () => {
		const { daemon, folder, uri } = await workspace();
		writeFileSync(join(folder, 'a.txt'), 'a\n');
		await daemon.ask(protocol.sessionOpen, { sessionId: 't', provider: 'openai', model: 'gpt-4o' });
		for (const sessionId of ['s', 't']) {
			await daemon.ask(protocol.contextReadFile, { sessionId, uri: uri('a.txt') });
		}
		await daemon.ask(protocol.sessionDelete, { sessionId: 's' });
		writeFileSync(join(folder, 'a.txt'), 'b\n');
		expect(await daemon.awaitNotification('context/didChangeFile')).toEqual({
			uri: uri('a.txt'),
			change: 'changed',
			sessionIds: ['t'],
		});
	});
});
