/** The connection to the user's daemon. If none runs, it starts one on the editor's own Node. */

import { existsSync } from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import {
	CloseAction,
	type CloseHandlerResult,
	ErrorAction,
	LanguageClient,
	type LanguageClientOptions,
	RevealOutputChannelOn,
	State,
	type StaticFeature,
	type StreamInfo,
	WorkDoneProgress,
} from 'vscode-languageclient/node';
import { daemonStreams, type OpenedDaemon } from '../../../server/client/daemonStreams.ts';
import type { Requests } from '../../../server/client/messages.ts';
import { controlDaemon } from '../../../server/daemon/control.ts';
import {
	contextSummarize,
	type DidChangeFileParams,
	type DidChangeParams,
	type DidCompactParams,
	didChange,
	didChangeFile,
	didCompact,
	type SummarizeParams,
} from '../../../server/protocol/push.ts';
import { setBundle, t } from '../text/language.ts';
import { daemonSettings, summaryModel } from './configuration.ts';
import type { Daemon } from './daemon.ts';
import { type KeysByPlace, keyVariables, loadKeys, withKeyVariables } from './keys.ts';
import { answerSummaryRequest } from './languageModel.ts';

export type DaemonState = { kind: 'starting' } | { kind: 'running' } | { kind: 'stopped'; reason: string };

export interface AskOptions {
	token?: vscode.CancellationToken;
	/** Receives the messages of the request's progress. */
	onProgress?: (message: string) => void;
}

/** Events of the connection. */
export interface DaemonEvents {
	state: vscode.EventEmitter<DaemonState>;
	didChange: vscode.EventEmitter<DidChangeParams>;
	didCompact: vscode.EventEmitter<DidCompactParams>;
	didChangeFile: vscode.EventEmitter<DidChangeFileParams>;
}

/** Milliseconds for an orderly end: requests have 3 s to finish, and VS Code waits for 5 s. */
const stopTimeout = 5000;

/**
 * The connection to the user's daemon, not started yet.
 *
 * It has one language client at a time; `restart` replaces it and passes the current keys. The client outlives
 * daemons: its streams end only if no further daemon can be started.
 */
