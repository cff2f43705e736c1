/** Wires the floors together: adapters into sessions, sessions into the protocol. */

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
import { createFilePush, createPush } from './rpc/push.ts';
import { type AheadReader, createAheadReader } from './session/compaction/readAhead.ts';
import { createFileTracker } from './session/files/tracker.ts';
import type { FileService } from './session/files/visibleRead.ts';
import type { AskModel, JournalStore, Logger } from './session/ports.ts';
import type { Session } from './session/session.ts';
import { createSessionStore } from './session/store/store.ts';
import { createImporter } from './session/transcript/import.ts';
import type { World } from './session/world.ts';

/** What the floors are given of the world. */
export interface FloorsOptions {
	environment: Readonly<Record<string, string | undefined>>;
	platform: NodeJS.Platform;
	home: string;
	/** Where the rank tables lie. */
	tables: string;
	/** When rank tables are loaded; ahead where absent. */
	tableLoading?: TableLoading;
	/** Where the bodies of a session that is not stored are kept; in memory where absent. */
	shelf?: () => LineShelf;
	/** Whether sessions that plugins feed are read from the state folder although nothing is stored; by default false. */
	readsPluginSessions?: boolean;
	/** Asks a model of a provider that the user configured; absent: nobody is. */
	askProvider?: AskModel;
	/** Whether the files that sessions know are looked at and watched; they are where absent. */
	knownFiles?: 'watched' | 'left alone';
	/** Starts a thread that reads a long transcript; absent: all transcripts are read in this one. */
	startThread?: StartThread;
}

/** The conversation that the floors serve. */
export interface ServedConversation {
	settings(): Settings;
	stateFolder(): string;
	workspace(): readonly WorkspaceFolder[];
	client(): ClientConnection;
	/** What the client said in `initialize` that it can do. */
	offers(): ClientCapabilities;
	/** Milliseconds since the client last waited for anything; 0 while it does. */
	idleFor(): number;
	logger: Logger;
}

/** The floors, wired: every method of the product's own, and what else the conversation tells them. */
export interface Floors {
	requests: readonly RequestMethod[];
	notifications: readonly NotificationMethod[];
	/** The client has opened or closed folders. */
	foldersChanged(): void;
	/** Removes what is older than the settings say, in the background; a failure is none of the client's business. */
	expire(): void;
	/** Flushes, and lets go of everything. */
	close(): Promise<void>;
}

const askNobody: AskModel = () =>
	Promise.reject(new CallFailure('no provider can be asked here', { retryable: false }));

/** What is made when somebody first needs it. */
interface Once<T> {
	get(): T;
	/** Undefined where nobody has needed it yet. */
	made(): T | undefined;
}

function once<T>(make: () => T): Once<T> {
	let made: { it: T } | undefined;
	return {
		get() {
			made ??= { it: make() };
			return made.it;
		},
		made: () => made?.it,
	};
}

