import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { controlDaemon } from '../../server/daemon/control.ts';
import { openDaemonLog } from '../../server/daemon/daemonLog.ts';
import { takeFolderLock } from '../../server/node/folderLock.ts';
import { initializedClient } from '../support/socketClient.ts';
import { endDaemons, freshStateFolder, serveHere } from './here.ts';

/** Total of the requested waiting times; on a busy machine, real waits are longer. */
let waitedMs = 0;

vi.mock('node:timers/promises', async (original) => {
	const timers = await original<typeof import('node:timers/promises')>();
	const setTimeout: typeof timers.setTimeout = (ms = 0, ...rest) => {
		waitedMs += ms;
		return timers.setTimeout(ms, ...rest);
	};
	return { ...timers, setTimeout };
});

afterEach(endDaemons);

describe('the control of a daemon by another process', () => {
	it('look returns the status of a running daemon, and "none" before and after', async () => {
		const stateFolder = await freshStateFolder();
		const control = controlDaemon(stateFolder);
		expect(await control.inspect()).toEqual({ kind: 'none' });
		const { stop, exitCode } = await serveHere({ stateFolder });
		await initializedClient(stateFolder);
		expect(await control.inspect()).toMatchObject({
			kind: 'running',
			status: { pid: process.pid, clients: 1, version: '0.1.0' },
		});
		stop();
		await exitCode;
		expect(await control.inspect()).toEqual({ kind: 'none' });
	});

	it('look reports within 3 s that a daemon does not answer', async () => {
		const stateFolder = await freshStateFolder();
		const lock = await takeFolderLock(stateFolder, 'daemon');
		const server = createServer({ pauseOnConnect: true }).listen(join(stateFolder, 'daemon.sock'));
		waitedMs = 0;
		expect(await controlDaemon(stateFolder).inspect()).toEqual({ kind: 'silent', pid: process.pid });
		expect(waitedMs).toBeGreaterThan(0);
		expect(waitedMs).toBeLessThan(3_000);
		server.close();
		await lock.release();
	});

	it('look reports a process that uses the folder without serving clients', async () => {
		const stateFolder = await freshStateFolder();
		const lock = await takeFolderLock(stateFolder, 'alone');
		expect(await controlDaemon(stateFolder).inspect()).toEqual({ kind: 'closed', pid: process.pid });
		await lock.release();
	});

	it('readLog returns the log, which is cut to half a megabyte when it reaches a megabyte', async () => {
		const stateFolder = await freshStateFolder();
		const control = controlDaemon(stateFolder);
		expect(await control.readLog()).toBeUndefined();
		const log = openDaemonLog(stateFolder);
		for (let line = 0; line < 16_000; line++) log.write(`${line} ${'x'.repeat(93)}\n`);
		const lines = (await control.readLog())?.split('\n') ?? [];
		expect(lines.length).toBeGreaterThan(4_000);
		expect(lines.length).toBeLessThan(11_000);
		expect(lines.at(-2)).toMatch(/^15999 x+$/);
		expect(lines[0]).toMatch(/^\d+ x+$/);
	});
});