export class EditorConnection
	implements Pick<Daemon, 'start' | 'restart' | 'stop' | 'settingsChanged' | 'request'>
{
	readonly #context: vscode.ExtensionContext;
	readonly #log: vscode.LogOutputChannel;
	readonly #events: DaemonEvents;
	#keys: KeysByPlace;
	#streams: OpenedDaemon | undefined;
	#client: LanguageClient;
	/** Number of used progress tokens. */
	#tokens = 0;

	constructor(
		context: vscode.ExtensionContext,
		log: vscode.LogOutputChannel,
		events: DaemonEvents,
		keys: KeysByPlace,
	) {
		setBundle(vscode.l10n.bundle);
		this.#context = context;
		this.#log = log;
		this.#events = events;
		this.#keys = keys;
		this.#client = this.#createClient();
	}

	async start(): Promise<void> {
		const client = this.#client;
		if (client.isRunning()) return;
		if (!client.needsStart()) return client.start();
		this.#events.state.fire({ kind: 'starting' });
		try {
			await client.start();
		} catch (error) {
			const missing = this.#missingFile();
			const cause = missing ?? (error instanceof Error ? error.message : String(error));
			const reason = t('the daemon did not start: {0}', cause);
			this.#events.state.fire({ kind: 'stopped', reason });
			// The client's own error says only that the connection was lost, so that a retry seems to help.
			throw missing === undefined ? error : new Error(reason);
		}
	}

	async restart(): Promise<void> {
		const { secrets, globalState } = this.#context;
		await this.stop();
		if (this.#streams) await stopDaemon(this.#streams.stateFolder);
		await this.#client
			.dispose(stopTimeout)
			.catch((error: unknown) => this.#log.warn(`Stopping: ${String(error)}`));
		this.#keys = await loadKeys(secrets, globalState);
		this.#client = this.#createClient();
		await this.start();
	}

	async stop(): Promise<void> {
		if (this.#client.isRunning()) await this.#client.stop(stopTimeout);
	}

	async settingsChanged(): Promise<void> {
		if (!this.#client.isRunning()) return;
		await this.#client.sendNotification('workspace/didChangeConfiguration', {
			settings: { contextd: this.#settings() },
		});
	}

	async request<Method extends keyof Requests>(
		method: Method,
		params: Requests[Method]['params'],
		ask?: AskOptions,
	): Promise<Requests[Method]['result']> {
		const onProgress = ask?.onProgress;
		if (!onProgress) return this.#send(method, params, ask?.token);
		const workDoneToken = `contextd-${++this.#tokens}`;
		const listening = this.#client.onProgress(WorkDoneProgress.type, workDoneToken, (value) => {
			if (value.kind !== 'end' && value.message) onProgress(value.message);
		});
		try {
			return await this.#send(method, { ...params, workDoneToken }, ask.token);
		} finally {
			listening.dispose();
		}
	}

	/** Sends a request. The library would send an undefined token as a second param. */
	#send<Result>(method: string, params: object, token?: vscode.CancellationToken): Promise<Result> {
		return token
			? this.#client.sendRequest<Result>(method, params, token)
			: this.#client.sendRequest<Result>(method, params);
	}

	#createClient(): LanguageClient {
		const events = this.#events;
		const client = new QuietClient('contextd', 'contextd', () => this.#connect(), this.#clientOptions());
		client.registerFeature(announceFeature(vscode.lm !== undefined));
		client.onNotification(didChange.method, (news) => events.didChange.fire(news));
		client.onNotification(didCompact.method, (news) => events.didCompact.fire(news));
		client.onNotification(didChangeFile.method, (news) => events.didChangeFile.fire(news));
		client.onRequest(contextSummarize.method, (params: SummarizeParams, token: vscode.CancellationToken) =>
			answerSummaryRequest(params, token, this.#context),
		);
		client.onDidChangeState(({ newState }) => {
			if (newState === State.Running) events.state.fire({ kind: 'running' });
		});
		return client;
	}

	#clientOptions(): LanguageClientOptions {
		return {
			outputChannel: this.#log,
			revealOutputChannelOn: RevealOutputChannelOn.Never,
			initializationOptions: () => this.#settings(),
			initializationFailedHandler: () => false,
			errorHandler: {
				error: () => ({ action: ErrorAction.Continue, handled: true }),
				closed: () => this.#onClosed(),
			},
			middleware: {
				workspace: {
					didChangeWorkspaceFolders: (event, next) =>
						next({ added: event.added.filter(isOnDisk), removed: event.removed.filter(isOnDisk) }),
				},
			},
		};
	}

	async #connect(): Promise<StreamInfo> {
		const { extension } = this.#context;
		this.#streams = await daemonStreams({
			program: [process.execPath, this.#programFile()],
			version: String(extension.packageJSON.version),
			environment: { ...process.env, ...keyVariables(this.#keys) },
			settings: this.#settings(),
		});
		return { reader: this.#streams.output, writer: this.#streams.input };
	}

	#programFile(): string {
		return path.join(this.#context.extensionPath, 'dist', 'daemon', 'main.cjs');
	}

	/** Says that the daemon's program is missing; undefined if it exists. */
	#missingFile(): string | undefined {
		const file = this.#programFile();
		return existsSync(file) ? undefined : t('its program {0} is missing. Install the extension again.', file);
	}

	#settings(): Record<string, unknown> {
		const set = daemonSettings(this.#context);
		const summarization = set.summarization as Record<string, unknown> | undefined;
		const chain = summarization?.chain;
		return {
			...set,
			summarization: {
				...summarization,
				...(chain !== undefined && { chain: withKeyVariables(chain, this.#keys) }),
				useClient: summaryModel() !== '',
			},
		};
	}

	async #onClosed(): Promise<CloseHandlerResult> {
		const lost = this.#streams?.lost ?? Promise.reject(new Error());
		const { message: cause } = await lost.catch((error: Error) => error);
		const message = this.#missingFile() ?? cause;
		this.#log.error(message);
		if (this.#client.state === State.Running)
			this.#giveUp(t('the connection to the daemon ended: {0}', message));
		return { action: CloseAction.DoNotRestart, handled: true };
	}

	#giveUp(reason: string): void {
		this.#events.state.fire({ kind: 'stopped', reason });
		const [restart, show] = [t('Restart Daemon'), t('Show Log')];
		const offer = vscode.window.showErrorMessage(`contextd: ${reason}`, restart, show);
		void offer.then((answer) => {
			if (answer === restart) void vscode.commands.executeCommand('contextd.restartDaemon');
			if (answer === show) this.#log.show();
		});
	}
}

/** Shows the user no errors: `EditorConnection` shows those that matter, and the log has the rest. */
class QuietClient extends LanguageClient {
	override error(message: string, data?: unknown): void {
		super.error(message, data, false);
	}
}

/** Ends the daemon that serves all clients; one that does not answer is killed. */
async function stopDaemon(stateFolder: string): Promise<void> {
	const daemon = controlDaemon(stateFolder);
	const state = await daemon.look();
	if (state.kind === 'running') await daemon.stop(state.status.pid);
	if (state.kind === 'silent' && state.pid !== undefined) await daemon.kill(state.pid);
}

function isOnDisk(folder: vscode.WorkspaceFolder): boolean {
	return folder.uri.scheme === 'file';
}

/**
 * Announces notifications and, if the editor has language models, summaries. Leaves out folders that are not on this
 * machine's disk, because the daemon cannot read them.
 */
function announceFeature(summarize: boolean): StaticFeature {
	return {
		fillClientCapabilities(capabilities) {
			// The extension sends the settings that the user changed; the editor would also send every default.
			capabilities.workspace = {
				...capabilities.workspace,
				configuration: false,
				didChangeConfiguration: { dynamicRegistration: false },
			};
			capabilities.experimental = {
				...(capabilities.experimental as object | undefined),
				contextd: { notifications: true, summarize },
			};
		},
		fillInitializeParams(params) {
			params.workspaceFolders =
				params.workspaceFolders?.filter(({ uri }) => uri.startsWith('file:')) ?? params.workspaceFolders;
		},
		preInitialize(capabilities) {
			// The daemon's commands are for editors without an extension; some have the names of our own.
			delete capabilities.executeCommandProvider;
		},
		initialize() {},
		getState: () => ({ kind: 'static' }),
		clear() {},
	};
}
