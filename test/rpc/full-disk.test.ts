/** Sessions on a full disk: a small file system in memory, which only root may mount. */

import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contextHistory, contextRecall } from '../../server/protocol/history.ts';
import { sessionAppend, sessionDelete, sessionList, sessionOpen } from '../../server/protocol/session.ts';
import { contextStats } from '../../server/protocol/stats.ts';
import { freshFolder, startingApps } from '../support/app.ts';
import { userSays } from '../support/messages.ts';
import { needs } from '../support/needs.ts';
import { begin } from '../support/talk.ts';

const canMount = (() => {
	if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
	const folder = freshFolder();
	const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]);
	if (status === 0) execFileSync('umount', [folder]);
	rmSync(folder, { recursive: true });
	return status === 0;
})();

const { start, stop } = startingApps();
let disk: string;
let ballast: string;

beforeEach(() => {
	if (!canMount) return;
	disk = freshFolder();
	ballast = join(disk, 'ballast');
	execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]);
});

afterEach(async () => {
	await stop();
	if (canMount) execFileSync('umount', ['--lazy', disk]);
});

/** Writes zeros until the disk is full. */
function fillDisk(): void {
	const file = openSync(ballast, 'a');
	try {
		for (const bytes of [65_536, 4096, 1]) {
			try {
				for (;;) if (writeSync(file, Buffer.alloc(bytes)) < bytes) break;
			} catch (error) {
				expect(error).toMatchObject({ code: 'ENOSPC' });
			}
		}
	} finally {
		closeSync(file);
	}
}

describe.skipIf(!canMount)('sessions on a full disk', needs('root on Linux, to mount a small disk'), () => {
	it('sessions on a full disk can be read, listed and deleted, and written once there is space', async () => {
		const home = join(disk, 'state');
		const first = await start({ home });
		for (const id of ['s', 't'])
			await begin(first, id, [userSays('remember the port 4711'), userSays('two')]);
		await stop();
		fillDisk();
		const app = await start({ home });
		expect(await app.ask(sessionOpen, { sessionId: 's' })).toMatchObject({ created: false, messageCount: 2 });
		expect((await app.ask(contextHistory, { sessionId: 's' })).messages).toHaveLength(2);
		expect(await app.ask(contextStats, { sessionId: 's' })).toMatchObject({ messageCount: 2 });
		expect((await app.ask(contextRecall, { sessionId: 's', query: 'port' })).matches).toHaveLength(1);
		expect((await app.ask(sessionList, {})).sessions).toHaveLength(2);
		const large = { sessionId: 's', messages: [userSays('x'.repeat(10_000))] };
		expect((await app.refusal('session/append', large)).data?.kind).toBe('StorageFailed');
		expect((await app.ask(contextHistory, { sessionId: 's' })).messages).toHaveLength(2);
		expect((await app.refusal('session/open', { sessionId: 'new' })).data?.kind).toBe('StorageFailed');
		await app.ask(sessionDelete, { sessionId: 't' });
		rmSync(ballast);
		await app.ask(sessionAppend, large);
		await app.ask(sessionOpen, { sessionId: 'new' });
		expect((await app.ask(sessionList, {})).sessions).toHaveLength(2);
	});
});
