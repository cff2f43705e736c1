import type { CancellationToken } from 'vscode-jsonrpc/node';
import { ConnectionError, RequestError } from './client/errors.ts';
import { Failure } from './core/failure.ts';
import { environmentLayer } from './core/settings/environment.ts';
import type { Daemon } from './front/console/daemon.ts';
import { workFailed } from './front/console/failure.ts';
import type { Fullness } from './front/transcript/sessions.ts';
import type { InProcessOptions } from './inProcess.ts';
import { scratchShelf } from './node/scratchShelf.ts';
import type { NewestTranscript } from './node/transcript/discover/newest.ts';
import type { Surroundings } from './node/transcript/discover/surroundings.ts';
import type { RequestDeclaration } from './protocol/declaration.ts';
import type { WorkDoneProgressValue } from './protocol/lsp.ts';
import { type ServedClient, wireReadingClient } from './readingWiring.ts';
import type { ClientConnection } from './rpc/call/client.ts';
import { toAnswerError } from './rpc/call/errors.ts';
import { type RunningRequests, runRequest } from './rpc/call/handler.ts';
import type { RequestMethod } from './rpc/call/method.ts';
import { createProgress, silentProgress } from './rpc/call/progress.ts';
import { createSettingsLayers } from './rpc/settings.ts';
import type { Logger } from './session/ports.ts';
import { stateFolderOf } from './stateFolder.ts';
import { sessionFigures } from './status/status.ts';
import { type WiringOptions, wireServices } from './wiring.ts';

/** The environment that a command passes to the services in its process. */
type CommandWorld = Pick<InProcessOptions, 'environment' | 'platform' | 'home' | 'tables' | 'askProvider'>;

/** The token of calls that are never cancelled. */
const uncancelled: CancellationToken = {
	isCancellationRequested: false,
	onCancellationRequested: () => ({ dispose: () => {} }),
};

/** No log: the terminal belongs to the command. */
const silent: Logger = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

/**
 * Runs the daemon's methods in this process, so that a command need not wait for a second program to load.
 *
 * Methods are called directly, without a stream. Sessions are kept in memory, and bodies of long ones in a nameless file,
 * so that nothing is left behind. Files that transcripts mention are not watched, since no command reports their changes.
 */
export async function startDaemonHere(world: CommandWorld): Promise<Daemon> {
	const environment = { ...world.environment, CONTEXTD_MEMORY_ENABLED: 'false' };
	return startHere({ ...world, environment }, { knownFiles: 'left alone' });
}

/** Like `startDaemonHere`, but reads sessions that plugins feed from where the plugin's daemon stores them. */
export async function startReaderHere(world: CommandWorld): Promise<Daemon> {
	const environment = { ...world.environment, CONTEXTD_MEMORY_ENABLED: 'false' };
	return startHere({ ...world, environment }, { knownFiles: 'left alone', readsPluginSessions: true });
}

function startHere(
	world: CommandWorld,
	options: Pick<WiringOptions, 'knownFiles' | 'readsPluginSessions'>,
): Daemon {
	const storages: ReturnType<typeof scratchShelf>[] = [];
	const createStorage = () => {
		const storage = scratchShelf();
		storages.push(storage);
		return storage;
	};
	const layers = createSettingsLayers(silent, environmentLayer(world.environment), {});
	const listening = new Map<string, (progress: WorkDoneProgressValue) => void>();
	const client: ClientConnection = {
		notify: async () => {},
		request: () => Promise.reject(new ConnectionError('a command answers no requests')),
		progress(token) {
			const each = typeof token === 'string' ? listening.get(token) : undefined;
			return each && token !== undefined
				? createProgress(token, async ({ value }) => each(value))
				: silentProgress;
		},
	};
	const running: RunningRequests = new Map();
	const atWork = new Set<Promise<unknown>>();
	let idleSince = Date.now();
	let closing: Promise<void> | undefined;
	const services = wireServices({
		...options,
		platform: world.platform,
		tables: world.tables,
		tableLoading: 'whenCounted',
		shelf: createStorage,
		stateFolder: stateFolderOf(world, layers)(),
		storage: () => layers.current().storage,
		idleFor: () => (atWork.size > 0 ? 0 : Date.now() - idleSince),
		log: silent,
	});
	services.expire();
	const served: ServedClient = {
		...world,
		cwd: process.cwd(),
		settings: layers.current,
		workspace: () => [],
		client: () => client,
		offers: () => ({}),
		log: silent,
	};
	const reading = wireReadingClient(services.shared, served);
	const methodsThatRead = new Map(reading.requests.map((one) => [one.method, one]));
	let all: Promise<readonly RequestMethod[]> | undefined;

	/** Loads the methods that few commands call. */
	async function loadAll(): Promise<readonly RequestMethod[]> {
		const { connectClient } = await import('./clientWiring.ts');
		return connectClient(services.shared, served, reading).requests;
	}

	async function loadMethod(name: string): Promise<RequestMethod> {
		all ??= loadAll();
		const found = (await all).find(({ method }) => method === name);
		if (found === undefined) throw new TypeError(`unknown method ${name}`);
		return found;
	}

	let lastToken = 0;

	/** Answers like a server; its errors are those that a client would receive. */
	async function answer(name: string, params: unknown): Promise<unknown> {
		try {
			const method = methodsThatRead.get(name) ?? (await loadMethod(name));
			const call = { params, token: uncancelled };
			return await runRequest(method, call, { client, logger: silent, running });
		} catch (error) {
			const { signal } = new AbortController();
			const { code, message, data } = toAnswerError(error, { method: name, signal, logger: silent });
			throw new RequestError(code, message, data);
		}
	}

	async function request(name: string, params: unknown): Promise<unknown> {
		if (closing) throw workFailed('the connection to the daemon was closed');
		const work = answer(name, params);
		atWork.add(work);
		try {
			return await work;
		} finally {
			atWork.delete(work);
			idleSince = Date.now();
		}
	}

	async function close(): Promise<void> {
		for (const one of running.keys()) one.abort();
		await Promise.allSettled(atWork);
		await services.close();
		for (const one of storages) one.clear();
	}

	return {
		request: <Params, Result>({ method }: RequestDeclaration<Params, Result>, params: Params) =>
			request(method, params) as Promise<Result>,
		async watch(work, each) {
			const token = `work-${++lastToken}`;
			listening.set(token, each);
			try {
				return await work(token);
			} finally {
				listening.delete(token);
			}
		},
		close() {
			closing ??= close();
			return closing;
		},
	};
}

/** How full a session is, from its end; undefined if it is unreadable or empty. */
export async function glanceAt(
	session: NewestTranscript,
	around: Surroundings,
): Promise<Fullness | undefined> {
	try {
		const now = Date.now();
		const figures = await sessionFigures(session, around, now);
		if (figures === undefined || figures.used === 0) return undefined;
		const { used, limit, state, idleMs } = figures;
		return { ratio: used / limit.tokens, state, isGuess: limit.of === 'guess', activeAt: now - idleMs };
	} catch (error) {
		if (error instanceof Failure) return undefined;
		throw error;
	}
}
