/** Starts a daemon. Of several processes that try at the same time, only one starts it. */

import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { errorCode, ifExists } from '../core/failure.ts';
import {
	formatIdentity,
	hasEnded,
	type ProcessIdentity,
	parseIdentity,
	readOwnIdentity,
} from '../node/processIdentity.ts';
import { inheritedFd, inheritFlag } from '../protocol/hello.ts';

/**
 * Starts a program as the daemon of a state folder. Resolves with a connection to it, or undefined if the daemon can
 * only be reached at its socket. `onEnd` is called when the process has ended or could not be started.
 */
export type StartDaemon = (
	program: readonly string[],
	stateFolder: string,
	onEnd: () => void,
) => Promise<Socket | undefined>;

/** Milliseconds after which another process's claim to start a daemon no longer counts. */
const maxClaimMs = 5_000;
/** Milliseconds after which a claim that does not name its process yet no longer counts. */
const maxNamelessClaimMs = 1_000;

/** Environment variables that the process of a daemon needs. All other variables come from its clients. */
const daemonVariables = [
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

/** The variable that makes an editor's program run a script as Node does; empty if this process is Node itself. */
export const runAsNodeVariables: Readonly<Record<string, string>> =
	process.versions.electron === undefined ? {} : { ELECTRON_RUN_AS_NODE: '1' };

/** MiB of V8's young generation. Node's default of 16 takes more memory than most users' sessions. */
const maxNewSpaceMib = 2;

function createDaemonEnvironment(): Record<string, string> {
	// V8's flag is passed in a variable, because a program that is not Node itself may refuse it as an argument.
	const environment: Record<string, string> = {
		// With more arenas, glibc would keep 20 MB that threads such as the recorder's have freed.
		MALLOC_ARENA_MAX: '2',
		...runAsNodeVariables,
		NODE_OPTIONS: `--max-semi-space-size=${maxNewSpaceMib}`,
	};
	for (const name of daemonVariables) {
		const value = process.env[name];
		if (value !== undefined) environment[name] = value;
	}
	return environment;
}

/** Whether a daemon can inherit a connection from this process. Untested on Windows and in Bun, which use the socket. */
const canInheritConnection = process.platform !== 'win32' && process.versions.bun === undefined;

/** Starts a daemon that outlives this process. */
export const startDetached: StartDaemon = async ([file = process.execPath, ...args], stateFolder, onEnd) => {
	// Imported late: the module takes about 0.7 MB of memory, and most relays start no daemon.
	const { spawn } = await import('node:child_process');
	const flags = canInheritConnection ? [inheritFlag] : [];
	const child = spawn(file, [...args, 'daemon', 'serve', '--storage', stateFolder, ...flags], {
		cwd: stateFolder,
		env: createDaemonEnvironment(),
		detached: true,
		stdio: ['ignore', 'ignore', 'ignore', canInheritConnection ? 'pipe' : 'ignore'],
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

	/** Returns whether this process may start the daemon; false while another process starts it. */
	async tryTake(): Promise<boolean> {
		if (this.#isHeld) return true;
		this.#self ??= await readOwnIdentity();
		const stats = await ifExists(stat(this.#file));
		if (stats !== undefined) {
			const other = parseIdentity((await ifExists(readFile(this.#file, 'utf8'))) ?? '');
			const isDead = other !== undefined && (await hasEnded(other, this.#self));
			const limitMs = other === undefined ? maxNamelessClaimMs : maxClaimMs;
			if (!isDead && Date.now() - stats.mtimeMs < limitMs) return false;
			await rm(this.#file, { force: true });
		}
		try {
			await writeFile(this.#file, formatIdentity(this.#self), { flag: 'wx', mode: 0o600 });
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
