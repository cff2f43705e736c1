/** Connects to the user's daemon. If no daemon runs, starts one on the editor's own Node. */

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
import { type OpenedDaemon, openDaemonStreams } from '../../../server/client/daemonStreams.ts';
import type { Requests } from '../../../server/client/messages.ts';
import { errorText } from '../../../server/core/failure.ts';
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
import { readDaemonSettings, readSummaryModel } from './configuration.ts';
import { addKeyVariables, type KeysByScope, loadKeys, toKeyVariables } from './keys.ts';
import { answerSummaryRequest } from './languageModel.ts';

export type DaemonState = { kind: 'starting' } | { kind: 'running' } | { kind: 'stopped'; reason: string };

export interface DaemonRequestOptions {
	token?: vscode.CancellationToken;
	/** Receives each progress message of the request. */
	onProgress?: (message: string) => void;
}

/** Events of the connection. */
export interface DaemonEvents {
	state: vscode.EventEmitter<DaemonState>;
	didChange: vscode.EventEmitter<DidChangeParams>;
	didCompact: vscode.EventEmitter<DidCompactParams>;
	didChangeFile: vscode.EventEmitter<DidChangeFileParams>;
}

/** Maximum milliseconds for stopping the daemon: it gives requests 3 s to finish, and VS Code waits 5 s. */
const stopTimeoutMs = 5000;

/**
 * The connection to the user's daemon; `start` opens it.
 *
 * There is one language client at a time; `restart` replaces the client and passes the current keys. The client
 * survives the end of a daemon: its streams end only if no new daemon can be started.
 */
export class EditorConnection {
	readonly #context: vscode.ExtensionContext;
	readonly #log: vscode.LogOutputChannel;
	readonly #events: DaemonEvents;
	#keys: KeysByScope;
	#streams: OpenedDaemon | undefined;
	#client: LanguageClient;
	/** Number of progress tokens created so far. */
	#progressTokenCount = 0;

