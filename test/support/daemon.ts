/** The real daemon as a process of its own, in a state folder of its own. */

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { errorCode } from '../../server/core/failure.ts';
import { findHolder } from '../../server/node/folderLock.ts';
import { type Client, createClient } from './client.ts';
import { removeFolder } from './removeFolder.ts';

/** The daemon as it was built. */
export const daemonFile = fileURLToPath(new URL('../../dist/contextd.cjs', import.meta.url));

export interface DaemonOptions {
	/** Another daemon than the one that was built here. */
	file?: string;
	/** Beside `--stdio`. */
	flags?: string[];
	environment?: Record<string, string>;
	/** State folder; a fresh one, removed at the end, where absent. */
	home?: string;
	framing?: 'content-length' | 'ndjson';
	/** The user of its process; by default that of the test. */
	user?: { uid: number; gid: number };
	/** Params of `initialize`; null to leave it to the test. */
	initialize?: Record<string, unknown> | null;
}

export interface Daemon extends Client {
	process: ChildProcess;
	home: string;
	/** What it wrote to stderr so far. */
	errors(): string;
	/** Resolves once it has ended and its output is read: with its exit code, or null if a signal ended it. */
	exited: Promise<number | null>;
	/** The process that serves it: the daemon, unless it serves itself. */
	writer(): Promise<number>;
	/** kill -9 of its own process, and of the one that serves it. */
	kill(): Promise<void>;
	/** `shutdown` and `exit`. */
	quit(): Promise<number | null>;
}

const running = new Set<ChildProcess>();
const homes = new Set<string>();

/** A state folder that goes at the end of the tests. */
export async function freshHome(): Promise<string> {
	const home = await mkdtemp(join(tmpdir(), 'contextd-test-'));
	homes.add(home);
	return home;
}

/** Returns the process that writes the sessions of a state folder. */
export async function writerOf(home: string): Promise<number> {
	const holder = await findHolder(home);
	if (holder === undefined) throw new Error(`no process holds ${home}`);
	return holder.pid;
}

/** kill -9 of the process that writes the sessions of a state folder, if there is one. */
export async function killWriter(home: string): Promise<void> {
	const holder = await findHolder(home);
	if (holder === undefined) return;
	try {
		process.kill(holder.pid, 'SIGKILL');
	} catch (error) {
		// It was ending already.
		if (errorCode(error) !== 'ESRCH') throw error;
	}
	while ((await findHolder(home)) !== undefined) await setTimeout(5);
}

/** Ends what still runs and removes the state folders; for `afterEach`. */
export async function cleanUp(): Promise<void> {
	const gone = [...running].map((child) => new Promise((resolve) => child.once('exit', resolve)));
	for (const child of running) child.kill('SIGKILL');
	await Promise.all(gone);
	await Promise.all([...homes].map(killWriter));
	await Promise.all([...homes].map(removeFolder));
	homes.clear();
}

/** Starts the daemon as it was built by `npm run build`. */
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
	// A daemon that was killed takes its pipe with it.
	child.stdin.on('error', () => undefined);
	child.once('exit', () => running.delete(child));
	const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
	const client = createClient(child.stdin, child.stdout, framing);
	const failed = new Promise<never>((_, reject) => {
		child.once('close', () => reject(new Error(`the daemon ended before it was ready: ${errors}`)));
	});
	failed.catch(() => undefined);
	if (options.initialize !== null) await Promise.race([client.initialize(options.initialize), failed]);
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
