/** Wires the floors together: adapters into sessions, sessions into the protocol, for all clients of a state folder. */

import { hash, randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { WorkspaceFolder } from 'vscode-languageserver-protocol';
import { CallFailure } from './core/ask/callFailure.ts';
import { errorText } from './core/failure.ts';
import { folderOf } from './core/files/folder.ts';
import { cleanCompileCache } from './node/cleanCompileCache.ts';
import { createFileSummaryCache } from './node/fileSummaryCache.ts';
import { fileReader } from './node/files/fileReader.ts';
import { cleanSavedOutputs } from './node/files/savedOutputs.ts';
import { truncateToolOutput } from './node/files/truncateToolOutput.ts';
import { createFileWatcher } from './node/files/watcher.ts';
import { createHeldViews } from './node/heldViews.ts';
import { removeExpiredJournals } from './node/journal/expiry.ts';
import { fileJournalStore } from './node/journal/fileJournalStore.ts';
import { type LineShelf, memoryJournalStore } from './node/journal/memoryJournal.ts';
import { withPluginSessions } from './node/journal/pluginJournals.ts';
import { readOnlyJournals } from './node/journal/readOnlyJournals.ts';
import { createMeasures, type TableLoading } from './node/measures.ts';
import type { StartThread } from './node/transcript/thread/openInThread.ts';
import { createTranscriptFiles } from './node/transcriptFiles.ts';
import type { ClientCapabilities } from './protocol/capabilities.ts';
import type { TruncateToolOutputParams, TruncateToolOutputResult } from './protocol/output.ts';
import type { Settings } from './protocol/settings.ts';
import type { ClientConnection } from './rpc/call/client.ts';
import type { NotificationMethod, RequestMethod } from './rpc/call/method.ts';
import { clientModel } from './rpc/clientModel.ts';
import { compactMethods } from './rpc/methods/compact.ts';
import { fileMethods, fileNotifications } from './rpc/methods/files.ts';
import { historyMethods } from './rpc/methods/history.ts';
import { measureMethods } from './rpc/methods/measure.ts';
import { sessionMethods } from './rpc/methods/session.ts';
import { exportMethods, transcriptMethods } from './rpc/methods/transcript.ts';
import { outputMethods, overflowMethods, validateMethods } from './rpc/methods/withoutSession.ts';
import { createPush, type Push } from './rpc/push.ts';
import type { ClientContext } from './session/clientContext.ts';
import { cancelPrefetch } from './session/compaction/prefetch.ts';
import { createAheadReader } from './session/compaction/readAhead.ts';
import { createFileTracker, type FileTracker } from './session/files/tracker.ts';
import type { FileService } from './session/files/visibleRead.ts';
import type { AskModel, JournalStore, Logger, SessionView } from './session/ports.ts';
import { createSessionStore, type SessionStore } from './session/store/store.ts';
import { createFollowings } from './session/transcript/followings.ts';
import { createImporter } from './session/transcript/import.ts';
import type { World } from './session/world.ts';

/** What the services of a state folder are wired with. */
export interface WiringOptions {
	stateFolder: string;
	/** Settings of storage, the same for all clients. */
	storage(): Settings['storage'];
	platform: NodeJS.Platform;
	/** The folder of the rank tables. */
	tables: string;
	/** When rank tables are loaded; by default ahead of the first count. */
	tableLoading?: TableLoading;
	/** Where the bodies of a session that is not stored are kept; by default in memory. */
	shelf?: () => LineShelf;
	/** Whether sessions that plugins feed are read from the state folder although nothing is stored; by default false. */
	readsPluginSessions?: boolean;
	/** Whether files that sessions know are watched; they are by default. */
	knownFiles?: 'watched' | 'left alone';
	/** Whether this process may write to the state folder; else a clause that says who does. By default `owned`. */
	access?: 'owned' | { heldBy: string };
	/** Starts a thread that reads a long transcript; absent: all transcripts are read in this one. */
	startThread?: StartThread;
	/** Milliseconds since a client last waited for anything; 0 while one does. */
	idleFor(): number;
	/** What concerns all clients. */
	log: Logger;
}

/** A client to be served. */
export interface ServedClient {
	settings(): Settings;
	workspace(): readonly WorkspaceFolder[];
	client(): ClientConnection;
	/** What the client announced in `initialize`. */
	offers(): ClientCapabilities;
	log: Logger;
	environment: Readonly<Record<string, string | undefined>>;
	/** The user's home folder. */
	home: string;
	/** The folder that the client's relative paths are taken from. */
	cwd: string;
	/** Asks a model of a provider, under the client's keys; absent: none is asked. */
	askProvider?: AskModel;
}

/** A connected client: its methods, and what the conversation reports to it. */
export interface Connection {
	requests: readonly RequestMethod[];
	notifications: readonly NotificationMethod[];
	/** The client has opened or closed folders. */
	foldersChanged(): void;
	/** The client is gone: ends what was done for it alone. */
	close(): Promise<void>;
}

export interface WiredServices {
	store: SessionStore;
	connect(client: ServedClient): Connection;
	/** Removes what is older than the settings allow, in the background; failures are logged. */
	expire(): void;
	/** Flushes and closes everything. */
	close(): Promise<void>;
}

const askNobody: AskModel = () =>
	Promise.reject(new CallFailure('no provider can be asked here', { retryable: false }));

/** Folders of a client, as paths. */
function pathsOf(folders: readonly WorkspaceFolder[]): string[] {
	return folders.flatMap(({ uri }) => folderOf(uri) ?? []);
}

/** The folders that a session's files may lie in for a client; without folders of its own, those of the session. */
function foldersFor({ folders }: Pick<ClientContext, 'folders'>, { state }: SessionView): readonly string[] {
	const own = folders();
	return own.length > 0 ? own : [folderOf(state.info.workspace) ?? []].flat();
}

/** Wires all that works on the sessions of a state folder. */
export function wireServices(options: WiringOptions): WiredServices {
	const { stateFolder, storage, log } = options;
	const pushes = new Set<Push>();
	let journals: JournalStore | undefined;
	let tracker: FileTracker | undefined;
	let clients = 0;
	const heldViews = createHeldViews(() => stateFolder);
	const fileSummaries = createFileSummaryCache({
		directory: () => stateFolder,
		maxAgeDays: () => storage().maxAgeDays,
		now: Date.now,
	});
	const changed = (sessionId: string): void => {
		for (const push of pushes) push.changed(sessionId);
		aheadReader.changed(sessionId);
	};
	const world: World = {
		// Storage is decided when a session is first asked for.
		get journals() {
			journals ??= createJournals();
			return journals;
		},
		get heldViews() {
			return storage().enabled ? heldViews : undefined;
		},
		get fileSummaries() {
			return storage().enabled ? fileSummaries : undefined;
		},
		storage,
		measures: createMeasures(options.tables, log, options.tableLoading),
		now: Date.now,
		newId: randomUUID,
		digest: (text) => hash('sha1', text, 'base64url'),
		pause: () => new Promise((done) => setImmediate(done)),
		log,
		events: {
			changed,
			compacted(sessionId, result) {
				for (const push of pushes) push.compacted(sessionId, result);
			},
			leaving(session) {
				for (const push of pushes) push.leaving(session);
			},
		},
		wait: (ms, signal) => setTimeout(ms, undefined, { signal }),
		get files() {
			return options.knownFiles === 'left alone' ? undefined : trackerNow();
		},
	};
	const store = createSessionStore(world);
	const aheadReader = createAheadReader(store, options.idleFor);
	const followings = createFollowings(store);

	function createJournals(): JournalStore {
		const { access = 'owned', shelf, readsPluginSessions } = options;
		const onDisk = (): JournalStore => fileJournalStore({ directory: stateFolder, logger: log });
		if (storage().enabled) return access === 'owned' ? onDisk() : readOnlyJournals(onDisk(), access.heldBy);
		const inMemory = memoryJournalStore(Date.now, shelf);
		return readsPluginSessions ? withPluginSessions(inMemory, onDisk()) : inMemory;
	}

	function trackerNow(): FileTracker {
		tracker ??= createFileTracker({
			watcher: createFileWatcher({ logger: log }),
			reader: fileReader,
			folders: (session) => foldersFor(session.client, session),
			now: Date.now,
			log,
			changed(news) {
				for (const push of pushes) push.fileChanged(news);
			},
			suspected: changed,
		});
		return tracker;
	}

	function connect(served: ServedClient): Connection {
		const { settings, offers, log } = served;
		const client: ClientContext = {
			id: `client-${++clients}`,
			settings,
			askModel: (link, question, signal) =>
				link.provider === 'client'
					? clientModel(served.client())(link, question, signal)
					: (served.askProvider ?? askNobody)(link, question, signal),
			offersModel: () => offers().summarize === true,
			folders: () => pathsOf(served.workspace()),
			log,
		};
		const push = createPush(store, client, served.client);
		if (offers().notifications) pushes.add(push);
		const transcripts = createTranscriptFiles(
			{ ...served, platform: options.platform },
			log,
			options.startThread,
		);
		const fileService: FileService = {
			reader: fileReader,
			get tracker() {
				return trackerNow();
			},
			folders: (session) => foldersFor(client, session),
		};
		const firstFolder = (): string | undefined => served.workspace()[0]?.uri;
		const shortenOutput = (request: TruncateToolOutputParams): Promise<TruncateToolOutputResult> => {
			const { maxToolOutputBytes, maxToolOutputLines } = settings().compaction;
			return truncateToolOutput(
				{ maxBytes: maxToolOutputBytes, maxLines: maxToolOutputLines, ...request },
				{ workspaceFolders: client.folders(), savedOutputs: { stateDirectory: stateFolder } },
			);
		};
		const place = { workspace: firstFolder, settingsOf: transcripts.settingsOf };
		return {
			requests: [
				...sessionMethods(store, client, place),
				...measureMethods(store, client),
				...compactMethods(store, client, () => offers().confirmCompaction === true),
				...historyMethods(store, client),
				...transcriptMethods(createImporter(store, followings, client, transcripts), firstFolder),
				...exportMethods(store, client),
				...fileMethods(store, client, fileService),
				...overflowMethods(),
				...validateMethods(store, client),
				...outputMethods(shortenOutput),
			],
			notifications: fileNotifications(store, client, fileService),
			foldersChanged: () => tracker?.foldersChanged(),
			async close() {
				pushes.delete(push);
				// Nobody may be asked under the client's keys any more.
				for (const session of store.open()) cancelPrefetch(session, client);
				await followings.leave(client);
			},
		};
	}

	function expire(): void {
		cleanSavedOutputs({ stateDirectory: stateFolder }, Date.now()).catch((error) =>
			log.warn(`old outputs could not be removed: ${errorText(error)}`),
		);
		cleanCompileCache(stateFolder, Date.now()).catch((error) =>
			log.warn(`the compile cache could not be cleaned: ${errorText(error)}`),
		);
		const { maxAgeDays, enabled } = storage();
		if (!enabled || (options.access !== undefined && options.access !== 'owned')) return;
		removeExpired(maxAgeDays).catch((error) =>
			log.warn(`old sessions could not be removed: ${errorText(error)}`),
		);
	}

	async function removeExpired(maxAgeDays: number): Promise<void> {
		const isOpen = (sessionId: string) => store.open().some(({ id }) => id === sessionId);
		const { journals } = world;
		const expiry = { journals, directory: stateFolder, maxAgeDays, now: Date.now(), logger: log, isOpen };
		const removed = await removeExpiredJournals(expiry);
		for (const { sessionId } of removed) await heldViews.remove(sessionId);
		if (removed.length === 0) return;
		log.info(`${removed.length} sessions older than ${maxAgeDays} days were removed`);
	}

	return {
		store,
		connect,
		expire,
		async close() {
			aheadReader.stop();
			await tracker?.close();
			await followings.stopAll();
			await store.closeAll();
		},
	};
}
