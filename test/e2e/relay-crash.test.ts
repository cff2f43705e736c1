import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { findHolder } from '../../server/node/folderLock.ts';
import { cleanUp, type Daemon, freshHome, startDaemon } from '../support/daemon.ts';
import { historyIn } from '../support/talk.ts';

const isSoak = process.env.CONTEXTD_SOAK === '1';
/** Kills of the daemon while four clients work. */
const kills = isSoak ? 500 : 5;
/** Times that twenty clients start at once. */
const rushes = isSoak ? 100 : 1;
/** Milliseconds that a client may wait for an answer; a machine that runs other tests gets more time. */
const maxWaitMs = isSoak ? 3_000 : 20_000;

afterEach(cleanUp);

/** Appends to a session until it is told to stop; returns the ids that were acknowledged. */
async function work(client: Daemon, sessionId: string, isOver: () => boolean): Promise<string[]> {
	const acknowledged: string[] = [];
	for (let count = 0; !isOver(); count++) {
		const id = `${sessionId}-${count}`;
		const began = performance.now();
		const messages = [{ id, role: 'user', content: `message ${count}` }];
		const { error } = await client.start('session/append', { sessionId, messages }).reply;
		if (error === undefined) acknowledged.push(id);
		else expect([-31983, -31984]).toContain(error.code);
		const { error: failed } = await client.start('context/stats', { sessionId }).reply;
		if (failed !== undefined) expect(failed.code).toBe(-31983);
		expect(performance.now() - began).toBeLessThan(maxWaitMs);
	}
	return acknowledged;
}

describe('kill -9 of the daemon', () => {
	it('loses nothing that was acknowledged, repeats nothing, and no client needs a restart', async () => {
		const home = await freshHome();
		const ids = ['a', 'b', 'c', 'd'];
		const clients = await Promise.all(ids.map(() => startDaemon({ home })));
		for (const [index, id] of ids.entries()) {
			await clients[index]?.start('session/open', { sessionId: id, model: 'gpt-4o' }).reply;
		}
		let isOver = false;
		const working = clients.map((client, index) => work(client, ids[index] ?? '', () => isOver));
		for (let kill = 0; kill < kills; kill++) {
			await setTimeout((kill * 7919) % 400);
			const holder = await findHolder(home);
			if (holder) process.kill(holder.pid, 'SIGKILL');
			else kill--;
		}
		isOver = true;
		const acknowledged = await Promise.all(working);
		for (const [index, id] of ids.entries()) {
			const stored = (await historyIn(clients[index] as Daemon, id)).map(
				(one) => (one as { id?: string }).id,
			);
			expect(new Set(stored).size).toBe(stored.length);
			const known = new Set(stored);
			expect(acknowledged[index]?.filter((one) => !known.has(one))).toEqual([]);
		}
		for (const client of clients) expect(await client.quit()).toBe(0);
	}, 1_800_000);
});

describe('a daemon that cannot be reached', () => {
	it('is reported by one error if it was stopped by a signal', async () => {
		const client = await startDaemon();
		const pid = await client.writer();
		process.kill(pid, 'SIGSTOP');
		const other = await startDaemon({ home: client.home, initialize: null });
		const began = performance.now();
		await expect(other.initialize()).rejects.toThrow(`process ${pid}`);
		expect(performance.now() - began).toBeLessThan(maxWaitMs);
		expect(await other.exited).toBe(1);
		process.kill(pid, 'SIGCONT');
	});

	it('is reached again soon after its socket was deleted', async () => {
		const client = await startDaemon();
		await rm(join(client.home, 'daemon.sock'));
		const other = await startDaemon({ home: client.home });
		expect(await other.writer()).toBe(await client.writer());
		expect(await other.quit()).toBe(0);
	});
});

describe('twenty clients that start at once', () => {
	it('share one daemon', async () => {
		for (let rush = 0; rush < rushes; rush++) {
			const home = await freshHome();
			const clients = await Promise.all(Array.from({ length: 20 }, () => startDaemon({ home })));
			const pid = await clients[0]?.writer();
			await clients[0]?.start('session/open', { sessionId: 's' }).reply;
			for (const client of clients) {
				expect((await client.start('session/list', {}).reply).result).toMatchObject({
					sessions: [{ sessionId: 's' }],
				});
			}
			expect(await clients[19]?.writer()).toBe(pid);
			const starts = (await readdir(home)).filter((name) => name === 'daemon.starting');
			expect(starts).toEqual([]);
			await cleanUp();
		}
	}, 1_800_000);
});
