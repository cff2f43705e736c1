import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { findSocket } from '../../server/daemon/socketAddress.ts';
import { parseDaemonStatus } from '../../server/protocol/hello.ts';
import { sessionOpen } from '../../server/protocol/session.ts';
import { startDetached } from '../../server/relay/startDaemon.ts';
import { freshFolder, removeFolders } from '../support/app.ts';
import { cleanUp, type Daemon, daemonFile, freshHome, startDaemon } from '../support/daemon.ts';
import { userSays } from '../support/messages.ts';
import { startRelay } from '../support/scriptedDaemon.ts';
import { helloOf, sayTo } from '../support/socketClient.ts';
import { historyIn } from '../support/talk.ts';

afterEach(async () => {
	await cleanUp();
	await removeFolders();
});

/** Copies the built program as another version. */
async function copyAs(version: string): Promise<string> {
	const dist = join(freshFolder(), 'dist');
	await cp(dirname(daemonFile), dist, { recursive: true });
	const { version: own } = JSON.parse(
		await readFile(new URL('../../package.json', import.meta.url), 'utf8'),
	) as { version: string };
	for (const name of await readdir(dist)) {
		if (!name.endsWith('.cjs')) continue;
		const text = await readFile(join(dist, name), 'utf8');
		await writeFile(join(dist, name), text.replaceAll(`"${own}"`, `"${version}"`));
	}
	return join(dist, 'contextd.cjs');
}

async function statusOf(home: string): Promise<{ version: string; pid: number }> {
	const { lines } = await sayTo(home, { ask: 'status' });
	return parseDaemonStatus((await lines.next()).value ?? '');
}

/** Appends and reads until it is stopped; returns the acknowledged texts. */
async function work(client: Daemon, sessionId: string, isOver: () => boolean): Promise<string[]> {
	const texts: string[] = [];
	for (let count = 0; !isOver(); count++) {
		const text = `${sessionId}-${count}`;
		const { error } = await client.start('session/append', { sessionId, messages: [userSays(text)] }).reply;
		expect(error).toBeUndefined();
		texts.push(text);
		expect((await client.start('context/stats', { sessionId }).reply).error).toBeUndefined();
	}
	return texts;
}

it('an older daemon steps aside for a newer client, and no request of an older client fails', async () => {
	const home = await freshHome();
	const ids = ['a', 'b'];
	const older = await Promise.all(ids.map(() => startDaemon({ home })));
	for (const [index, sessionId] of ids.entries()) await older[index]?.ask(sessionOpen, { sessionId });
	const before = await statusOf(home);
	let isOver = false;
	const working = older.map((client, index) => work(client, ids[index] ?? '', () => isOver));

	const newer = await startDaemon({ home, file: await copyAs('99.0.0') });
	const after = await statusOf(home);
	expect(after).toMatchObject({ version: '99.0.0' });
	expect(after.pid).not.toBe(before.pid);
	await newer.ask(sessionOpen, { sessionId: 'c' });

	// An older client that comes later uses the newer daemon.
	const late = await startDaemon({ home });
	expect((await late.ask(sessionOpen, { sessionId: 'c' })).created).toBe(false);
	expect(await statusOf(home)).toMatchObject({ version: '99.0.0', pid: after.pid });
	isOver = true;
	const written = await Promise.all(working);
	for (const [index, sessionId] of ids.entries()) {
		const stored = (await historyIn(late, sessionId)).map((one) => (one as { content: string }).content);
		expect(stored).toEqual(written[index]);
	}

	// After the newer daemon was killed, clients of both versions continue with another daemon of the newer version.
	process.kill(after.pid, 'SIGKILL');
	const sessionIds = ['a', 'b', 'c', 'c'];
	for (const [index, client] of [...older, newer, late].entries()) {
		const { error } = await client.start('context/stats', { sessionId: sessionIds[index] }).reply;
		expect(error).toBeUndefined();
	}
	await expect
		.poll(async () => ((await findSocket(home)) ? (await statusOf(home)).version : undefined))
		.toBe('99.0.0');
	for (const client of [...older, newer, late]) expect(await client.quit()).toBe(0);
});

it('a client of an older protocol gets one error that names both versions, and the daemon continues', async () => {
	const home = await freshHome();
	const client = await startDaemon({ home });
	const { pid } = await statusOf(home);
	const hello = { ...helloOf({ flags: [], version: '0.0.1' }), protocol: 9 as never };
	const older = startRelay(home, { hello, startDaemon: startDetached });
	await expect(older.initialize()).rejects.toThrow(
		/contextd \d+\.\d+\.\d+ \(protocol 1\) .* 0\.0\.1 \(protocol 9\): restart the client/,
	);
	expect(await older.exitCode).toBe(1);
	expect(older.errors().trim().split('\n')).toHaveLength(1);
	expect(await client.ask(sessionOpen, { sessionId: 's' })).toMatchObject({ created: true });
	expect(await client.writer()).toBe(pid);
});
