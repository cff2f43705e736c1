/** The language client that connects to the user's daemon, which runs on the editor's own Node unless another one runs. */

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
import { controlDaemon } from '../../../server/daemon/control.ts';
import type { RequestDeclaration } from '../../../server/protocol/declaration.ts';
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
import { type Keys, keyVariables, loadKeys, withKeys } from './keys.ts';
import { summarize } from './languageModel.ts';

export type DaemonState = { kind: 'starting' } | { kind: 'running' } | { kind: 'stopped'; reason: string };

export interface Ask {
	token?: vscode.CancellationToken;
	/** Hears what the daemon says of its progress. */
	onProgress?: (message: string) => void;
}

/** What the connection tells of itself and passes on. */
export interface DaemonEvents {
	state: vscode.EventEmitter<DaemonState>;
	didChange: vscode.EventEmitter<DidChangeParams>;
	didCompact: vscode.EventEmitter<DidCompactParams>;
	didChangeFile: vscode.EventEmitter<DidChangeFileParams>;
}

/** Milliseconds that an orderly end may take: the daemon lets running requests finish for 3 s, and VS Code waits for 5. */
const stopTimeout = 5000;

export type Connection = Pick<Daemon, 'start' | 'restart' | 'stop' | 'settingsChanged' | 'request'>;

/** The connection to one daemon, not started yet. */
export function createConnection(
	context: vscode.ExtensionContext,
	log: vscode.LogOutputChannel,
	events: DaemonEvents,
	keys: Keys,
): Connection {
	setBundle(vscode.l10n.bundle);
	let streams: OpenedDaemon | undefined;
	let client = createClient();
	let tokens = 0;

	function settings(): Record<string, unknown> {
		const set = daemonSettings(context);
		const summarization = set.summarization as Record<string, unknown> | undefined;
		const chain = summarization?.chain;
		return {
			...set,
			summarization: {
				...summarization,
				...(chain !== undefined && { chain: withKeys(chain, keys) }),
				useClient: summaryModel() !== '',
			},
		};
	}

	async function connect(): Promise<StreamInfo> {
		streams = await daemonStreams({
			program: [process.execPath, path.join(context.extensionPath, 'dist', 'daemon', 'main.cjs')],
			version: String(context.extension.packageJSON.version),
			environment: { ...process.env, ...keyVariables(keys) },
			settings: settings(),
		});
		return { reader: streams.output, writer: streams.input };
	}

	/** The connection outlives daemons; that it ended means that none can be started any more. */
	async function onClosed(): Promise<CloseHandlerResult> {
		const { message } = await (streams?.lost ?? Promise.reject(new Error())).catch((error: Error) => error);
		log.error(message);
		if (client.state === State.Running) giveUp(t('the connection to the daemon ended: {0}', message));
		return { action: CloseAction.DoNotRestart, handled: true };
	}

	function giveUp(reason: string): void {
		events.state.fire({ kind: 'stopped', reason });
		const [restart, show] = [t('Restart Daemon'), t('Show Log')];
		const offer = vscode.window.showErrorMessage(`contextd: ${reason}`, restart, show);
		void offer.then((answer) => {
			if (answer === restart) void vscode.commands.executeCommand('contextd.restartDaemon');
			if (answer === show) log.show();
		});
	}

	function createClient(): LanguageClient {
		const options: LanguageClientOptions = {
			outputChannel: log,
			revealOutputChannelOn: RevealOutputChannelOn.Never,
			initializationOptions: settings,
			initializationFailedHandler: () => false,
			errorHandler: {
				error: () => ({ action: ErrorAction.Continue, handled: true }),
				closed: onClosed,
			},
			middleware: {
				workspace: {
					didChangeWorkspaceFolders: (event, next) =>
						next({ added: event.added.filter(isOnDisk), removed: event.removed.filter(isOnDisk) }),
				},
			},
		};
		const made = new QuietClient('contextd', 'contextd', connect, options);
		made.registerFeature(announceFeature(vscode.lm !== undefined));
		made.onNotification(didChange.method, (news) => events.didChange.fire(news));
		made.onNotification(didCompact.method, (news) => events.didCompact.fire(news));
		made.onNotification(didChangeFile.method, (news) => events.didChangeFile.fire(news));
		made.onRequest(contextSummarize.method, (params: SummarizeParams, token: vscode.CancellationToken) =>
			summarize(params, token, context),
		);
		made.onDidChangeState(({ newState }) => {
			if (newState === State.Running) events.state.fire({ kind: 'running' });
		});
		return made;
	}

	async function start(): Promise<void> {
		if (client.isRunning()) return;
		if (!client.needsStart()) return client.start();
		events.state.fire({ kind: 'starting' });
		try {
			await client.start();
		} catch (error) {
			const reason = error instanceof Error ? error.message : String(error);
			events.state.fire({ kind: 'stopped', reason: t('the daemon did not start: {0}', reason) });
			throw error;
		}
	}

	/** An undefined token would be sent as a second param. */
	function send<Result>(method: string, params: object, token?: vscode.CancellationToken): Promise<Result> {
		return token
			? client.sendRequest<Result>(method, params, token)
			: client.sendRequest<Result>(method, params);
	}

	async function stop(): Promise<void> {
		if (client.isRunning()) await client.stop(stopTimeout);
	}

	return {
		start,
		stop,
		async restart() {
			await stop();
			if (streams) await stopDaemon(streams.stateFolder);
			await client.dispose(stopTimeout).catch((error: unknown) => log.warn(`Stopping: ${String(error)}`));
			keys = await loadKeys(context.secrets, context.globalState);
			client = createClient();
			await start();
		},
		async settingsChanged() {
			if (!client.isRunning()) return;
			await client.sendNotification('workspace/didChangeConfiguration', {
				settings: { contextd: settings() },
			});
		},
		async request<Params extends object, Result>(
			{ method }: RequestDeclaration<Params, Result>,
			params: Params,
			ask?: Ask,
		): Promise<Result> {
			const heard = ask?.onProgress;
			if (!heard) return send<Result>(method, params, ask?.token);
			const workDoneToken = `contextd-${++tokens}`;
			const listening = client.onProgress(WorkDoneProgress.type, workDoneToken, (value) => {
				if (value.kind !== 'end' && value.message) heard(value.message);
			});
			try {
				return await send<Result>(method, { ...params, workDoneToken }, ask.token);
			} finally {
				listening.dispose();
			}
		},
	};
}

/** Says nothing to the user by itself: `onClosed` and `start` tell what there is to tell, and the log holds the rest. */
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
 * Announces that pushed figures are wanted and, where the editor has language models, that it can summarize.
 * Folders that are not on this machine's disk are left out: the daemon could not read them.
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
		initialize() {},
		getState: () => ({ kind: 'static' }),
		clear() {},
	};
}
