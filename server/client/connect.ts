import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { InitializeParams } from 'vscode-languageserver-protocol';
import type { DaemonCapabilities } from '../protocol/capabilities.ts';
import { type DaemonInitializeResult, initialize, initialized } from '../protocol/lifecycle.ts';
import type { Client, ConnectOptions } from './client.ts';
import { type Connection, openConnection } from './connection.ts';
import { ConnectionError, plainError } from './errors.ts';
import { startProcess } from './process.ts';

/** The result of `initialize`, of which another program may have said nothing. */
interface Initialized {
	capabilities?: { experimental?: Partial<DaemonInitializeResult['capabilities']['experimental']> };
}

/** The command of this package, seen from where this file is bundled to. */
const ownCommand = join(__dirname, '../../contextd.cjs');

/** Variables by which a Node inside another program, as in an editor, runs a script. */
const asNode = process.versions.electron === undefined ? {} : { ELECTRON_RUN_AS_NODE: '1' };

function commandOf(command: ConnectOptions['command']): readonly string[] {
	if (command === undefined) return [process.execPath, ownCommand, '--stdio'];
	return typeof command === 'string' ? [command, '--stdio'] : command;
}

function initializeParams({ cwd, initializationOptions, capabilities }: ConnectOptions): InitializeParams {
	const folder = resolve(cwd ?? '.');
	const uri = pathToFileURL(folder).href;
	return {
		processId: process.pid,
		rootUri: uri,
		workspaceFolders: [{ uri, name: basename(folder) }],
		capabilities: { experimental: { contextd: { notifications: true, ...capabilities } } },
		initializationOptions,
	};
}

async function meet(connection: Connection, options: ConnectOptions): Promise<DaemonCapabilities> {
	const { capabilities } = await connection.request<Initialized>(
		initialize.method,
		initializeParams(options),
		options.signal,
	);
	const own = capabilities?.experimental?.contextd;
	if (own === undefined)
		throw new ConnectionError('what was started is no contextd: it does not say what it can');
	await connection.notify(initialized.method, {});
	return own;
}

/** The params as they go out: an error among them, of which JSON would leave nothing, with its words. */
function sent(params: object = {}): object {
	return 'error' in params ? { ...params, error: plainError(params.error) } : params;
}

/**
 * Starts a daemon and meets it. Rejects with a `ConnectionError` where it cannot be started or leaves at once, with a
 * `RequestError` where it refuses to be met, and with the signal's reason where that aborts; the daemon is gone then.
 */
export async function connect(options: ConnectOptions = {}): Promise<Client> {
	options.signal?.throwIfAborted();
	const [program, ...args] = commandOf(options.command);
	if (!program) throw new TypeError('command: expected a program, got none');
	const env = { ...process.env, ...(options.command === undefined && asNode), ...options.env };
	const streams = startProcess({ program, args, env, cwd: options.cwd, isBackground: options.isBackground });
	const connection = openConnection(streams);
	try {
		const capabilities = await meet(connection, options);
		return {
			capabilities,
			request: (method, ...[params, asked]) => connection.request(method, sent(params), asked?.signal),
			notify: connection.notify,
			onNotification: connection.onNotification,
			onRequest: connection.onRequest,
			close: connection.close,
		};
	} catch (error) {
		streams.kill();
		await connection.close();
		throw error;
	}
}
