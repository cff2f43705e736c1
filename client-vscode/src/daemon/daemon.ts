/** Gives the rest of the extension access to the daemon. */

import * as vscode from 'vscode';
import type { Requests } from '../../../server/client/messages.ts';
import type { DaemonEvents, DaemonRequestOptions, EditorConnection } from './client.ts';
import { loadKeys } from './keys.ts';

/** Access to the daemon; nothing is loaded or started before the first request. */
export class Daemon {
	readonly #context: vscode.ExtensionContext;
	readonly #log: vscode.LogOutputChannel;
	readonly #events: DaemonEvents = {
		state: new vscode.EventEmitter(),
		didChange: new vscode.EventEmitter(),
		didCompact: new vscode.EventEmitter(),
		didChangeFile: new vscode.EventEmitter(),
	};
	#connection: Promise<EditorConnection> | null = null;
	#hasEnded = false;
	readonly onDidChangeState = this.#events.state.event;
	readonly onDidChange = this.#events.didChange.event;
	readonly onDidCompact = this.#events.didCompact.event;
	readonly onDidChangeFile = this.#events.didChangeFile.event;

	constructor(context: vscode.ExtensionContext, log: vscode.LogOutputChannel) {
		this.#context = context;
		this.#log = log;
	}

	/** Starts the daemon if it is not running; rejects if it cannot be started. */
	async start(): Promise<void> {
		await (await this.#getConnection()).start();
	}

	async restart(): Promise<void> {
		await (await this.#getConnection()).restart();
	}

	/** Sends a request, after starting the daemon if needed. Rejects with the daemon's error. */
	async request<Method extends keyof Requests>(
		method: Method,
		params: Requests[Method]['params'],
		options?: DaemonRequestOptions,
	): Promise<Requests[Method]['result']> {
		const connection = await this.#getConnection();
		await connection.start();
		return connection.request(method, params, options);
	}

	/** Sends the current settings to the daemon, if it runs. */
	async sendSettings(): Promise<void> {
		await (await this.#connection)?.sendSettings();
	}

	/** Ends the daemon after its running requests. */
	async stop(): Promise<void> {
		this.#hasEnded = true;
		await (await this.#connection)?.stop();
		for (const emitter of Object.values(this.#events)) emitter.dispose();
	}

	/** Returns the connection. Throws after `stop`, because a late request must not start the daemon while the window closes. */
	async #getConnection(): Promise<EditorConnection> {
		if (this.#hasEnded) throw new Error('The daemon ended with the window.');
		this.#connection ??= this.#connect();
		return this.#connection;
	}

	async #connect(): Promise<EditorConnection> {
		const client = await import('./client.ts');
		const keys = await loadKeys(this.#context.secrets, this.#context.globalState);
		return new client.EditorConnection(this.#context, this.#log, this.#events, keys);
	}
}
