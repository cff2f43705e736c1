/** The daemon beside this Claude Code: started when it is first asked for something, and again where it ended. */

import { isFields } from '../../server/core/shape.ts';
import type { Host } from './host.ts';

/** How the daemon is started, as the installation wrote it down: nothing of it comes from a project. */
export interface DaemonStart {
	/** Absolute paths: Node and the program. */
	argv: readonly string[];
	stateFolder: string;
	/** The user's settings of daemons that plugins start. */
	settings: string;
	/** Whether the status line is contextd's own: the plugin then shows no second meter. */
	hasStatusLine?: boolean;
}

/** A daemon that listens. */
export interface Listening {
	socket: string;
	stateFolder: string;
	/** The secret of this start: 64 hexadecimal digits. */
	secret: string;
	/** Whether it still runs, as far as is known. */
	isThere: boolean;
}

/** What a project's settings could have put into the environment, and Node, its loader or the daemon would heed. */
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

/** Bytes that the path of a socket may have, less some that platforms differ by. */
const longestSocket = 95;

/** Reads what the installation wrote down. Rejects where it is not there, or makes no sense. */
export async function readStart(host: Host): Promise<DaemonStart> {
	const value: unknown = JSON.parse(await host.fs.read(`${host.plugin.root}/daemon.json`));
	if (!isFields(value) || !Array.isArray(value.argv))
		throw new Error('daemon.json says nothing that can be started');
	return value as unknown as DaemonStart;
}

/** Gives the daemon, started where it does not run. Rejects where it cannot be started. */
export type FindDaemon = (host: Host) => Promise<Listening>;

/**
 * The daemon of one process of Claude Code.
 * @param start how it is started
 */
export function oneDaemon(start: (host: Host) => Promise<DaemonStart>): FindDaemon {
	let current: Promise<Listening> | undefined;
	return async (host) => {
		const known = await current?.catch(() => undefined);
		if (known?.isThere) return known;
		current = begin(host, await start(host));
		return current;
	};
}

async function begin(host: Host, { argv, stateFolder, settings }: DaemonStart): Promise<Listening> {
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

/** A path that is short enough for a socket, in a folder of the user's own. */
function socketPath(stateFolder: string): string {
	const name = `${[...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, '0')).join('')}.sock`;
	const own = `${stateFolder}/sockets/${name}`;
	return new TextEncoder().encode(own).length <= longestSocket
		? own
		: `/tmp/contextd-${name.slice(0, 8)}/${name}`;
}

/** Reads what the daemon prints, for as long as it runs. */
async function follow(
	host: Host,
	child: ReturnType<Host['process']['spawn']>,
	stateFolder: string,
	listens: (listening: Listening) => void,
): Promise<void> {
	let printed = '';
	let errors = '';
	let listening: Listening | undefined;
	try {
		for await (const { stream, text } of child) {
			if (stream === 'stderr') {
				errors = (errors + text).slice(-1000);
				continue;
			}
			printed += text;
			if (listening !== undefined || !printed.includes('\n')) continue;
			const { socket, key } = JSON.parse(printed.slice(0, printed.indexOf('\n')));
			listening = { socket, stateFolder, secret: (await host.fs.read(key)).trim(), isThere: true };
			listens(listening);
		}
	} finally {
		if (listening !== undefined) listening.isThere = false;
	}
	if (listening === undefined) throw new Error(`the daemon ended before it listened: ${errors.trim()}`);
}