	constructor(
		context: vscode.ExtensionContext,
		log: vscode.LogOutputChannel,
		events: DaemonEvents,
		keys: KeysByScope,
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
			const missingProgram = this.#describeMissingProgram();
			const cause = missingProgram ?? errorText(error);
			const reason = t('the daemon did not start: {0}', cause);
			this.#events.state.fire({ kind: 'stopped', reason });
			// The client's own error says only that the connection was lost, as if a retry could help.
			throw missingProgram === undefined ? error : new Error(reason);
		}
	}

	async restart(): Promise<void> {
		const { secrets, globalState } = this.#context;
		await this.stop();
		if (this.#streams) await stopDaemon(this.#streams.stateFolder);
		await this.#client
			.dispose(stopTimeoutMs)
			.catch((error: unknown) => this.#log.warn(`Stopping: ${String(error)}`));
		this.#keys = await loadKeys(secrets, globalState);
		this.#client = this.#createClient();
		await this.start();
	}

	async stop(): Promise<void> {
		if (this.#client.isRunning()) await this.#client.stop(stopTimeoutMs);
	}

	async sendSettings(): Promise<void> {
		if (!this.#client.isRunning()) return;
		await this.#client.sendNotification('workspace/didChangeConfiguration', {
			settings: { contextd: this.#readSettings() },
		});
	}

	async request<Method extends keyof Requests>(
		method: Method,
		params: Requests[Method]['params'],
		options?: DaemonRequestOptions,
	): Promise<Requests[Method]['result']> {
		const onProgress = options?.onProgress;
		if (!onProgress) return this.#send(method, params, options?.token);
		const workDoneToken = `contextd-${++this.#progressTokenCount}`;
		const subscription = this.#client.onProgress(WorkDoneProgress.type, workDoneToken, (value) => {
			if (value.kind !== 'end' && value.message) onProgress(value.message);
		});
		try {
			return await this.#send(method, { ...params, workDoneToken }, options.token);
		} finally {
			subscription.dispose();
		}
	}

	/** Sends a request. Leaves out an undefined token, because the library would send it as a second param. */
	#send<Result>(method: string, params: object, token?: vscode.CancellationToken): Promise<Result> {
		return token
			? this.#client.sendRequest<Result>(method, params, token)
			: this.#client.sendRequest<Result>(method, params);
	}

	#createClient(): LanguageClient {
		const events = this.#events;
		const client = new QuietClient('contextd', 'contextd', () => this.#connect(), this.#getOptions());
		client.registerFeature(createCapabilityFeature(vscode.lm !== undefined));
		client.onNotification(didChange.method, (params) => events.didChange.fire(params));
		client.onNotification(didCompact.method, (params) => events.didCompact.fire(params));
		client.onNotification(didChangeFile.method, (params) => events.didChangeFile.fire(params));
		client.onRequest(contextSummarize.method, (params: SummarizeParams, token: vscode.CancellationToken) =>
			answerSummaryRequest(params, token, this.#context),
		);
		client.onDidChangeState(({ newState }) => {
			if (newState === State.Running) events.state.fire({ kind: 'running' });
		});
		return client;
	}

	#getOptions(): LanguageClientOptions {
		return {
			outputChannel: this.#log,
			revealOutputChannelOn: RevealOutputChannelOn.Never,
			initializationOptions: () => this.#readSettings(),
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
		this.#streams = await openDaemonStreams({
			program: [process.execPath, this.#getProgramPath()],
			version: String(extension.packageJSON.version),
			environment: { ...process.env, ...toKeyVariables(this.#keys) },
			settings: this.#readSettings(),
		});
		return { reader: this.#streams.output, writer: this.#streams.input };
	}

	#getProgramPath(): string {
		return path.join(this.#context.extensionPath, 'dist', 'daemon', 'main.cjs');
	}

	/** Returns a message if the daemon's program is missing; undefined if it exists. */
	#describeMissingProgram(): string | undefined {
		const file = this.#getProgramPath();
		return existsSync(file) ? undefined : t('its program {0} is missing. Install the extension again.', file);
	}

	#readSettings(): Record<string, unknown> {
		const userSettings = readDaemonSettings(this.#context);
		const summarization = userSettings.summarization as Record<string, unknown> | undefined;
		const chain = summarization?.chain;
		return {
			...userSettings,
			summarization: {
				...summarization,
				...(chain !== undefined && { chain: addKeyVariables(chain, this.#keys) }),
				useClient: readSummaryModel() !== '',
			},
		};
	}

	async #onClosed(): Promise<CloseHandlerResult> {
		const lost = this.#streams?.lost ?? Promise.reject(new Error());
		const { message: cause } = await lost.catch((error: Error) => error);
		const message = this.#describeMissingProgram() ?? cause;
		this.#log.error(message);
		if (this.#client.state === State.Running)
			this.#reportLostConnection(t('the connection to the daemon ended: {0}', message));
		return { action: CloseAction.DoNotRestart, handled: true };
	}

	#reportLostConnection(reason: string): void {
		this.#events.state.fire({ kind: 'stopped', reason });
		const [restartLabel, logLabel] = [t('Restart Daemon'), t('Show Log')];
		const choice = vscode.window.showErrorMessage(`contextd: ${reason}`, restartLabel, logLabel);
		void choice.then((answer) => {
			if (answer === restartLabel) void vscode.commands.executeCommand('contextd.restartDaemon');
			if (answer === logLabel) this.#log.show();
		});
	}
}

/** A client that only logs its errors: `EditorConnection` shows the user the important ones. */
class QuietClient extends LanguageClient {
	override error(message: string, data?: unknown): void {
		super.error(message, data, false);
	}
}

/** Stops the daemon that serves all clients, or kills it if it does not answer. */
async function stopDaemon(stateFolder: string): Promise<void> {
	const daemon = controlDaemon(stateFolder);
	const state = await daemon.inspect();
	if (state.kind === 'running') await daemon.stop(state.status.pid);
	if (state.kind === 'silent' && state.pid !== undefined) await daemon.kill(state.pid);
}

function isOnDisk(folder: vscode.WorkspaceFolder): boolean {
	return folder.uri.scheme === 'file';
}

/**
 * Returns a client feature that announces support for notifications and, if the editor has language models, for
 * summaries. It leaves out workspace folders that are not on this machine's disk: the daemon cannot read those.
 */
function createCapabilityFeature(canSummarize: boolean): StaticFeature {
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
				contextd: { notifications: true, summarize: canSummarize },
			};
		},
		fillInitializeParams(params) {
			params.workspaceFolders =
				params.workspaceFolders?.filter(({ uri }) => uri.startsWith('file:')) ?? params.workspaceFolders;
		},
		preInitialize(capabilities) {
			// The daemon's commands are for editors without an extension; some have the same names as commands of this extension.
			delete capabilities.executeCommandProvider;
		},
		initialize() {},
		getState: () => ({ kind: 'static' }),
		clear() {},
	};
}
