import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { InitializeParams } from 'vscode-languageserver-protocol';
import type { DaemonCapabilities } from '../protocol/capabilities.ts';
import { type DaemonInitializeResult, initialize, initialized } from '../protocol/lifecycle.ts';
import type { Client, ConnectOptions } from './client.ts';
import { type DaemonConnection, type DaemonStreams, openConnection } from './connection.ts';
import { openDaemonStreams } from './daemonStreams.ts';
import { ConnectionError, convertError } from './errors.ts';
import { startProcess } from './process.ts';

/** The result of `initialize`; members may be missing if `command` is another program. */
interface Initialized {
	capabilities?: { experimental?: Partial<DaemonInitializeResult['capabilities']['experimental']> };
}

declare const contextdVersion: string;

/** The command of this package, relative to the bundle with this file. */
const packageCommand = join(__dirname, '../../contextd.cjs');

function createParams({ cwd, initializationOptions, capabilities }: ConnectOptions): InitializeParams {
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

async function initializeDaemon(
	connection: DaemonConnection,
	options: ConnectOptions,
): Promise<DaemonCapabilities> {
	const { capabilities } = await connection.request<Initialized>(
		initialize.method,
		createParams(options),
		options.signal,
	);
	const daemonCapabilities = capabilities?.experimental?.contextd;
	if (daemonCapabilities === undefined)
		throw new ConnectionError('the started program is not contextd: it reports no capabilities');
	await connection.notify(initialized.method, {});
	return daemonCapabilities;
}

/** Returns params to send, with `error` as a plain object, because the JSON of an `Error` is empty. */
function toPlainParams(params: object = {}): object {
	return 'error' in params ? { ...params, error: convertError(params.error) } : params;
}

function openStreams(options: ConnectOptions): DaemonStreams | Promise<DaemonStreams> {
	const { command, cwd, isBackground, initializationOptions: settings } = options;
	const environment = { ...process.env, ...options.env };
	if (command === undefined) {
		const program = [process.execPath, packageCommand];
		return openDaemonStreams({ program, version: contextdVersion, cwd, environment, settings, isBackground });
	}
	const [program, ...args] = typeof command === 'string' ? [command, '--stdio'] : command;
	if (!program) throw new TypeError('command: expected a program, got nothing');
	return startProcess({ program, args, env: environment, cwd, isBackground });
}

/**
 * Connects to the user's daemon, which is started if none runs, or starts the program that the options name.
 *
 * Rejects with a `ConnectionError` if the daemon cannot be started or ends at once, with a `RequestError` if it
 * refuses `initialize`, and with the signal's reason if the signal is aborted. A started program has ended by then.
 */
export async function connect(options: ConnectOptions = {}): Promise<Client> {
	options.signal?.throwIfAborted();
	return connectOver(await openStreams(options), options);
}

/** Like `connect`, over streams that are already open. */
export async function connectOver(
	streams: DaemonStreams,
	options: Pick<ConnectOptions, 'cwd' | 'initializationOptions' | 'capabilities' | 'signal'>,
): Promise<Client> {
	const connection = openConnection(streams);
	try {
		const capabilities = await initializeDaemon(connection, options);
		return {
			capabilities,
			request: (method, ...[params, requestOptions]) =>
				connection.request(method, toPlainParams(params), requestOptions?.signal),
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