/** Wires all that works on sessions into one conversation. */
export function wireFloors(options: FloorsOptions, conversation: ServedConversation): Floors {
	const { settings, stateFolder, client, logger } = conversation;
	let journals: JournalStore | undefined;
	const push = createPush(client, logger);
	push.initialize(conversation.offers());
	const tracker = once(() =>
		createFileTracker({
			watcher: createFileWatcher({ logger }),
			reader: fileReader,
			folders: foldersOf,
			now: Date.now,
			log: logger,
			changed: createFilePush(client, () => conversation.offers().notifications === true),
			suspected: push.events.changed,
		}),
	);
	const heldViews = createHeldViews(stateFolder);
	const fileSummaries = createFileSummaryCache({
		directory: stateFolder,
		maxAgeDays: () => settings().storage.maxAgeDays,
		now: Date.now,
	});
	const own = {
		settings,
		newId: randomUUID,
		events: {
			...push.events,
			changed(sessionId: string) {
				push.events.changed(sessionId);
				aheadReader.changed(sessionId);
			},
		},
		askModel: ((link, question, signal) =>
			link.provider === 'client'
				? clientModel(client())(link, question, signal)
				: (options.askProvider ?? askNobody)(link, question, signal)) satisfies AskModel,
		clientOffersModel: () => conversation.offers().summarize === true,
	};
	const world: World = {
		get journals() {
			journals ??= settings().storage.enabled
				? fileJournalStore({ directory: stateFolder(), logger })
				: unstoredJournals();
			return journals;
		},
		get heldViews() {
			return settings().storage.enabled ? heldViews : undefined;
		},
		get fileSummaries() {
			return settings().storage.enabled ? fileSummaries : undefined;
		},
		...own,
		measures: createMeasures(options.tables, logger, options.tableLoading),
		now: Date.now,
		digest: (text) => hash('sha1', text, 'base64url'),
		pause: () => new Promise((done) => setImmediate(done)),
		log: logger,
		wait: (ms, signal) => setTimeout(ms, undefined, { signal }),
		get files() {
			return options.knownFiles === 'left alone' ? undefined : tracker.get();
		},
	};
	const store = createSessionStore(world);
	push.watch(store);
	const aheadReader: AheadReader = createAheadReader(store, conversation.idleFor);
	const transcripts = createTranscriptFiles(options, logger, options.startThread);
	const importer = createImporter(store, transcripts);
	const fileService: FileService = {
		reader: fileReader,
		get tracker() {
			return tracker.get();
		},
		folders: foldersOf,
	};
	const firstFolder = () => conversation.workspace()[0]?.uri;
	const requests = [
		...sessionMethods(store, { workspace: firstFolder, settingsOf: transcripts.settingsOf }),
		...measureMethods(store),
		...compactMethods(store, () => conversation.offers().confirmCompaction === true),
		...historyMethods(store),
		...transcriptMethods(importer, firstFolder),
		...exportMethods(store),
		...fileMethods(store, fileService),
		...overflowMethods(),
		...validateMethods(store),
		...outputMethods(shortenOutput),
	];
	return {
		requests,
		notifications: fileNotifications(store, fileService),
		foldersChanged: () => tracker.made()?.foldersChanged(),
		expire,
		async close() {
			aheadReader.stop();
			await tracker.made()?.close();
			await importer.stopAll();
			await store.closeAll();
		},
	};

	function unstoredJournals(): JournalStore {
		const own = memoryJournalStore(Date.now, options.shelf);
		if (!options.readsPluginSessions) return own;
		return withPluginSessions(own, fileJournalStore({ directory: stateFolder(), logger }));
	}

	function shortenOutput(request: TruncateToolOutputParams): Promise<TruncateToolOutputResult> {
		const { maxToolOutputBytes, maxToolOutputLines } = settings().compaction;
		return truncateToolOutput(
			{ maxBytes: maxToolOutputBytes, maxLines: maxToolOutputLines, ...request },
			{ workspaceFolders: clientFolders(), savedOutputs: { stateDirectory: stateFolder() } },
		);
	}

	function clientFolders(): string[] {
		return conversation.workspace().flatMap(({ uri }) => folderOf(uri) ?? []);
	}

	/** A client without folders may still have said where a session works. */
	function foldersOf(session: Session): string[] {
		const folders = clientFolders();
		return folders.length > 0 ? folders : [folderOf(session.state.info.workspace) ?? []].flat();
	}

	function expire(): void {
		cleanSavedOutputs({ stateDirectory: stateFolder() }, Date.now()).catch((error) =>
			logger.warn(`old outputs could not be removed: ${errorText(error)}`),
		);
		cleanCompileCache(stateFolder(), Date.now()).catch((error) =>
			logger.warn(`the compile cache could not be cleaned: ${errorText(error)}`),
		);
		const { maxAgeDays, enabled } = settings().storage;
		if (!enabled) return;
		removeExpired(maxAgeDays).catch((error) =>
			logger.warn(`old sessions could not be removed: ${errorText(error)}`),
		);
	}

	async function removeExpired(maxAgeDays: number): Promise<void> {
		const directory = stateFolder();
		const isOpen = (sessionId: string) => store.open().some(({ id }) => id === sessionId);
		const removed = await removeExpiredJournals({ directory, maxAgeDays, now: Date.now(), logger, isOpen });
		for (const { sessionId } of removed) await heldViews.remove(sessionId);
		if (removed.length === 0) return;
		logger.info(`${removed.length} sessions older than ${maxAgeDays} days were removed`);
	}
}
