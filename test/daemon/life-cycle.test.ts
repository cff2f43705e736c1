import { once } from 'node:events';
import { existsSync, lstatSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createConnection, Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { findSocket } from '../../server/daemon/socketAddress.ts';
import { FolderHeldError, takeFolderLock } from '../../server/node/folderLock.ts';
import { type DaemonStatus, parseDaemonStatus, relayMethods } from '../../server/protocol/hello.ts';
import { removeFolder } from '../support/removeFolder.ts';
import { connectTo, helloOf, initializedClient, sayTo } from '../support/socketClient.ts';
import { endDaemons, freshStateFolder, serveHere } from './here.ts';

afterEach(async () => {
	vi.restoreAllMocks();
	await endDaemons();
});

async function statusOf(stateFolder: string): Promise<DaemonStatus> {
	const { lines } = await sayTo(stateFolder, { ask: 'status' });
	return parseDaemonStatus((await lines.next()).value ?? '');
}

describe('a daemon', () => {
	it('a daemon welcomes a client and serves it over the same connection', async () => {
		const { stateFolder, clients } = await serveHere();
		const client = await initializedClient(stateFolder, { cwd: '/project' });
		expect(client.answer).toEqual({ kind: 'welcome', version: '0.1.0', pid: process.pid });
		expect(clients[0]?.hello).toEqual(helloOf({ cwd: '/project' }));
		expect((await client.ask('context/echo', { text: 'é'.repeat(70_000) })).result).toEqual({
			text: 'é'.repeat(70_000),
		});
	});

	it('a daemon sends a client its log and then its exit code', async () => {
		const { stateFolder } = await serveHere();
		const client = await initializedClient(stateFolder);
		await client.ask('shutdown');
		client.send({ method: 'exit' });
		expect(await client.exitCode).toBe(0);
		const [first, last] = client.notifications.filter(({ method }) => method?.startsWith('$/contextd/'));
		expect(first?.params?.text).toMatch(/info {2}goodbye\n$/);
		expect(last).toMatchObject({ method: relayMethods.exit, params: { code: 0 } });
	});

	it('a daemon answers all requests it has read from a client whose input ended', async () => {
		const { stateFolder } = await serveHere();
		const client = await initializedClient(stateFolder);
		const answers = Array.from({ length: 50 }, (_, number) => client.ask('context/echo', { number }));
		client.socket.end();
		expect((await Promise.all(answers)).map(({ result }) => result)).toEqual(
			Array.from({ length: 50 }, (_, number) => ({ number })),
		);
		expect(await client.exitCode).toBe(0);
	});

	it('a daemon does not count the asker in its status', async () => {
		const { stateFolder } = await serveHere({ countOpenSessions: () => 3 });
		await initializedClient(stateFolder);
		expect(await statusOf(stateFolder)).toMatchObject({
			version: '0.1.0',
			pid: process.pid,
			clients: 1,
			sessions: 3,
		});
	});

	it('a daemon disconnects a client without a valid hello, and continues', async () => {
		const { stateFolder, log } = await serveHere();
		for (const line of ['GET / HTTP/1.1', '{}', '{"protocol":1,"version":"1.0.0"}', '\0'.repeat(5 << 20)]) {
			const { lines } = await sayTo(stateFolder, line);
			expect(await lines.next().catch(() => ({ done: true }))).toMatchObject({ done: true });
		}
		expect(log.filter((line) => line.startsWith('error'))).toHaveLength(3);
		expect((await initializedClient(stateFolder)).answer.kind).toBe('welcome');
	});

	it('a daemon refuses an older protocol in one sentence that names both versions', async () => {
		const { stateFolder } = await serveHere({ version: '2.0.0' });
		const { lines } = await sayTo(stateFolder, { protocol: 7, version: '1.2.3' });
		expect(JSON.parse((await lines.next()).value ?? '')).toEqual({
			kind: 'refused',
			reason:
				"the running daemon is contextd 2.0.0 (protocol 1) and this client's contextd is 1.2.3 (protocol 7): restart the client with the newer one",
		});
	});

	it('a daemon cannot start in a folder that another one serves', async () => {
		const { stateFolder } = await serveHere();
		await expect(serveHere({ stateFolder })).rejects.toThrow(FolderHeldError);
		expect((await initializedClient(stateFolder)).answer.kind).toBe('welcome');
	});

	it('a daemon does not create its folder again if it is removed while another process holds it', async () => {
		const stateFolder = await freshStateFolder();
		const held = await takeFolderLock(stateFolder, 'daemon');
		const starting = serveHere({ stateFolder });
		const refusal = starting.catch((error: Error) => error.message);
		const isTrying = (): boolean => readdirSync(stateFolder).some((name) => name.startsWith('daemon.lock-'));
		while (!isTrying()) await new Promise((resolve) => setImmediate(resolve));
		rmSync(stateFolder, { recursive: true });
		expect(await refusal).toBe(`${stateFolder} is gone`);
		expect(existsSync(stateFolder)).toBe(false);
		await held.release();
	});

	it('a daemon leaves nothing but its log behind', async () => {
		const { stateFolder, stop, exitCode } = await serveHere();
		expect(lstatSync(join(stateFolder, 'daemon.sock')).mode & 0o777).toBe(0o600);
		stop();
		expect(await exitCode).toBe(0);
		expect(readdirSync(stateFolder)).toEqual([]);
	});

	it('a daemon ends after the set minutes without a client', async () => {
		const { stateFolder, settings, exitCode } = await serveHere();
		const client = await initializedClient(stateFolder);
		settings.idleMinutes = 0.1 / 60;
		await new Promise((done) => setTimeout(done, 300));
		expect((await client.ask('context/echo', {})).result).toEqual({});
		client.socket.end();
		expect(await exitCode).toBe(0);
		expect(existsSync(join(stateFolder, 'daemon.sock'))).toBe(false);
	});

	it('a daemon without clients ends at once when its folder is gone, and does not create it again', async () => {
		const { stateFolder, exitCode } = await serveHere();
		const client = await initializedClient(stateFolder);
		await removeFolder(stateFolder);
		await new Promise((done) => setTimeout(done, 200));
		expect((await client.ask('context/echo', {})).result).toEqual({});
		client.socket.end();
		expect(await exitCode).toBe(0);
		expect(existsSync(stateFolder)).toBe(false);
	});

	it('a daemon listens again when its socket was removed, and keeps its connections', async () => {
		const { stateFolder } = await serveHere();
		const client = await initializedClient(stateFolder);
		await rm(join(stateFolder, 'daemon.sock'));
		await expect.poll(() => existsSync(join(stateFolder, 'daemon.sock'))).toBe(true);
		const later = await vi.waitFor(() => initializedClient(stateFolder));
		expect((await later.ask('context/echo', { is: 'new' })).result).toEqual({ is: 'new' });
		expect((await client.ask('context/echo', { is: 'old' })).result).toEqual({ is: 'old' });
	});

	it('a daemon without clients ends when its socket was removed, and does not create it again', async () => {
		const { stateFolder, exitCode } = await serveHere();
		const client = await initializedClient(stateFolder);
		client.socket.end();
		await rm(join(stateFolder, 'daemon.sock'));
		expect(await exitCode).toBe(0);
		expect(existsSync(join(stateFolder, 'daemon.sock'))).toBe(false);
	});

	it('a daemon listens in a private folder if the file system of its state folder supports no sockets', async () => {
		const listen = Server.prototype.listen;
		vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, ...args: unknown[]) {
			if (!String(args[0]).includes('contextd-daemon-')) return Reflect.apply(listen, this, args);
			const error = Object.assign(new Error('operation not supported'), { code: 'ENOTSUP' });
			setImmediate(() => this.emit('error', error));
			return this;
		});
		const { stateFolder } = await serveHere();
		expect(readdirSync(stateFolder)).toContain('daemon.address');
		expect((await initializedClient(stateFolder)).answer.kind).toBe('welcome');
	});

	it('a daemon ends at once when another process has taken its folder', async () => {
		const { stateFolder, exitCode, log } = await serveHere();
		const lock = join(stateFolder, 'daemon.lock');
		const [own = ''] = readdirSync(lock);
		rmSync(join(lock, own));
		writeFileSync(
			join(lock, own.replace(/[0-9a-f]{12}\.([0-9a-f]{16})$/, 'abcdef012345.0123456789abcdef')),
			'other',
		);
		expect(await exitCode).toBe(1);
		expect(log.at(-1)).toBe('error another process has taken the state folder');
		rmSync(lock, { recursive: true });
	});

	it('a daemon closes idle sessions while it uses more memory than its setting allows', async () => {
		const asked: number[] = [];
		let open = 16;
		const { settings } = await serveHere({
			countOpenSessions: () => open,
			async closeIdleSessions(count) {
				asked.push(count);
				open -= count;
			},
		});
		settings.memoryMb = 1;
		await expect.poll(() => open).toBe(0);
		expect(asked.slice(0, 2)).toEqual([2, 2]);
	});
});

