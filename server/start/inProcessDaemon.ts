import type { CancellationToken, ProgressToken } from 'vscode-jsonrpc/node';
import { ConnectionError, RequestError } from '../client/errors.ts';
import { Failure } from '../core/failure.ts';
import { createEnvironmentLayer } from '../core/settings/environment.ts';
import type { CommandDaemon } from '../front/console/daemon.ts';
import { createWorkFailure } from '../front/console/failure.ts';
import type { Fullness } from '../front/transcript/sessions.ts';
import { createScratchTextStore } from '../node/scratchTextStore.ts';
import { findSettings } from '../node/settings/findSettings.ts';
import { chooseStateFolder } from '../node/stateFolder.ts';
import type { AgentEnvironment } from '../node/transcript/agentEnvironment.ts';
import type { NewestTranscript } from '../node/transcript/discover/newest.ts';
import type { RequestDeclaration } from '../protocol/declaration.ts';
import type { WorkDoneProgressValue } from '../protocol/lsp.ts';
import type { ConnectedClient } from '../rpc/call/client.ts';
import type { RequestMethod } from '../rpc/call/define.ts';
import { toAnswerError } from '../rpc/call/errors.ts';
import { type RunningRequests, runRequest } from '../rpc/call/handler.ts';
import { ProgressNotifier, type ProgressReporter, silentProgress } from '../rpc/call/progress.ts';
import { ClientSettings } from '../rpc/settings.ts';
import type { Logger } from '../session/ports.ts';
import { measureSession } from '../status/status.ts';
import { type ServedClient, wireReadingClient } from '../wiring/readingWiring.ts';
import { type WiredServices, type WiringOptions, wireServices } from '../wiring/wiring.ts';
import type { InProcessOptions } from './inProcess.ts';
import { RemoteRecorder } from './remoteRecorder.ts';

/** What a command passes to the services in its process. */
type CommandContext = Pick<
	InProcessOptions,
	'environment' | 'platform' | 'home' | 'tablesFolder' | 'askProvider'
> & {
	/** Prints a problem with the user's settings. */
	warn(message: string): void;
	/** Connects to the daemon that all clients share, which has the recordings. */
	connectDaemon(): Promise<CommandDaemon>;
};

type StoredSessionOptions = Pick<WiringOptions, 'shouldReadPluginSessions'>;

/** Cancellation token for calls that are never cancelled. */
const neverCancelled: CancellationToken = {
	isCancellationRequested: false,
	onCancellationRequested: () => ({ dispose: () => {} }),
};

/** A logger that writes nothing, because the terminal belongs to the command. */
const silentLogger: Logger = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

/**
 * Runs the daemon's methods in this process, so that a command need not wait for a second program to load.
 *
 * Methods are called directly, without a stream. Sessions are kept in memory, and the texts of long sessions in a
 * file without a name, so that nothing is left behind. Files that transcripts mention are not watched, because no
 * command reports their changes.
 */
export async function startInProcessDaemon(
	context: CommandContext,
	options: StoredSessionOptions = {},
): Promise<CommandDaemon> {
	const environment = { ...context.environment, CONTEXTD_MEMORY_ENABLED: 'false' };
	const log: Logger = { ...silentLogger, error: context.warn, warn: context.warn };
	const settings = new ClientSettings(log, createEnvironmentLayer(environment), {});
	settings.useFiles(await findSettings(context, process.cwd()));
	return new InProcessDaemon({ ...context, environment }, settings, options);
}

/**
 * The daemon's methods in this process.
 *
 * The methods that most commands call are loaded with this file, all others at the first call of one of them. The
 * process counts as idle while no call runs. `close` cancels running calls, waits for them, and refuses later ones.
 */
