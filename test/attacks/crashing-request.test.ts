import { existsSync, readFileSync } from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { failureCodes } from '../../server/protocol/errors.ts';
import { sessionList } from '../../server/protocol/session.ts';
import { contextStats } from '../../server/protocol/stats.ts';
import { contextImport } from '../../server/protocol/transcript.ts';
import { startDetached } from '../../server/relay/startDaemon.ts';
import { freshFolder, removeFolders } from '../support/app.ts';
import { daemonFile, killWriter } from '../support/daemon.ts';
import { userSays } from '../support/messages.ts';
import { type RelayedClient, startRelay } from '../support/scriptedDaemon.ts';
import { helloOf } from '../support/socketClient.ts';
import { begin, historyIn } from '../support/talk.ts';

/** A message with this text kills the daemon when it is parsed. */
const deadly = 'KILLS-THE-DAEMON';

let home: string;
let crashes: string;
let program: string[];
let clients: RelayedClient[];

/** Lets clients start the built daemon with a preloaded file that replaces `JSON.parse` in its process. */
beforeEach(async () => {
	home = freshFolder();
	clients = [];
	crashes = join(home, 'crashes');
	const file = join(freshFolder(), 'crash.cjs');
	await writeFile(
		file,
		`const { appendFileSync } = require('node:fs');
		const parse = JSON.parse;
		JSON.parse = (text, ...rest) => {
			if (String(text).includes('${deadly}')) {
				appendFileSync(${JSON.stringify(crashes)}, 'x');
				process.kill(process.pid, 'SIGKILL');
			}
			return parse(text, ...rest);
		};`,
	);
	program = [process.execPath, '--require', file, daemonFile];
});

afterEach(async () => {
	vi.restoreAllMocks();
	for (const client of clients) client.stop();
	await Promise.all(clients.map(({ exitCode }) => exitCode));
	await killWriter(home);
	await removeFolders();
});

async function connect({ initialize = true } = {}): Promise<RelayedClient> {
	const client = startRelay(home, {
		hello: helloOf({ program, flags: [] }),
		startDaemon: startDetached,
	});
	clients.push(client);
	if (initialize) await client.initialize();
	return client;
}

const crashCount = (): number => (existsSync(crashes) ? readFileSync(crashes, 'utf8').length : 0);

it('a read that always crashes the daemon fails after two crashes, and other clients continue', async () => {
	const [bad, good] = [await connect(), await connect()];
	await begin(good, 's', [userSays('hi')]);
	let isOver = false;
	const acknowledged: string[] = [];
	const failures: unknown[] = [];
	const working = (async () => {
		for (let count = 0; !isOver; count++) {
			const id = `own-${count}`;
			const messages = [{ ...userSays(id), id }];
			const { error } = await good.start('session/append', { sessionId: 's', messages }).reply;
			if (error === undefined) acknowledged.push(id);
			else failures.push(error);
		}
	})();
	const error = await bad.refusal('context/recall', { sessionId: 's', query: deadly });
	isOver = true;
	await working;
	expect(error).toMatchObject({
		code: failureCodes.RequestCrashedDaemon,
		message: 'the daemon ended 2 times while it worked on context/recall',
	});
	expect(crashCount()).toBe(2);
	// One request may have been in flight in both crashes.
	const bothTimes = expect.objectContaining({ code: failureCodes.RequestCrashedDaemon });
	expect(failures).toEqual(failures.map(() => bothTimes));
	expect(failures.length).toBeLessThan(2);
	const stored = (await historyIn(good, 's')).map((one) => (one as { id?: string }).id);
	expect(stored.filter((id) => id?.startsWith('own-'))).toEqual(expect.arrayContaining(acknowledged));
	expect(new Set(stored).size).toBe(stored.length);
	expect(await bad.ask(contextStats, { sessionId: 's' })).toMatchObject({ messageCount: stored.length });
	expect(crashCount()).toBe(2);
});

it('a write that crashes the daemon fails at the first crash', async () => {
	const client = await connect();
	await begin(client, 's', [userSays('hi')]);
	const messages = [userSays(deadly)];
	expect(await client.refusal('session/append', { sessionId: 's', messages })).toMatchObject({
		code: failureCodes.DaemonRestarted,
	});
	expect(await historyIn(client, 's')).toHaveLength(1);
	expect(crashCount()).toBe(1);
});

it('an initialize request that crashes the daemon fails, and starts no further daemons', async () => {
	const client = await connect({ initialize: false });
	await expect(client.initialize({ clientInfo: { name: deadly } })).rejects.toThrow('ended 2 times');
	expect(crashCount()).toBe(2);
	await client.initialize();
	await begin(client, 's', [userSays('hi')]);
	expect(crashCount()).toBe(2);
});

it('a followed transcript that crashes each new daemon is no longer followed', async () => {
	const client = await connect();
	const path = join(home, 'transcript.jsonl');
	const line = (content: string): string => {
		const message = { role: 'user', content };
		return `${JSON.stringify({ type: 'user', uuid: content, sessionId: 't', cwd: '/w', message })}\n`;
	};
	await writeFile(path, line('hi'));
	await client.ask(contextImport, { path, follow: true });
	await appendFile(path, line(deadly));
	expect(
		await client.awaitNotification('window/logMessage', ({ type }: { type: number }) => type === 2),
	).toMatchObject({
		message: `${path} is no longer followed: the daemon ended twice while it read this file`,
	});
	// The first daemon had answered the client's own request.
	expect(crashCount()).toBe(3);
	await begin(client, 's', [userSays('hi')]);
	expect(await historyIn(client, 's')).toHaveLength(1);
	expect(crashCount()).toBe(3);
});

it('settings that crash each new daemon start no more than one in 10 s while the client waits for nothing', async () => {
	// The relay considers a daemon stable after a connection of two seconds. With a stopped clock, no connection lasts that long.
	vi.spyOn(performance, 'now').mockReturnValue(performance.now());
	const client = await connect();
	await client.ask(sessionList, {});
	client.notify('workspace/didChangeConfiguration', { settings: { contextd: { model: deadly } } });
	await expect.poll(crashCount).toBe(2);
	await setTimeout(4_000);
	expect(crashCount()).toBe(2);
	expect(await client.refusal('session/list', {})).toMatchObject({
		code: failureCodes.RequestCrashedDaemon,
	});
});
