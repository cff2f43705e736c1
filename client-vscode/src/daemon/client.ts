/** The language client that runs the daemon on the editor's own Node and talks to it. */

import * as path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
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
	TransportKind,
	WorkDoneProgress,
} from 'vscode-languageclient/node';
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
import { say, speak } from '../text/language.ts';
import { daemonSettings, summaryModel } from './configuration.ts';
import { type Keys, keyVariables, loadKeys, withKeys } from './keys.ts';
import { summarize } from './languageModel.ts';
import { afterStop } from './restarts.ts';

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

/** Lines of stderr that are told when the daemon stops by itself. */
const lastWordsLimit = 20;
/** Milliseconds that an orderly end may take: the daemon lets running requests finish for 3 s, and VS Code waits for 5. */
const stopTimeout = 5000;

export interface Connection {
	start(): Promise<void>;
	restart(): Promise<void>;
	stop(): Promise<void>;
	settingsChanged(): Promise<void>;
	request<Params extends object, Result>(
		declaration: RequestDeclaration<Params, Result>,
		params: Params,
		ask?: Ask,
	): Promise<Result>;
}

/** The connection to one daemon, not started yet. */
export function createConnection(
	context: vscode.ExtensionContext,
	log: vscode.LogOutputChannel,
	events: DaemonEvents,
	keys: Keys,
): Connection {
	speak(vscode.l10n.bundle);
	let stops: number[] = [];
	let lastWords: string[] = [];
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

	function readStderr(input: Readable): void {
		createInterface({ input }).on('line', (line) => {
			lastWords = [...lastWords.slice(1 - lastWordsLimit), line];
		});
	}

	async function onClosed(): Promise<CloseHandlerResult> {
		log.error(['The daemon stopped by itself. Its last words:', ...lastWords].join('\n'));
		lastWords = [];
		const decision = afterStop(stops, Date.now());
		stops = decision.stops;
		if (!decision.restart) {
			giveUp(say('the daemon stopped {0} times within a few minutes.', stops.length));
			return { action: CloseAction.DoNotRestart, handled: true };
		}
		events.state.fire({ kind: 'starting' });
		await new Promise((resolve) => setTimeout(resolve, decision.afterMs));
		return { action: CloseAction.Restart, handled: true };
	}

	function giveUp(reason: string): void {
		events.state.fire({ kind: 'stopped', reason });
		const [restart, show] = [say('Restart Daemon'), say('Show Log')];
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
			stdioOptions: { stdout: () => {}, stderr: readStderr },
			middleware: {
				workspace: {
					didChangeWorkspaceFolders: (event, next) =>
						next({ added: event.added.filter(isOnDisk), removed: event.removed.filter(isOnDisk) }),
				},
			},
		};
		const module = path.join(context.extensionPath, 'dist', 'daemon', 'main.cjs');
		const made = new QuietClient(
			'contextd',
			'contextd',
			{ module, transport: TransportKind.stdio, options: { env: keyVariables(keys) } },
			options,
		);
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
			events.state.fire({ kind: 'stopped', reason: say('the daemon did not start: {0}', reason) });
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
			stops = [];
			await stop();
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