class InProcessDaemon implements CommandDaemon {
	readonly #textStores: ReturnType<typeof createScratchTextStore>[] = [];
	/** Receivers of progress, by their tokens. */
	readonly #progressListeners = new Map<string, (progress: WorkDoneProgressValue) => void>();
	readonly #client: ConnectedClient = {
		notify: async () => {},
		request: () => Promise.reject(new ConnectionError('a command answers no requests')),
		createProgress: (token) => this.#createProgress(token),
	};
	readonly #recorder: RemoteRecorder;
	readonly #runningRequests: RunningRequests = new Map();
	readonly #runningCalls = new Set<Promise<unknown>>();
	readonly #services: WiredServices;
	readonly #served: ServedClient;
	readonly #readingClient: ReturnType<typeof wireReadingClient>;
	#otherMethods: Promise<readonly RequestMethod[]> | undefined;
	#idleSince = Date.now();
	#closing: Promise<void> | undefined;
	#lastToken = 0;

	constructor(context: CommandContext, layers: ClientSettings, options: StoredSessionOptions) {
		this.#recorder = new RemoteRecorder(context.connectDaemon);
		this.#services = wireServices({
			...options,
			recorder: this.#recorder,
			shouldWatchFiles: false,
			platform: context.platform,
			tablesFolder: context.tablesFolder,
			tableLoading: 'whenCounted',
			createLineStorage: () => this.#createTextStore(),
			stateFolder: chooseStateFolder(context, layers.getSettings().storage.directory),
			getStorageSettings: () => layers.getSettings().storage,
			getIdleMs: () => (this.#runningCalls.size > 0 ? 0 : Date.now() - this.#idleSince),
			log: silentLogger,
		});
		this.#services.removeExpiredData();
		this.#served = {
			...context,
			cwd: process.cwd(),
			getSettings: () => layers.getSettings(),
			listWorkspaceFolders: () => [],
			getConnection: () => this.#client,
			getCapabilities: () => ({}),
			canShowDocuments: () => false,
			log: silentLogger,
		};
		this.#readingClient = wireReadingClient(this.#services.shared, this.#served);
	}

	async request<Params, Result>(
		{ method }: RequestDeclaration<Params, Result>,
		params: Params,
	): Promise<Result> {
		if (this.#closing) throw createWorkFailure('the connection to the daemon was closed');
		const call = this.#answer(method, params);
		this.#runningCalls.add(call);
		try {
			return (await call) as Result;
		} finally {
			this.#runningCalls.delete(call);
			this.#idleSince = Date.now();
		}
	}

	async requestWithProgress<Result>(
		task: (token: string) => Promise<Result>,
		onProgress: (progress: WorkDoneProgressValue) => void,
	): Promise<Result> {
		const token = `work-${++this.#lastToken}`;
		this.#progressListeners.set(token, onProgress);
		try {
			return await task(token);
		} finally {
			this.#progressListeners.delete(token);
		}
	}

	close(): Promise<void> {
		this.#closing ??= this.#endCalls();
		return this.#closing;
	}

	async #endCalls(): Promise<void> {
		for (const one of this.#runningRequests.keys()) one.abort();
		await Promise.allSettled(this.#runningCalls);
		await this.#services.close();
		await this.#recorder.close();
		for (const one of this.#textStores) one.clear();
	}

	/** Answers a request as the daemon would, with the errors that a client would receive. */
	async #answer(name: string, params: unknown): Promise<unknown> {
		try {
			const method = findMethod(this.#readingClient.requests, name) ?? (await this.#loadMethod(name));
			const call = { params, token: neverCancelled };
			const scope = { client: this.#client, logger: silentLogger, runningRequests: this.#runningRequests };
			return await runRequest(method, call, scope);
		} catch (error) {
			const { signal } = new AbortController();
			const { code, message, data } = toAnswerError(error, { method: name, signal, logger: silentLogger });
			throw new RequestError(code, message, data);
		}
	}

	async #loadMethod(name: string): Promise<RequestMethod> {
		this.#otherMethods ??= this.#loadOtherMethods();
		const method = findMethod(await this.#otherMethods, name);
		if (method === undefined) throw new TypeError(`unknown method ${name}`);
		return method;
	}

	/** Loads the methods that few commands call. */
	async #loadOtherMethods(): Promise<readonly RequestMethod[]> {
		const { connectClient } = await import('../wiring/clientWiring.ts');
		return connectClient(this.#services.shared, this.#served, this.#readingClient).requests;
	}

	#createTextStore(): ReturnType<typeof createScratchTextStore> {
		const storage = createScratchTextStore();
		this.#textStores.push(storage);
		return storage;
	}

	#createProgress(token: ProgressToken | undefined): ProgressReporter {
		const onProgress = typeof token === 'string' ? this.#progressListeners.get(token) : undefined;
		return onProgress && token !== undefined
			? new ProgressNotifier(token, async ({ value }) => onProgress(value))
			: silentProgress;
	}
}

function findMethod(methods: readonly RequestMethod[], name: string): RequestMethod | undefined {
	return methods.find(({ method }) => method === name);
}

/** Returns how full a session's window is, read from the end of its transcript; undefined if it is unreadable or empty. */
export async function peekSession(
	session: NewestTranscript,
	machine: AgentEnvironment,
): Promise<Fullness | undefined> {
	try {
		const now = Date.now();
		const figures = await measureSession(session, machine, now);
		if (figures === undefined || figures.used === 0) return undefined;
		const { used, limit, state, idleMs } = figures;
		return { ratio: used / limit.tokens, state, isGuess: limit.of === 'guess', activeAt: now - idleMs };
	} catch (error) {
		if (error instanceof Failure) return undefined;
		throw error;
	}
}
