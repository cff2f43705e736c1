import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ClientOutput } from '../../server/daemon/clientStreams.ts';
import { helloOf, initializedClient, sayTo } from '../support/socketClient.ts';
import { endDaemons, freshStateFolder, serveHere } from './here.ts';

afterEach(async () => {
	vi.useRealTimers();
	vi.restoreAllMocks();
	await endDaemons();
});

/** Returns both ends of a connection whose far end reads nothing yet. */
async function connection(): Promise<{ near: Socket; far: Socket; close(): void }> {
	const path = join(await freshStateFolder(), 'pair.sock');
	const server = createServer().listen(path);
	const far = createConnection(path).pause();
	const [near] = (await once(server, 'connection')) as [Socket];
	return { near, far, close: () => void server.close(() => far.destroy()) };
}

const megabyte = 'x'.repeat(1 << 20);

describe('a client that never reads', () => {
	it('a client is stuck after 8 MiB have waited for it for 30 s, unless it reads some of it', async () => {
		const { near, far, close } = await connection();
		vi.useFakeTimers({ toFake: ['performance'] });
		const output = new ClientOutput(near);
		for (let count = 0; count < 20; count++) output.write(megabyte);
		expect(output.isStuck()).toBe(false);
		vi.advanceTimersByTime(29_000);
		expect(output.isStuck()).toBe(false);
		vi.advanceTimersByTime(2_000);
		expect(output.isStuck()).toBe(true);
		const before = output.writableLength;
		far.resume();
		await expect.poll(() => output.writableLength).toBeLessThan(before);
		expect(output.isStuck()).toBe(false);
		output.destroy();
		close();
	});

	it('a client is stuck after 2 s if a quarter of a gigabyte waits for it', async () => {
		const { near, close } = await connection();
		vi.useFakeTimers({ toFake: ['performance'] });
		const output = new ClientOutput(near);
		for (let count = 0; count < 260; count++) output.write(megabyte);
		vi.advanceTimersByTime(1_900);
		expect(output.isStuck()).toBe(false);
		vi.advanceTimersByTime(200);
		expect(output.isStuck()).toBe(true);
		output.destroy();
		close();
	});

	it('a stuck client is disconnected, and does not delay other clients meanwhile', async () => {
		const { stateFolder, clients, log } = await serveHere();
		const { socket } = await sayTo(stateFolder, helloOf());
		const send = (message: object): boolean =>
			socket.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
		send({ id: 0, method: 'initialize', params: { processId: null, capabilities: {} } });
		send({ method: 'initialized', params: {} });
		for (let id = 1; id <= 3_000; id++) send({ id, method: 'context/echo', params: {} });
		await expect.poll(() => clients.length).toBe(1);
		const other = await initializedClient(stateFolder);
		for (let count = 0; count < 20; count++) {
			void clients[0]?.connection.notify(
				{ kind: 'notification', method: 'context/push', direction: 'to the client' },
				{ text: megabyte },
			);
		}
		expect((await other.ask('context/echo', { is: 'well' })).result).toEqual({ is: 'well' });
		const now = performance.now.bind(performance);
		vi.spyOn(performance, 'now').mockImplementation(() => now() + 31_000);
		await expect.poll(() => log).toContain('warn disconnected a client that had stopped reading');
		expect((await other.ask('context/echo', { is: 'well' })).result).toEqual({ is: 'well' });
	});
});
