import { once } from 'node:events';
import { readdir, utimes, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { takeFolderLock } from '../../server/node/folderLock.ts';
import { LocationRefusedError } from '../../server/node/ownFolder.ts';
import { formatIdentity, readOwnIdentity } from '../../server/node/processIdentity.ts';
import { FolderInUseError } from '../../server/relay/connectDaemon.ts';
import { freshFolder, removeFolders } from '../support/app.ts';
import { daemonStarted } from '../support/daemon.ts';
import {
	type RelayedClient,
	type ScriptedDaemon,
	startRelay as startAnyRelay,
	startScriptedDaemon,
} from '../support/scriptedDaemon.ts';

const daemons: ScriptedDaemon[] = [];
const clients: RelayedClient[] = [];

afterEach(async () => {
	vi.restoreAllMocks();
	// A relay that still runs would start another daemon, and the next test would mistake it for its own.
	for (const client of clients) client.stop();
	await Promise.all(daemons.splice(0).map((daemon) => daemon.close()));
	await Promise.allSettled(clients.splice(0).map(({ exitCode }) => exitCode));
	await removeFolders();
});

async function daemonIn(...args: Parameters<typeof startScriptedDaemon>): Promise<ScriptedDaemon> {
	const daemon = await startScriptedDaemon(...args);
	daemons.push(daemon);
	return daemon;
}

function startRelay(...args: Parameters<typeof startAnyRelay>): RelayedClient {
	const client = startAnyRelay(...args);
	clients.push(client);
	return client;
}

describe('a relay without a daemon', () => {
	it('twenty relays that begin at once start one daemon', async () => {
		const folder = freshFolder();
		let started = 0;
		const startDaemon = async () => {
			started++;
			await daemonIn(folder);
			return undefined;
		};
		for (let count = 0; count < 20; count++) startRelay(folder, { startDaemon });
		await expect.poll(() => daemons[0]?.connections.length).toBe(20);
		expect(started).toBe(1);
		for (const client of clients) client.stop();
		await expect.poll(() => readdir(folder)).not.toContain('daemon.starting');
	});

	it('a relay starts another daemon if the first one ends at once', async () => {
		const folder = freshFolder();
		let started = 0;
		startRelay(folder, {
			async startDaemon(_program, _folder, onEnd) {
				started++;
				if (started < 2) onEnd();
				else await daemonIn(folder);
				return undefined;
			},
		});
		await expect.poll(() => daemons[0]?.connections.length).toBe(1);
		expect(started).toBe(2);
	});

	it('a relay starts another daemon if the first one ends right after its welcome', async () => {
		const folder = freshFolder();
		const server = createServer((socket) => {
			socket.on('error', () => {});
			socket.end(`${JSON.stringify({ kind: 'welcome', version: '1.0.0', pid: 1 })}\n`);
		});
		server.listen(join(folder, 'first.sock'));
		await once(server, 'listening');
		let started = 0;
		startRelay(folder, {
			async startDaemon(_program, _folder, onEnd) {
				started++;
				if (started > 1) {
					await daemonIn(folder);
					return undefined;
				}
				onEnd();
				const connection = connect(join(folder, 'first.sock'));
				// Node still reads the remaining data of a process that has ended.
				connection.once('data', () => process.nextTick(() => connection.resume()));
				return connection;
			},
		});
		await expect.poll(() => daemons[0]?.connections.length).toBe(1);
		expect(started).toBe(2);
		server.close();
	});

	it('a relay takes over an old start of a daemon from another process', async () => {
		const folder = freshFolder();
		const file = join(folder, 'daemon.starting');
		await writeFile(file, '1\n');
		await utimes(file, new Date(Date.now() - 60_000), new Date(Date.now() - 60_000));
		startRelay(folder, {
			async startDaemon() {
				await daemonIn(folder);
				return undefined;
			},
		});
		await expect.poll(() => daemons[0]?.connections.length).toBe(1);
	});

	it('a relay takes over the start at once from a process that is known to have ended', async () => {
		const folder = freshFolder();
		const self = await readOwnIdentity();
		const file = join(folder, 'daemon.starting');
		await writeFile(file, formatIdentity({ ...self, pid: 4_000_000 }));
		// The file never becomes old.
		await utimes(file, new Date(), new Date(Date.now() + 3_600_000));
		startRelay(folder, {
			async startDaemon() {
				await daemonIn(folder);
				return undefined;
			},
		});
		await expect.poll(() => daemons[0]?.connections.length).toBe(1);
	});

	it('the wait for a start of a daemon ends with the process that started it', async () => {
		const folder = freshFolder();
		const self = await readOwnIdentity();
		await writeFile(join(folder, 'daemon.starting'), formatIdentity({ ...self, pid: 4_000_000 }));
		await daemonStarted(folder);
	});

	it('a relay refuses a folder that another process uses without serving others', async () => {
		const folder = freshFolder();
		const lock = await takeFolderLock(folder, 'alone');
		const client = startRelay(folder);
		await expect(client.exitCode).rejects.toThrow(FolderInUseError);
		await lock.release();
	});

	it('a relay waits for a daemon that has locked the folder and listens only later', async () => {
		const folder = freshFolder();
		const lock = await takeFolderLock(folder, 'daemon');
		startRelay(folder);
		await wait(500);
		const daemon = await daemonIn(folder, () => ({ kind: 'welcome', version: '1.0.0', pid: 1 }));
		await daemon.connection(0);
		await lock.release();
	});

	it('a relay waits more than 10 s for a process that it has started', async () => {
		const now = performance.now.bind(performance);
		let passedMs = 0;
		vi.spyOn(performance, 'now').mockImplementation(() => now() + passedMs);
		const folder = freshFolder();
		let started = 0;
		const client = startRelay(folder, {
			async startDaemon() {
				started++;
				return undefined;
			},
		});
		await expect.poll(() => started).toBe(1);
		passedMs = 15_000;
		await wait(100);
		const daemon = await daemonIn(folder);
		await daemon.connection(0);
		expect(client.errors()).toBe('');
	});

	it('a relay fails after 10 s if every daemon that it starts ends at once', async () => {
		const now = performance.now.bind(performance);
		let passedMs = 0;
		vi.spyOn(performance, 'now').mockImplementation(() => now() + passedMs);
		let started = 0;
		const client = startRelay(freshFolder(), {
			async startDaemon(_program, _folder, onEnd) {
				started++;
				onEnd();
				return undefined;
			},
		});
		await expect.poll(() => started).toBeGreaterThan(0);
		passedMs = 15_000;
		await expect(client.initialize()).rejects.toThrow('could not be started within 10 s');
	});

	it('a relay refuses a state folder in which nothing can be created', async () => {
		const folder = freshFolder();
		await writeFile(join(folder, 'file'), '');
		const client = startRelay(join(folder, 'file', 'state'));
		await expect(client.exitCode).rejects.toThrow(LocationRefusedError);
	});
});

describe('a relay whose daemon cannot be used', () => {
	it('a relay answers initialize with the refusal of a daemon of another protocol', async () => {
		const folder = freshFolder();
		await daemonIn(folder, () => ({ kind: 'refused', reason: 'versions 1 and 2 differ' }));
		const client = startRelay(folder);
		await expect(client.initialize()).rejects.toThrow('versions 1 and 2 differ');
		expect(await client.exitCode).toBe(1);
		expect(client.errors()).toContain('versions 1 and 2 differ');
	});

	it('a relay waits for the next daemon while one moves aside', async () => {
		const folder = freshFolder();
		let asked = 0;
		const daemon = await daemonIn(folder, () =>
			++asked < 3 ? { kind: 'movingAside' } : { kind: 'welcome', version: '1.0.0', pid: 1 },
		);
		startRelay(folder);
		await daemon.connection(0);
		expect(asked).toBe(3);
	});

	it('a relay answers initialize with one error if the daemon does not answer', async () => {
		const folder = freshFolder();
		await daemonIn(folder, () => undefined);
		const client = startRelay(folder);
		await expect(client.initialize()).rejects.toThrow('contextd daemon stop');
		expect(await client.exitCode).toBe(1);
	});
});
