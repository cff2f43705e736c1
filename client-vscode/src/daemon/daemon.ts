/** Gives the rest of the extension access to the daemon, which is started when it is first needed. */

import * as vscode from 'vscode';
import type { Requests } from '../../../server/client/messages.ts';
import type {
	DidChangeFileParams,
	DidChangeParams,
	DidCompactParams,
} from '../../../server/protocol/push.ts';
import type { DaemonEvents, DaemonRequestOptions, DaemonState, EditorConnection } from './client.ts';
import { loadKeys } from './keys.ts';

export interface Daemon {
	readonly onDidChangeState: vscode.Event<DaemonState>;
	readonly onDidChange: vscode.Event<DidChangeParams>;
	readonly onDidCompact: vscode.Event<DidCompactParams>;
	readonly onDidChangeFile: vscode.Event<DidChangeFileParams>;
	/** Starts the daemon if it is not running; rejects if it cannot be started. */
	start(): Promise<void>;
	restart(): Promise<void>;
	/** Sends a request, after starting the daemon if needed. Rejects with the daemon's error. */
	request<Method extends keyof Requests>(
		method: Method,
		params: Requests[Method]['params'],
		options?: DaemonRequestOptions,
	): Promise<Requests[Method]['result']>;
	/** Sends the current settings to the daemon, if it runs. */
	sendSettings(): Promise<void>;
	/** Ends the daemon after its running requests. */
	stop(): Promise<void>;
}

/** Returns access to the daemon; nothing is loaded or started before the first request. */
export function createLazyDaemon(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): Daemon {
	const events: DaemonEvents = {
		state: new vscode.EventEmitter(),
		didChange: new vscode.EventEmitter(),
		didCompact: new vscode.EventEmitter(),
		didChangeFile: new vscode.EventEmitter(),
	};
	let connection: Promise<EditorConnection> | null = null;
	let hasEnded = false;

	async function connect(): Promise<EditorConnection> {
		const client = await import('./client.ts');
		return new client.EditorConnection(
			context,
			log,
			events,
			await loadKeys(context.secrets, context.globalState),
		);
	}

	/** Returns the connection. Throws after `stop`, because a late request must not start the daemon while the window closes. */
	async function getConnection(): Promise<EditorConnection> {
		if (hasEnded) throw new Error('The daemon ended with the window.');
		connection ??= connect();
		return connection;
	}

	return {
		onDidChangeState: events.state.event,
		onDidChange: events.didChange.event,
		onDidCompact: events.didCompact.event,
		onDidChangeFile: events.didChangeFile.event,
		async start() {
			await (await getConnection()).start();
		},
		async restart() {
			await (await getConnection()).restart();
		},
		async request(method, params, options) {
			const active = await getConnection();
			await active.start();
			return active.request(method, params, options);
		},
		async sendSettings() {
			await (await connection)?.sendSettings();
		},
		async stop() {
			hasEnded = true;
			await (await connection)?.stop();
			for (const emitter of Object.values(events)) emitter.dispose();
		},
	};
}
