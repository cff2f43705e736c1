/** The daemon as the rest of the extension sees it: started when it is first needed, then asked. */

import * as vscode from 'vscode';
import type { RequestDeclaration } from '../../../server/protocol/declaration.ts';
import type {
	DidChangeFileParams,
	DidChangeParams,
	DidCompactParams,
} from '../../../server/protocol/push.ts';
import type { Ask, Connection, DaemonEvents, DaemonState } from './client.ts';
import { loadKeys } from './keys.ts';

export interface Daemon {
	readonly onState: vscode.Event<DaemonState>;
	readonly onDidChange: vscode.Event<DidChangeParams>;
	readonly onDidCompact: vscode.Event<DidCompactParams>;
	readonly onDidChangeFile: vscode.Event<DidChangeFileParams>;
	/** Starts the daemon where it is not running; rejects when it cannot be started. */
	start(): Promise<void>;
	restart(): Promise<void>;
	/** Sends a request, after a start where that is needed. Rejects with the daemon's error. */
	request<Params extends object, Result>(
		declaration: RequestDeclaration<Params, Result>,
		params: Params,
		ask?: Ask,
	): Promise<Result>;
	/** Tells the daemon the settings as they are now, where it runs. */
	settingsChanged(): Promise<void>;
	/** Ends the daemon in order. */
	stop(): Promise<void>;
}

/** The daemon; nothing is loaded or started before the first use. */
export function createDaemon(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): Daemon {
	const events: DaemonEvents = {
		state: new vscode.EventEmitter(),
		didChange: new vscode.EventEmitter(),
		didCompact: new vscode.EventEmitter(),
		didChangeFile: new vscode.EventEmitter(),
	};
	let connection: Promise<Connection> | null = null;
	let hasEnded = false;

	async function connect(): Promise<Connection> {
		const { createConnection } = await import('./client.ts');
		return createConnection(context, log, events, await loadKeys(context.secrets, context.globalState));
	}

	/** What is asked late, while the window closes, must not start the daemon again. */
	async function connected(): Promise<Connection> {
		if (hasEnded) throw new Error('The daemon ended with the window.');
		connection ??= connect();
		return connection;
	}

	return {
		onState: events.state.event,
		onDidChange: events.didChange.event,
		onDidCompact: events.didCompact.event,
		onDidChangeFile: events.didChangeFile.event,
		async start() {
			await (await connected()).start();
		},
		async restart() {
			await (await connected()).restart();
		},
		async request(declaration, params, ask) {
			const to = await connected();
			await to.start();
			return to.request(declaration, params, ask);
		},
		async settingsChanged() {
			await (await connection)?.settingsChanged();
		},
		async stop() {
			hasEnded = true;
			await (await connection)?.stop();
			for (const emitter of Object.values(events)) emitter.dispose();
		},
	};
}
