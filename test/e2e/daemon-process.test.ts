import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
	chmodSync,
	chownSync,
	cpSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	utimesSync,
} from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findSocket } from '../../server/daemon/socketAddress.ts';
import { parseDaemonStatus, relayMethods } from '../../server/protocol/hello.ts';
import { daemonFile } from '../support/daemon.ts';
import { needs } from '../support/needs.ts';
import { removeFolder } from '../support/removeFolder.ts';
import { connectTo, initializedClient, type SocketClient, sayTo } from '../support/socketClient.ts';

let root: string;
let stateFolder: string;
let children: ChildProcess[] = [];

beforeEach(async () => {
	root = await mkdtemp(join(tmpdir(), 'contextd-process-'));
	stateFolder = join(root, 'state');
	mkdirSync(stateFolder, { mode: 0o700 });
	children = [];
});

afterEach(async () => {
	const running = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
	const ended = running.map((child) => once(child, 'exit'));
	for (const child of running) child.kill('SIGKILL');
	await Promise.all(ended);
	await removeFolder(root);
});

/** Starts a daemon as a relay does, and waits until it listens. */
async function start(file = daemonFile, environment: Record<string, string> = {}): Promise<ChildProcess> {
	const child = spawn(process.execPath, [file, 'daemon', 'serve', '--storage', stateFolder], {
		cwd: stateFolder,
		env: { TMPDIR: tmpdir(), ...environment },
		detached: true,
		stdio: 'ignore',
	});
	children.push(child);
	await expect.poll(() => isAnswered()).toBe(true);
	return child;
}

async function isAnswered(): Promise<boolean> {
	if ((await findSocket(stateFolder)) === undefined) return false;
	try {
		const { socket, lines } = await sayTo(stateFolder, { ask: 'status' });
		const { done } = await lines.next();
		socket.destroy();
		return !done;
	} catch {
		return false;
	}
}

function contextd(...args: string[]): { code: number | null; out: string; err: string } {
	const { status, stdout, stderr } = spawnSync(process.execPath, [daemonFile, ...args], { encoding: 'utf8' });
	return { code: status, out: stdout, err: stderr };
}

const storage = (): string[] => ['--storage', stateFolder];
const message = (id: string) => ({ id, role: 'user', content: `message ${id}` });

async function append(client: SocketClient, sessionId: string, id: string): Promise<boolean> {
	return (await client.ask('session/append', { sessionId, messages: [message(id)] })).result !== undefined;
}

describe('a daemon process', () => {
	it('a daemon process keeps the sessions of a client, and ignores its own environment', async () => {
		await start(daemonFile, { CONTEXTD_MEMORY_ENABLED: 'false', CONTEXTD_HOME: join(root, 'elsewhere') });
		const client = await initializedClient(stateFolder);
		await client.ask('session/open', { sessionId: 'a' });
		expect(await append(client, 'a', 'm1')).toBe(true);
		client.socket.end();
		expect(await client.exitCode).toBe(0);
		expect(existsSync(join(root, 'elsewhere'))).toBe(false);
		expect(readdirSync(join(stateFolder, 'sessions')).length).toBeGreaterThan(0);
	});

	it('contextd daemon reports and stops the process, which leaves only sessions and its log', async () => {
		const daemon = await start();
		const client = await initializedClient(stateFolder);
		expect(contextd('daemon', 'status', ...storage()).out).toMatch(
			new RegExp(`^contextd \\S+ · process ${daemon.pid} · up \\d+ s\\n1 client ·`),
		);
		expect(contextd('daemon', 'stop', ...storage())).toMatchObject({
			code: 0,
			out: `the daemon (process ${daemon.pid}) has ended; its clients start a new one\n`,
		});
		expect((await client.notified(relayMethods.moved)).params).toEqual({});
		expect(await client.exitCode).toBeUndefined();
		expect(readdirSync(stateFolder).filter((name) => name.startsWith('daemon'))).toEqual(['daemon.log']);
		expect(contextd('daemon', 'status', ...storage()).out).toBe(`no daemon is running for ${stateFolder}\n`);
		expect(contextd('daemon', 'log', ...storage()).out).toBe(
			readFileSync(join(stateFolder, 'daemon.log'), 'utf8'),
		);
	});

	it('a daemon process does not create a state folder that was removed', async () => {
		await removeFolder(stateFolder);
		expect(contextd('daemon', 'serve', ...storage())).toMatchObject({
			code: 2,
			err: `contextd: ${stateFolder} is gone\n`,
		});
		expect(existsSync(stateFolder)).toBe(false);
	});

	it('a second daemon process of a folder ends at once and says why', async () => {
		const daemon = await start();
		expect(contextd('daemon', 'serve', ...storage())).toMatchObject({
			code: 3,
			err: `contextd: ${stateFolder} is used by process ${daemon.pid}\n`,
		});
	});

	it.skipIf(process.getuid?.() !== 0)(
		'a daemon process refuses a folder of another user, and a read-only one',
		needs('root, to have folders of two users'),
		() => {
			const serve = (folder: string) =>
				spawnSync(process.execPath, [daemonFile, 'daemon', 'serve', '--storage', folder], {
					encoding: 'utf8',
					cwd: '/',
					uid: 65_534,
					gid: 65_534,
				});
			chmodSync(root, 0o755);
			expect(serve(stateFolder)).toMatchObject({
				status: 2,
				stderr: expect.stringMatching(/^contextd: no socket can be used: EACCES/),
			});
			const readOnly = join(root, 'read-only');
			mkdirSync(readOnly);
			chmodSync(readOnly, 0o500);
			chownSync(readOnly, 65_534, 65_534);
			expect(serve(readOnly).stderr).toMatch(/^contextd: no socket can be used: EACCES/);
			chmodSync(stateFolder, 0o777);
			expect(serve(stateFolder).stderr).toBe(`contextd: ${stateFolder} belongs to another user\n`);
		},
	);

	it.each([
		['touched', (dist: string) => utimesSync(join(dist, 'contextd.cjs'), 1, 1)],
		['removed', (dist: string) => rmSync(dist, { recursive: true })],
	])('a daemon process moves aside when its program was %s', async (_, change) => {
		const dist = join(root, 'dist');
		cpSync(dirname(daemonFile), dist, { recursive: true });
		const daemon = await start(join(dist, 'contextd.cjs'));
		const client = await initializedClient(stateFolder);
		await client.ask('session/open', { sessionId: 'a' });
		change(dist);
		expect((await connectTo(stateFolder)).answer).toEqual({ kind: 'movingAside' });
		await client.notified(relayMethods.moved);
		await expect.poll(() => daemon.exitCode).toBe(0);
	});

	it('a daemon process closes idle sessions above its memory limit, and opens them again for a request', async () => {
		await start();
		const client = await connectTo(stateFolder);
		const initializationOptions = { daemon: { memoryMb: 64 } };
		await client.ask('initialize', { processId: null, capabilities: {}, initializationOptions });
		client.send({ method: 'initialized', params: {} });
		for (const sessionId of ['a', 'b', 'c']) await client.ask('session/open', { sessionId });
		expect(await append(client, 'a', 'm1')).toBe(true);
		const sessions = async (): Promise<number> => {
			const { lines } = await sayTo(stateFolder, { ask: 'status' });
			return parseDaemonStatus((await lines.next()).value ?? '').sessions;
		};
		await expect.poll(sessions).toBe(0);
		expect(await append(client, 'a', 'm2')).toBe(true);
	});
});
