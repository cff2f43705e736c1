/** The real daemon as a process, in a separate state folder. */

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { errorCode, ifExists } from '../../server/core/failure.ts';
import { findHolder } from '../../server/node/folderLock.ts';
import { hasEnded, parseIdentity, readOwnIdentity } from '../../server/node/processIdentity.ts';
import { type Client, createClient } from './client.ts';
import { removeFolder } from './removeFolder.ts';

/** The file of the built daemon. */
export const daemonFile = fileURLToPath(new URL('../../dist/contextd.cjs', import.meta.url));

export interface DaemonOptions {
	/** The program file of the daemon; by default the built one. */
	file?: string;
	/** Flags besides `--stdio`. */
	flags?: string[];
	environment?: Record<string, string>;
	/** The state folder; by default a new one, which is removed at the end. */
	home?: string;
	framing?: 'content-length' | 'ndjson';
	/** The user of the daemon's process; by default the user of the test. */
	user?: { uid: number; gid: number };
	/** Params of `initialize`; null if the test itself sends it. */
	initialize?: Record<string, unknown> | null;
}

export interface Daemon extends Client {
	process: ChildProcess;
	home: string;
	/** Returns the daemon's output to stderr so far. */
	errors(): string;
	/** Resolves once the process has ended and its output is read: with the exit code, or null after a signal. */
	exited: Promise<number | null>;
	/** Returns the id of the process that serves this client: the daemon, or the client's process if it serves itself. */
	writer(): Promise<number>;
	/** Kills the client's process and the process that serves it with SIGKILL. */
	kill(): Promise<void>;
	/** Sends `shutdown` and `exit`. */
	quit(): Promise<number | null>;
}

const running = new Set<ChildProcess>();
const homes = new Set<string>();

/** Creates a state folder that is removed at the end of the tests. */
export async function freshHome(): Promise<string> {
	const home = await mkdtemp(join(tmpdir(), 'contextd-test-'));
	homes.add(home);
	return home;
}

/** Returns the id of the process that writes the sessions of a state folder. */
export async function writerOf(home: string): Promise<number> {
	const holder = await findHolder(home);
	if (holder === undefined) throw new Error(`no process holds ${home}`);
	return holder.pid;
}

/** Resolves once no client is starting a daemon. A client may still start one after it got its answer. */
export async function daemonStarted(home: string): Promise<void> {
	for (;;) {
		const claim = await ifExists(readFile(join(home, 'daemon.starting'), 'utf8'));
		if (claim === undefined) return;
		const starter = parseIdentity(claim);
		// If a client was killed while it started a daemon, its file `daemon.starting` remains until the next start.
		if (starter !== undefined && (await hasEnded(starter, await readOwnIdentity()))) return;
		await setTimeout(2);
	}
}

/** Kills the process that writes the sessions of a state folder with SIGKILL, if there is one. */
export async function killWriter(home: string): Promise<void> {
	const holder = await findHolder(home);
	if (holder === undefined) return;
	try {
		process.kill(holder.pid, 'SIGKILL');
	} catch (error) {
		// The process was already ending.
		if (errorCode(error) !== 'ESRCH') throw error;
	}
	while ((await findHolder(home)) !== undefined) await setTimeout(5);
}

/** Ends all running daemons and removes their state folders; for `afterEach`. */
export async function cleanUp(): Promise<void> {
	const gone = [...running].map((child) => new Promise((resolve) => child.once('exit', resolve)));
	for (const child of running) child.kill('SIGKILL');
	await Promise.all(gone);
	await Promise.all([...homes].map(killWriter));
	await Promise.all([...homes].map(removeFolder));
	homes.clear();
}

/** Starts a client of the built daemon; resolves once both have started. */
export async function startDaemon(options: DaemonOptions = {}): Promise<Daemon> {
	const file = options.file ?? daemonFile;
	if (!existsSync(file)) throw new Error(`${file} is missing: run "npm run build" first`);
	const home = options.home ?? (await freshHome());
	const framing = options.framing ?? 'content-length';
	const flags = framing === 'ndjson' ? ['--framing=ndjson'] : [];
	const child = spawn(process.execPath, [file, '--stdio', ...flags, ...(options.flags ?? [])], {
		env: { PATH: process.env.PATH, CONTEXTD_HOME: home, ...options.environment },
		stdio: ['pipe', 'pipe', 'pipe'],
		...options.user,
	});
	running.add(child);
	let errors = '';
	child.stderr.on('data', (chunk) => {
		errors += chunk;
	});
	// A killed daemon breaks its pipe.
	child.stdin.on('error', () => undefined);
	child.once('exit', () => running.delete(child));
	const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
	const client = createClient(child.stdin, child.stdout, framing);
	const failed = new Promise<never>((_, reject) => {
		child.once('close', () => reject(new Error(`the daemon ended before it was ready: ${errors}`)));
	});
	failed.catch(() => undefined);
	if (options.initialize !== null) {
		await Promise.race([client.initialize(options.initialize), failed]);
		await daemonStarted(home);
	}
	return {
		...client,
		process: child,
		home,
		errors: () => errors,
		exited,
		writer: () => writerOf(home),
		async kill() {
			child.kill('SIGKILL');
			await exited;
			await killWriter(home);
		},
		async quit() {
			await client.start('shutdown').reply;
			client.notify('exit');
			return exited;
		},
	};
}
