/** Starts a daemon, from one process even if several want to at the same time. */

import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { errorCode, ifExists } from '../core/failure.ts';
import {
	hasEnded,
	nameOfIdentity,
	type ProcessIdentity,
	parseIdentity,
	thisProcess,
} from '../node/processIdentity.ts';
import { inheritedFd, inheritFlag } from '../protocol/hello.ts';

/**
 * Starts a program as the daemon of a state folder. Resolves with a connection to it, or undefined if it can only be
 * reached at its socket. `onEnd` is called when the process has ended or could not be started.
 */
export type StartDaemon = (
	program: readonly string[],
	stateFolder: string,
	onEnd: () => void,
) => Promise<Socket | undefined>;

/**
 * Milliseconds after which a process that wanted to start a daemon counts as dead, unless it is known to be alive or
 * dead.
 */
const maxStartMs = 5_000;
/** Milliseconds after which a process that has not written its name counts as dead. */
const maxNamelessMs = 1_000;

/** Variables that matter to the process of a daemon. All others that it uses come from its clients. */
const processVariables = [
	'PATH',
	'HOME',
	'USERPROFILE',
	'SystemRoot',
	'TEMP',
	'TMP',
	'TMPDIR',
	'XDG_RUNTIME_DIR',
	'LANG',
	'TZ',
	'HTTP_PROXY',
	'HTTPS_PROXY',
	'NO_PROXY',
	'http_proxy',
	'https_proxy',
	'no_proxy',
	'NODE_USE_ENV_PROXY',
	'NODE_EXTRA_CA_CERTS',
	'SSL_CERT_DIR',
	'SSL_CERT_FILE',
];

/** The variable that makes an editor's program run a script as Node does; empty in Node itself. */
export const runAsNodeVariables: Readonly<Record<string, string>> =
	process.versions.electron === undefined ? {} : { ELECTRON_RUN_AS_NODE: '1' };

/** MiB of new objects between two collections: Node's 16 use more memory than most users' sessions. */
const maxNewSpaceMib = 2;

function daemonEnvironment(): Record<string, string> {
	// A variable, because a program that is not Node itself may refuse the argument.
	const environment: Record<string, string> = {
		// More arenas of glibc keep 20 MB that threads such as the recorder's have freed.
		MALLOC_ARENA_MAX: '2',
		...runAsNodeVariables,
		NODE_OPTIONS: `--max-semi-space-size=${maxNewSpaceMib}`,
	};
	for (const name of processVariables) {
		const value = process.env[name];
		if (value !== undefined) environment[name] = value;
	}
	return environment;
}

/** Whether a child may inherit a connection. Untested on Windows and in Bun, where it is reached at its socket. */
const canInherit = process.platform !== 'win32' && process.versions.bun === undefined;

/** Starts a daemon that outlives this process. */
export const startDetached: StartDaemon = async ([file = process.execPath, ...args], stateFolder, onEnd) => {
	// Takes about 0.7 MB of memory, and most relays start no daemon.
	const { spawn } = await import('node:child_process');
	const flags = canInherit ? [inheritFlag] : [];
	const child = spawn(file, [...args, 'daemon', 'serve', '--storage', stateFolder, ...flags], {
		cwd: stateFolder,
		env: daemonEnvironment(),
		detached: true,
		stdio: ['ignore', 'ignore', 'ignore', canInherit ? 'pipe' : 'ignore'],
		windowsHide: true,
	});
	child.unref();
	child.once('exit', onEnd).once('error', onEnd);
	const connection = child.stdio[inheritedFd];
	return connection instanceof Socket ? connection : undefined;
};

/** The right to start the daemon of a state folder. */
export class StartClaim {
	readonly #file: string;
	#self: ProcessIdentity | undefined;
	#isHeld = false;

	constructor(stateFolder: string) {
		this.#file = join(stateFolder, 'daemon.starting');
	}

	/** Returns whether this process may start the daemon; false while another one does. */
	async take(): Promise<boolean> {
		if (this.#isHeld) return true;
		this.#self ??= await thisProcess();
		const found = await ifExists(stat(this.#file));
		if (found !== undefined) {
			const other = parseIdentity((await ifExists(readFile(this.#file, 'utf8'))) ?? '');
			const isDead = other !== undefined && (await hasEnded(other, this.#self));
			const limitMs = other === undefined ? maxNamelessMs : maxStartMs;
			if (!isDead && Date.now() - found.mtimeMs < limitMs) return false;
			await rm(this.#file, { force: true });
		}
		try {
			await writeFile(this.#file, nameOfIdentity(this.#self), { flag: 'wx', mode: 0o600 });
		} catch (error) {
			if (errorCode(error) === 'EEXIST') return false;
			throw error;
		}
		this.#isHeld = true;
		return true;
	}

	async release(): Promise<void> {
		if (!this.#isHeld) return;
		this.#isHeld = false;
		await rm(this.#file, { force: true });
	}
}
