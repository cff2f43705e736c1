/** The daemon as the rest of the extension sees it: started when it is first needed, then asked. */

import * as vscode from 'vscode';
import type { CompactResult } from '../../server/protocol/compact.ts';
import type { RequestDeclaration } from '../../server/protocol/message.ts';
import type { ContextStats } from '../../server/protocol/stats.ts';
import type { Connection } from './client.ts';

export type DaemonState = { kind: 'starting' } | { kind: 'running' } | { kind: 'stopped'; reason: string };

export interface CompactionNews {
	sessionId: string;
	result: Omit<CompactResult, 'messages'>;
}

export interface FileNews {
	uri: string;
	change: 'changed' | 'deleted' | 'created';
	sessionIds: string[];
}

export interface Ask {
	token?: vscode.CancellationToken;
	/** Hears what the daemon says of its progress. */
	onProgress?: (message: string) => void;
}

/** What the connection tells of itself and passes on. */
export interface DaemonEvents {
	state: vscode.EventEmitter<DaemonState>;
	didChange: vscode.EventEmitter<{ sessionId: string; stats: ContextStats | null }>;
	didCompact: vscode.EventEmitter<CompactionNews>;
	didChangeFile: vscode.EventEmitter<FileNews>;
}

export interface Daemon {
	readonly onState: vscode.Event<DaemonState>;
	readonly onDidChange: vscode.Event<{ sessionId: string; stats: ContextStats | null }>;
	readonly onDidCompact: vscode.Event<CompactionNews>;
	readonly onDidChangeFile: vscode.Event<FileNews>;
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

	async function connect(): Promise<Connection> {
		const { createConnection } = await import('./client.ts');
		return createConnection(context, log, events);
	}

	function connected(): Promise<Connection> {
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
			await (await connection)?.stop();
			for (const emitter of Object.values(events)) emitter.dispose();
		},
	};
}
