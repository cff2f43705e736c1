/** Wires the floors together: adapters into sessions, sessions into the protocol. */

import { hash, randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { CallFailure } from './core/ask/callFailure.ts';
import { errorText } from './core/failure.ts';
import { folderOf } from './core/files/folder.ts';
import { formatNames } from './core/format/formats.ts';
import type { Flags } from './core/settings/flags.ts';
import { environmentLayer } from './core/settings/layers.ts';
import { agents } from './core/transcript/agents.ts';
import { fileReader } from './node/files/fileReader.ts';
import { cleanSavedOutputs } from './node/files/savedOutputs.ts';
import { truncateToolOutput } from './node/files/truncateToolOutput.ts';
import { createFileWatcher } from './node/files/watcher.ts';
import { createHeldViews } from './node/heldViews.ts';
import { askHolders } from './node/holder/askHolder.ts';
import { createCallContexts } from './node/holder/callContext.ts';
import { createHolder } from './node/holder/holderSocket.ts';
import { removeExpiredJournals } from './node/journal/expiry.ts';
import { fileJournalStore } from './node/journal/fileJournalStore.ts';
import type { HolderAddress } from './node/journal/lockNote.ts';
import { type BodyShelf, memoryJournalStore } from './node/journal/memoryJournal.ts';
import { createMeasures, type TableLoading } from './node/measures.ts';
import { stateDirectory } from './node/stateDirectory.ts';
import type { StartThread } from './node/transcript/thread/openInThread.ts';
import { createTranscriptFiles } from './node/transcriptFiles.ts';
import type { ClientCapabilities } from './protocol/capabilities.ts';
import type { InitializeResult } from './protocol/lifecycle.ts';
import type { LogLevel, Settings } from './protocol/settings.ts';
import { commandTable } from './rpc/call/executeCommand.ts';
import type { RequestMethod } from './rpc/call/method.ts';
import { clientModel } from './rpc/clientModel.ts';
import { answerHanded } from './rpc/handedCalls.ts';
import { type ClientLogger, createLogger, type LoggedLevel } from './rpc/logMessage.ts';
import { compactMethods } from './rpc/methods/compact.ts';
import { fileMethods, fileNotifications, noteReadHandler } from './rpc/methods/files.ts';
import { historyMethods } from './rpc/methods/history.ts';
import { measureMethods } from './rpc/methods/measure.ts';
import { sessionMethods } from './rpc/methods/session.ts';
import { exportMethods, transcriptMethods } from './rpc/methods/transcript.ts';
import { outputMethods, overflowMethods, validateMethods } from './rpc/methods/withoutSession.ts';
import { createFilePush, createPush } from './rpc/push.ts';
import { type Server, serve } from './rpc/serve.ts';
import { createFixedSettings, createSettingsLayers, type SettingsLayers } from './rpc/settings.ts';
import { createWorkspace } from './rpc/workspace.ts';
import { type AheadReader, createAheadReader } from './session/compaction/readAhead.ts';
import { tellOfStep } from './session/compaction/recordedResult.ts';
import { createFileTracker } from './session/files/tracker.ts';
import type { FileService } from './session/files/visibleRead.ts';
import type { AskModel, JournalStore } from './session/ports.ts';
import type { Session } from './session/session.ts';
import { createSessionStore } from './session/store.ts';
import { createImporter } from './session/transcript/import.ts';
import type { World } from './session/world.ts';
import type { SettingsFile } from './settingsFile.ts';

export interface AppOptions {
	input: Readable;
	output: Writable;
	errors: Writable;
	flags: Flags;
	environment: Readonly<Record<string, string | undefined>>;
	/** All settings, in place of those of the environment, the flags and the client. */
	settingsFile?: SettingsFile;
	platform: NodeJS.Platform;
	home: string;
	version: string;
	/** Where the rank tables lie. */
	tables: string;
	/** When rank tables are loaded; ahead where absent. */
	tableLoading?: TableLoading;
	/** Where the bodies of a session that is not stored are kept; in memory where absent. */
	shelf?: () => BodyShelf;
	/** Asks a model of a provider that the user configured; absent: nobody is. */
	askProvider?: AskModel;
	/** Starts a thread to read a long transcript in; where absent, all is read in this one. */
	startThread?: StartThread;
}

const loggedLevels: Readonly<Record<LogLevel, LoggedLevel>> = {
	off: 'error',
	error: 'error',
	warning: 'warn',
	info: 'info',
	debug: 'debug',
};

const askNobody: AskModel = () =>
	Promise.reject(new CallFailure('no provider can be asked here', { retryable: false }));

/** What the daemon tells a client that it can do. */
function capabilitiesOf(methods: readonly RequestMethod[], version: string): InitializeResult {
	return {
		capabilities: {
			workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
			executeCommandProvider: { commands: [...commandTable(methods).keys()] },
			experimental: {
				contextd: {
					version: 1,
					methods: methods.map(({ method }) => method),
					formats: [...formatNames],
					estimators: ['heuristic', 'exact', 'calibrated'],
					framings: ['content-length', 'ndjson'],
					transcripts: agents.map(({ name }) => name),
				},
			},
		},
		serverInfo: { name: 'contextd', version },
	};
}

function startLogger(options: AppOptions): ClientLogger {
	const logger = createLogger(options.errors, 'info');
	for (const warning of options.flags.warnings) logger.warn(warning);
	return logger;
}

function settingsOf({ settingsFile, environment, flags }: AppOptions, logger: ClientLogger): SettingsLayers {
	if (!settingsFile) return createSettingsLayers(logger, environmentLayer(environment), flags.layer);
	const ignored = Object.keys(flags.layer);
	if (ignored.length > 0) {
		logger.warn(
			`flags for ${ignored.join(', ')} are ignored: the settings are those of ${settingsFile.path}`,
		);
	}
	return createFixedSettings(logger, settingsFile.path, settingsFile.value);
}

interface Storage {
	directory(): string;
	journals(): JournalStore;
}

/** Where sessions are kept: decided at first use, when the client has said what it sets, and then for good. */
function createStorage(
	options: AppOptions,
	settings: () => Settings,
	logger: ClientLogger,
	address: () => Promise<HolderAddress | undefined>,
): Storage {
	let directory: string | undefined;
	let journals: JournalStore | undefined;
	const storage: Storage = {
		directory() {
			const chosen = settings().storage.directory;
			directory ??=
				chosen === '' ? stateDirectory(options.environment, options.platform, options.home) : resolve(chosen);
			return directory;
		},
		journals() {
			journals ??= settings().storage.enabled
				? fileJournalStore({ directory: storage.directory(), logger, address })
				: memoryJournalStore(Date.now, options.shelf);
			return journals;
		},
	};
	return storage;
}

/** The daemon over a pair of streams. */
export interface App extends Server {
	/** The state folder; what the client sets of it counts once it has said so in `initialize`. */
	stateFolder(): string;
}

/** Starts the daemon over a pair of streams. */
export function startApp(options: AppOptions): App {
	const logger = startLogger(options);
	const layers = settingsOf(options, logger);
	logger.setLevel(loggedLevels[layers.current().logLevel]);
	const storage = createStorage(options, layers.current, logger, () => holder.address());
	const holder = createHolder({
		stateDirectory: storage.directory,
		held: () => store.held().map(({ id }) => id),
		work: (handed) =>
			contexts.run(handed, () =>
				answerHanded([...methods, noteReadHandler(store)], handed, {
					store,
					client: () => server.client,
					logger,
				}),
			),
		log: logger,
	});
	const workspace = createWorkspace(() => tracker.foldersChanged());
	const push = createPush(() => server.client, logger);
	let clientOffers: ClientCapabilities = {};
	const tracker = createFileTracker({
		watcher: createFileWatcher({ logger }),
		reader: fileReader,
		folders: foldersOf,
		now: Date.now,
		log: logger,
		changed: createFilePush(
			() => server.client,
			() => clientOffers.notifications === true,
		),
		suspected: push.events.changed,
	});
	const heldViews = createHeldViews(storage.directory);
	const own = {
		settings: layers.current,
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
				? clientModel(server.client)(link, question, signal)
				: (options.askProvider ?? askNobody)(link, question, signal)) satisfies AskModel,
		clientOffersModel: () => clientOffers.summarize === true,
	};
	const contexts = createCallContexts();
	const world: World = {
		get journals() {
			return storage.journals();
		},
		get heldViews() {
			return layers.current().storage.enabled ? heldViews : undefined;
		},
		...contexts.over(own),
		holders: askHolders(storage.directory, { ...own, offersModel: own.clientOffersModel }),
		measures: createMeasures(options.tables, logger, options.tableLoading),
		now: Date.now,
		digest: (text) => hash('sha1', text, 'base64url'),
		pause: () => new Promise((done) => setImmediate(done)),
		log: logger,
		wait: (ms, signal) => setTimeout(ms, undefined, { signal }),
		files: tracker,
	};
	const store = createSessionStore(world);
	push.watch(store);
	store.onFollowed(tellOfStep);
	const aheadReader: AheadReader = createAheadReader(store, () => server.idleFor());
	const transcripts = createTranscriptFiles(options, logger, options.startThread);
	const importer = createImporter(store, transcripts);
	const fileService: FileService = { reader: fileReader, tracker, folders: foldersOf };
	const methods = [
		...sessionMethods(store, {
			workspace: () => workspace.folders()[0]?.uri,
			settingsOf: transcripts.settingsOf,
		}),
		...transcriptMethods(importer, () => workspace.folders()[0]?.uri),
		...measureMethods(store),
		...compactMethods(store),
		...historyMethods(store),
		...exportMethods(store),
		...overflowMethods(),
		...fileMethods(store, fileService),
		...validateMethods(store),
		...outputMethods((request) => {
			const { maxToolOutputBytes, maxToolOutputLines } = layers.current().compaction;
			return truncateToolOutput(
				{ maxBytes: maxToolOutputBytes, maxLines: maxToolOutputLines, ...request },
				{
					workspaceFolders: clientFolders(),
					savedOutputs: { stateDirectory: storage.directory() },
				},
			);
		}),
	];
	const server = serve({
		input: options.input,
		output: options.output,
		framing: options.flags.framing,
		clientProcessId: options.flags.clientProcessId,
		logger,
		requests: methods,
		notifications: [
			...workspace.notifications,
			...fileNotifications(store, fileService),
			layers.notification(() => logger.setLevel(loggedLevels[layers.current().logLevel])),
		],
		onInitialize(params) {
			workspace.initialize(params);
			layers.initialize(params.initializationOptions);
			logger.setLevel(loggedLevels[layers.current().logLevel]);
			clientOffers = params.capabilities?.experimental?.contextd ?? {};
			push.initialize(clientOffers);
			expire();
			setInterval(expire, 24 * 60 * 60 * 1000).unref();
			return capabilitiesOf(methods, options.version);
		},
		onShutdown: async () => {
			aheadReader.stop();
			await tracker.close();
			await importer.stopAll();
			await holder.close();
			await store.closeAll();
		},
	});
	logger.attach(server.client);
	return { ...server, stateFolder: storage.directory };

	function clientFolders(): string[] {
		return workspace.folders().flatMap(({ uri }) => folderOf(uri) ?? []);
	}

	/** A client without folders may still have said where a session works. */
	function foldersOf(session: Session): string[] {
		const folders = clientFolders();
		return folders.length > 0 ? folders : [folderOf(session.state.info.workspace) ?? []].flat();
	}

	/** What is old goes in the background; a failure to remove it is none of the client's business. */
	function expire(): void {
		cleanSavedOutputs({ stateDirectory: storage.directory() }, Date.now()).catch((error) =>
			logger.warn(`old outputs could not be removed: ${errorText(error)}`),
		);
		const { maxAgeDays, enabled } = layers.current().storage;
		if (!enabled) return;
		removeExpired(maxAgeDays).catch((error) =>
			logger.warn(`old sessions could not be removed: ${errorText(error)}`),
		);
	}

	async function removeExpired(maxAgeDays: number): Promise<void> {
		const directory = storage.directory();
		const removed = await removeExpiredJournals({ directory, maxAgeDays, now: Date.now(), logger });
		for (const { sessionId } of removed) await heldViews.remove(sessionId);
		if (removed.length === 0) return;
		logger.info(`${removed.length} sessions older than ${maxAgeDays} days were removed`);
	}
}