describe('a daemon that moves aside', () => {
	it('a daemon that ends for the next one lets clients finish, names the next program, and closes their connections last', async () => {
		const { stateFolder, exitCode } = await serveHere();
		const client = await initializedClient(stateFolder);
		const newer = await connectTo(stateFolder, { version: '0.2.0', program: ['node', 'new.cjs'] });
		expect(newer.answer).toEqual({ kind: 'movingAside' });
		expect((await client.notified(relayMethods.moved)).params).toEqual({ program: ['node', 'new.cjs'] });
		expect(await exitCode).toBe(0);
		expect([await client.exitCode, await newer.exitCode]).toEqual([undefined, undefined]);
		expect(readdirSync(stateFolder)).toEqual([]);
	});

	it('a client can take over the folder as soon as its connection to the old daemon closes', async () => {
		const { stateFolder } = await serveHere();
		const client = await initializedClient(stateFolder);
		await connectTo(stateFolder, { version: '0.2.0' });
		await client.exitCode;
		const next = await serveHere({ stateFolder, version: '0.2.0' });
		expect((await initializedClient(stateFolder)).answer).toMatchObject({ version: '0.2.0' });
		expect(next.log).toEqual([`info listening at ${join(stateFolder, 'daemon.sock')}`]);
	});

	it('a daemon that moves aside counts the messages it has read of each client, and reads none after that', async () => {
		let send = (): void => {};
		const { stateFolder, stop, exitCode } = await serveHere({
			// Called when the conversations are over and the connections are still open.
			close: async () => send(),
		});
		const client = await initializedClient(stateFolder);
		await client.ask('context/echo', {});
		const unread = new Promise((resolve) => {
			send = () => resolve(client.ask('context/echo', { is: 'unread' }));
		});
		stop();
		expect((await client.notified(relayMethods.left)).params).toEqual({ received: 3 });
		expect(await unread).toMatchObject({ error: { message: 'the connection was closed' } });
		expect(await exitCode).toBe(0);
	});

	it('a daemon that moves aside does not count a message that it has read only in part', async () => {
		const { stateFolder, stop } = await serveHere();
		const client = await initializedClient(stateFolder);
		client.socket.cork();
		const whole = client.ask('context/echo', {});
		client.socket.write('{"jsonrpc":"2.0","id":"half","method":"context/echo","params":');
		client.socket.uncork();
		await whole;
		stop();
		expect((await client.notified(relayMethods.left)).params).toEqual({ received: 3 });
	});

	it('a daemon that moves aside lets a client that it was about to serve continue with the next one', async () => {
		let open = (): void => {};
		const opened = new Promise<void>((resolve) => {
			open = resolve;
		});
		const { stateFolder, stop, exitCode } = await serveHere({ beforeClient: () => opened });
		const client = await connectTo(stateFolder);
		const answer = client.ask('initialize', { processId: null, capabilities: {} });
		stop();
		open();
		const { params } = await client.notified(relayMethods.left);
		expect(client.notifications.map(({ method }) => method)).toContain(relayMethods.moved);
		expect(await exitCode).toBe(0);
		expect(params).toEqual({ received: (await answer).result === undefined ? 0 : 1 });
	});

	it('a daemon stays until its clients have closed their connections, so that they can read the last answers', async () => {
		const { stateFolder, stop, exitCode } = await serveHere();
		const address = await findSocket(stateFolder);
		const socket = createConnection({ path: address?.path ?? '', allowHalfOpen: true });
		socket.write(`${JSON.stringify(helloOf())}\n`);
		await once(socket, 'data');
		stop();
		socket.resume();
		await once(socket, 'end');
		let hasEnded = false;
		void exitCode.then(() => {
			hasEnded = true;
		});
		socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'context/echo' })}\n`);
		await new Promise((resolve) => socket.write('\n', resolve));
		expect(hasEnded).toBe(false);
		socket.destroy();
		expect(await exitCode).toBe(0);
	});

	it('a daemon sends a slow reader the rest of its output before it says that it has left', async () => {
		const { stateFolder, clients, stop } = await serveHere();
		const client = await initializedClient(stateFolder);
		const text = 'x'.repeat(3_000_000);
		const answer = client.ask('context/echo', { text });
		client.socket.pause();
		await expect.poll(() => clients[0]?.received()).toBe(3);
		stop();
		setTimeout(() => client.socket.resume(), 50);
		expect((await answer).result).toEqual({ text });
		expect((await client.notified(relayMethods.left)).params).toEqual({ received: 3 });
	});

	it('a daemon that moves aside answers running requests, and cancels those that exceed its limit', async () => {
		const { stateFolder, stop, exitCode } = await serveHere({ maxDrainMs: 2_000 });
		const [quick, slow] = [await initializedClient(stateFolder), await initializedClient(stateFolder)];
		const begun = performance.now();
		const hanging = slow.ask('context/hang');
		await slow.ask('context/echo', {});
		stop();
		await quick.notified(relayMethods.moved);
		expect((await quick.ask('context/echo', { late: true })).result).toEqual({ late: true });
		expect((await hanging).error).toMatchObject({ code: -32800 });
		expect(await exitCode).toBe(0);
		expect(performance.now() - begun).toBeGreaterThan(1_900);
		expect(await slow.exitCode).toBeUndefined();
		const notices = slow.notifications.map(({ method }) => method);
		expect(notices.filter((method) => method !== relayMethods.log)).toEqual([
			relayMethods.moved,
			relayMethods.left,
		]);
	});

	it('a daemon that moves aside still gives a client that leaves its exit code', async () => {
		const { stateFolder, stop } = await serveHere({ maxDrainMs: 2_000 });
		const [leaving, slow] = [await initializedClient(stateFolder), await initializedClient(stateFolder)];
		void slow.ask('context/hang');
		await slow.ask('context/echo', {});
		stop();
		await leaving.notified(relayMethods.moved);
		leaving.socket.end();
		expect(await leaving.exitCode).toBe(0);
	});

	it('a daemon moves aside when its program was replaced, and leaves the choice of the next one to each client', async () => {
		let isReplaced = false;
		const { stateFolder, exitCode } = await serveHere({ isReplaced: () => isReplaced });
		const client = await initializedClient(stateFolder);
		isReplaced = true;
		expect((await connectTo(stateFolder)).answer).toEqual({ kind: 'movingAside' });
		expect((await client.notified(relayMethods.moved)).params).toEqual({});
		expect(await exitCode).toBe(0);
	});

	it('a daemon moves aside for a newer version of another protocol', async () => {
		const { stateFolder, exitCode } = await serveHere();
		const client = await initializedClient(stateFolder);
		const program = ['node', 'v2.cjs'];
		await sayTo(stateFolder, { protocol: 2, version: '2.0.0', program });
		expect((await client.notified(relayMethods.moved)).params).toEqual({ program });
		expect(await exitCode).toBe(0);
	});

	it('a daemon closes its sessions before it releases the lock of the folder', async () => {
		let isLocked = false;
		const stateFolder = await freshStateFolder();
		const { stop, exitCode } = await serveHere({
			stateFolder,
			async close() {
				isLocked = existsSync(join(stateFolder, 'daemon.lock'));
			},
		});
		stop();
		await exitCode;
		expect(isLocked).toBe(true);
	});
});

describe('many clients', () => {
	it('a daemon serves fifty clients at once', async () => {
		const { stateFolder } = await serveHere();
		const clients = await Promise.all(Array.from({ length: 50 }, () => initializedClient(stateFolder)));
		const answers = await Promise.all(
			clients.flatMap((client, index) =>
				Array.from({ length: 20 }, (_, number) => client.ask('context/echo', { index, number })),
			),
		);
		expect(answers.map(({ result }) => result)).toEqual(
			clients.flatMap((_, index) => Array.from({ length: 20 }, (__, number) => ({ index, number }))),
		);
		const left = clients.map(async ({ socket }) => {
			socket.end();
			await once(socket, 'close');
		});
		await Promise.all(left);
		expect(await statusOf(stateFolder)).toMatchObject({ clients: 0 });
	});
});
