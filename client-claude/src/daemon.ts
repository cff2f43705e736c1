/** The process between this Claude Code and the daemon: started at the first request, and again after it has ended. */

import { isFields } from '../../server/core/shape.ts';
import type { Host } from './host.ts';

/** How the process is started, as `contextd install` wrote it: nothing in it comes from a project. */
export interface PluginStart {
	/** Absolute paths: Node and the program. */
	argv: readonly string[];
	stateFolder: string;
	/** Path of the user's settings for plugins. */
	settings: string;
	/** Whether the status line is contextd's, so that the plugin shows no second meter. */
	hasStatusLine?: boolean;
}

/** A process that listens. */
export interface ListeningProcess {
	socket: string;
	stateFolder: string;
	/** The secret of this start: 64 hexadecimal digits. */
	secret: string;
	/** False once it is known to have ended. */
	isThere: boolean;
	/** Ends it. */
	end(): void;
}

/** Variables that a project's settings may have set and that Node, its loader or the daemon would read: all are emptied. */
const emptied: Readonly<Record<string, string>> = Object.fromEntries(
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

/** Bytes that the path of a socket may have on every platform. */
const maxSocketBytes = 95;

/** Reads what the installation wrote. Rejects if it is missing or invalid. */
export async function readPluginStart(host: Host): Promise<PluginStart> {
	const value: unknown = JSON.parse(await host.fs.read(`${host.plugin.root}/daemon.json`));
	if (!isFields(value) || !Array.isArray(value.argv))
		throw new Error('daemon.json does not say what to start: expected { argv, stateFolder, settings }');
	return value as unknown as PluginStart;
}

/** Returns the process, after starting it if it does not run. Rejects if it cannot be started. */
export type FindDaemon = (host: Host) => Promise<ListeningProcess>;

/**
 * Returns the `FindDaemon` of one process of Claude Code.
 * @param start returns how to start the process
 */
export function createFindDaemon(start: (host: Host) => Promise<PluginStart>): FindDaemon {
	let current: Promise<ListeningProcess> | undefined;
	return async (host) => {
		const known = await current?.catch(() => undefined);
		if (known?.isThere) return known;
		current = begin(host, await start(host));
		return current;
	};
}

async function begin(host: Host, { argv, stateFolder, settings }: PluginStart): Promise<ListeningProcess> {
	const { CLAUDE_PID = '' } = await host.process.hookEnv();
	const child = host.process.spawn({
		argv: [
			...argv,
			'--http-socket',
			socketPath(stateFolder),
			...(CLAUDE_PID === '' ? [] : ['--clientProcessId', CLAUDE_PID]),
			'--settings-from',
			settings,
		],
		cwd: stateFolder,
		env: emptied,
	});
	return new Promise((resolve, reject) => {
		void follow(host, child, stateFolder, resolve).catch(reject);
	});
}

/** Returns a path that is short enough for a socket, in a folder of the user. */
function socketPath(stateFolder: string): string {
	const name = `${[...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, '0')).join('')}.sock`;
	const own = `${stateFolder}/sockets/${name}`;
	return new TextEncoder().encode(own).length <= maxSocketBytes
		? own
		: `/tmp/contextd-${name.slice(0, 8)}/${name}`;
}

/** Reads the output of the process as long as it runs. */
async function follow(
	host: Host,
	child: ReturnType<Host['process']['spawn']>,
	stateFolder: string,
	listens: (listening: ListeningProcess) => void,
): Promise<void> {
	let printed = '';
	let errors = '';
	let listening: ListeningProcess | undefined;
	const output = child[Symbol.asyncIterator]();
	try {
		for await (const { stream, text } of { [Symbol.asyncIterator]: () => output }) {
			if (stream === 'stderr') {
				errors = (errors + text).slice(-1000);
				continue;
			}
			printed += text;
			if (listening !== undefined || !printed.includes('\n')) continue;
			const { socket, key } = JSON.parse(printed.slice(0, printed.indexOf('\n')));
			const secret = (await host.fs.read(key)).trim();
			listening = { socket, stateFolder, secret, isThere: true, end: () => void output.return?.() };
			listens(listening);
		}
	} finally {
		if (listening !== undefined) listening.isThere = false;
	}
	if (listening === undefined) throw new Error(reasonIn(errors));
}

/** Returns why the process ended before it listened, from what it printed last. */
function reasonIn(errors: string): string {
	const last = errors.trim().split('\n').at(-1) ?? '';
	return last === '' ? 'the daemon ended before it listened' : last.replace(/^contextd: /, '');
}
