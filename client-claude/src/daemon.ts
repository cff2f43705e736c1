/** Starts the process between Claude Code and the daemon: at the first request, and again after it has ended. */

import { bytesToHex } from '../../kit/channel.ts';
import type { DaemonStart } from '../../kit/node/start.ts';
import { isFields } from '../../server/core/shape.ts';
import type { Host } from './host.ts';

/** How to start the process. `contextd install` writes this; no project can change it. */
export interface PluginStart extends DaemonStart {
	/** Whether contextd's status line is installed, so that the plugin shows no second meter. */
	hasStatusLine?: boolean;
}

/** A process that listens for requests on a socket. */
export interface ListeningProcess {
	/** Path of the socket. */
	socket: string;
	stateFolder: string;
	/** The secret for this start of the process: 64 hexadecimal digits. */
	secret: string;
	/** Whether the process runs; false once its end was noticed. */
	isRunning: boolean;
	/** Ends the process. */
	end(): void;
}

/** Empty values for variables that Node, its loader or the daemon read, because a project's settings may have set them. */
const clearedVariables: Readonly<Record<string, string>> = Object.fromEntries(
	[
		'NODE_OPTIONS',
		'NODE_PATH',
		'NODE_EXTRA_CA_CERTS',
		'LD_PRELOAD',
		'DYLD_INSERT_LIBRARIES',
		'CONTEXTD_HOME',
		'CONTEXTD_MEMORY_ENABLED',
		'CONTEXTD_SUMMARIZATION_ENABLED',
		'CONTEXTD_TOKEN_THRESHOLD',
		'CONTEXTD_SUMMARIZATION_PROVIDER',
		'CONTEXTD_SUMMARIZATION_MODEL',
		'CONTEXTD_MEMORY_MAX_SESSIONS',
		'XDG_CONFIG_HOME',
		'XDG_DATA_HOME',
		'XDG_STATE_HOME',
		'XDG_CACHE_HOME',
		'XDG_RUNTIME_DIR',
	].map((name) => [name, '']),
);

/** Maximum bytes of a socket's path on all platforms. */
const maxSocketBytes = 95;

/** Reads the file that the installation wrote. Rejects if the file is missing or invalid. */
export async function readPluginStart(host: Host): Promise<PluginStart> {
	const value: unknown = JSON.parse(await host.fs.read(`${host.plugin.root}/daemon.json`));
	if (!isFields(value) || !Array.isArray(value.argv))
		throw new Error('daemon.json does not say what to start: expected { argv, stateFolder, settings }');
	return value as unknown as PluginStart;
}

/** Returns the running process, which is started if necessary. Rejects if it cannot be started. */
export type FindDaemon = (host: Host) => Promise<ListeningProcess>;

/** Creates the function that finds or starts the daemon's process for one process of Claude Code. */
export function createFindDaemon(): FindDaemon {
	let start: Promise<ListeningProcess> | undefined;
	return async (host) => {
		const daemon = await start?.catch(() => undefined);
		if (daemon?.isRunning) return daemon;
		start = startProcess(host, await readPluginStart(host));
		return start;
	};
}

async function startProcess(
	host: Host,
	{ argv, stateFolder, settings }: PluginStart,
): Promise<ListeningProcess> {
	const { CLAUDE_PID = '' } = await host.process.hookEnv();
	const child = host.process.spawn({
		argv: [
			...argv,
			'--http-socket',
			createSocketPath(stateFolder),
			...(CLAUDE_PID === '' ? [] : ['--clientProcessId', CLAUDE_PID]),
			'--settings-from',
			settings,
		],
		cwd: stateFolder,
		env: clearedVariables,
	});
	return new Promise((resolve, reject) => {
		void readOutput(host, child, stateFolder, resolve).catch(reject);
	});
}

/** Returns a new path for a socket that is short enough, in a folder of the user. */
function createSocketPath(stateFolder: string): string {
	const name = `${bytesToHex(crypto.getRandomValues(new Uint8Array(8)))}.sock`;
	const path = `${stateFolder}/sockets/${name}`;
	return new TextEncoder().encode(path).length <= maxSocketBytes
		? path
		: `/tmp/contextd-${name.slice(0, 8)}/${name}`;
}

/** Reads the output of the process until it ends. Calls `onListening` once the process has printed its socket. */
async function readOutput(
	host: Host,
	child: ReturnType<Host['process']['spawn']>,
	stateFolder: string,
	onListening: (daemon: ListeningProcess) => void,
): Promise<void> {
	let output = '';
	let errors = '';
	let daemon: ListeningProcess | undefined;
	const chunks = child[Symbol.asyncIterator]();
	try {
		for await (const { stream, text } of { [Symbol.asyncIterator]: () => chunks }) {
			if (stream === 'stderr') {
				errors = (errors + text).slice(-1000);
				continue;
			}
			output += text;
			if (daemon !== undefined || !output.includes('\n')) continue;
			const { socket, key } = JSON.parse(output.slice(0, output.indexOf('\n')));
			const secret = (await host.fs.read(key)).trim();
			daemon = { socket, stateFolder, secret, isRunning: true, end: () => void chunks.return?.() };
			onListening(daemon);
		}
	} finally {
		if (daemon !== undefined) daemon.isRunning = false;
	}
	if (daemon === undefined) throw new Error(findLastErrorLine(errors));
}

/** Returns why the process ended before it listened, from its last line of output. */
function findLastErrorLine(errors: string): string {
	const lastLine = errors.trim().split('\n').at(-1) ?? '';
	return lastLine.replace(/^contextd: /, '') || 'the daemon ended before it listened';
}
