/** Creates the services of a state folder, which all of its clients share, from adapters, sessions and events. */

import { hash, randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { errorText } from '../core/failure.ts';
import { pauseForOthers } from '../core/slices.ts';
import { cleanCompileCache } from '../node/cleanCompileCache.ts';
import { createSummaryCache } from '../node/fileSummaryCache.ts';
import { fileReader } from '../node/files/fileReader.ts';
import { cleanSavedOutputs } from '../node/files/savedOutputs.ts';
import { DiskFileWatcher } from '../node/files/watcher.ts';
import { createOwnedJournals } from '../node/folderOwner.ts';
import { createHeldViews } from '../node/heldViews.ts';
import { removeExpiredJournals } from '../node/journal/expiry.ts';
import { createFileJournals } from '../node/journal/fileJournalStore.ts';
import { addPluginSessions, createMemoryJournals, type LineStorage } from '../node/journal/memoryJournal.ts';
import { RankMeasures, type TableLoading } from '../node/measures.ts';
import { SavingsLedger } from '../node/savingsLedger.ts';
import type { Settings } from '../protocol/settings.ts';
import type { ClientNotifier } from '../rpc/clientNotifier.ts';
import type { createBackgroundReader } from '../session/compaction/readAhead.ts';
import { FileTracker } from '../session/files/tracker.ts';
import type { HeldViews, JournalStore, Logger } from '../session/ports.ts';
import type { SessionServices } from '../session/services.ts';
import { computeSavings } from '../session/stats.ts';
import { SessionStore } from '../session/store/store.ts';
import { createFollowers } from '../session/transcript/transcriptFollowers.ts';
import { chooseFolders, type MachineOptions, type SharedParts } from './readingWiring.ts';

/** Options for the services of a state folder. */
export interface WiringOptions extends MachineOptions {
	/** Returns the storage settings, which are the same for all clients. */
	getStorageSettings(): Settings['storage'];
	/** The folder of the rank tables. */
	tablesFolder: string;
	/** When to load rank tables; by default before the first count. */
	tableLoading?: TableLoading;
	/** Creates storage for the texts of a session that is not stored on disk; by default in memory. */
	createLineStorage?: () => LineStorage;
	/** Whether to read plugins' sessions from the state folder even if the settings turn storage off; by default false. */
	shouldReadPluginSessions?: boolean;
	/** Creates a reader that reads messages before a compaction needs them; by default, none are read in advance. */
	readAhead?: typeof createBackgroundReader;
	/** Whether to watch the files that sessions have read; by default true. */
	shouldWatchFiles?: boolean;
	/**
	 * Takes the state folder for writing, or returns a clause that names the process that owns it; by default this
	 * process owns it.
	 */
	findOtherOwner?(): Promise<string | undefined>;
	/** Returns the milliseconds since a client last had an unfinished message; 0 while one has. */
	getIdleMs(): number;
	/** Log for messages about all clients. */
	log: Logger;
}

export interface WiredServices {
	store: SessionStore;
	/** The services to which each client is connected. */
	shared: SharedParts;
	/** Removes expired data in the background; failures are logged. */
	removeExpiredData(): void;
	/** Flushes and closes everything. */
	close(): Promise<void>;
}

async function findNoOwner(): Promise<undefined> {}

/** Returns the journals of a state folder, or journals in memory if the settings turn storage off. */
function createJournals(options: WiringOptions): JournalStore {
	const { findOtherOwner = findNoOwner, createLineStorage, stateFolder, log } = options;
	const isOwner = async (): Promise<boolean> => (await findOtherOwner()) === undefined;
	const openOnDisk = (): JournalStore => createFileJournals({ directory: stateFolder, logger: log, isOwner });
	if (options.getStorageSettings().enabled) return createOwnedJournals(openOnDisk(), findOtherOwner);
	const inMemory = createMemoryJournals(Date.now, createLineStorage);
	return options.shouldReadPluginSessions ? addPluginSessions(inMemory, openOnDisk()) : inMemory;
}

/** Returns the ledger of what compactions saved in a state folder. */
function createLedger({ stateFolder, log }: WiringOptions, getStore: () => SessionStore): SavingsLedger {
	return new SavingsLedger({
		stateFolder,
		computeSavings(sessionId) {
			const session = getStore()
				.listOpen()
				.find(({ id }) => id === sessionId);
			// Only the process that owns the state folder may add to the ledger; elsewhere, a session has no journal.
			const isOwn = session?.journal !== undefined && !session.brokenBy;
			return isOwn ? computeSavings(session.state, session.client.getSettings().prices) : undefined;
		},
		now: Date.now,
		log,
	});
}

/** Returns handlers of session events. They notify the clients, and let the ledger write its savings. */
function createClientEvents(
	notifiers: ReadonlySet<ClientNotifier>,
	savings: SavingsLedger,
): Pick<SessionServices['events'], 'notifyCompacted' | 'notifyLeaving'> {
	return {
		notifyCompacted(sessionId, result) {
			for (const notifier of notifiers) notifier.notifyCompacted(sessionId, result);
		},
		notifyLeaving(sessionId) {
			void savings.flush();
			for (const notifier of notifiers) notifier.notifyLeaving(sessionId);
		},
	};
}

/** Creates all services of a state folder. */
export function wireServices(options: WiringOptions): WiredServices {
	const { stateFolder, getStorageSettings, log } = options;
	const notifiers = new Set<ClientNotifier>();
	let journals: JournalStore | undefined;
	let tracker: FileTracker | undefined;
	const heldViews = createHeldViews(() => stateFolder);
	const fileSummaries = createSummaryCache({
		directory: () => stateFolder,
		maxAgeDays: () => getStorageSettings().maxAgeDays,
		now: Date.now,
	});
	const savings = createLedger(options, () => store);
	const notifyChanged = (sessionId: string): void => {
		if (getStorageSettings().enabled) savings.markChanged(sessionId);
		for (const notifier of notifiers) notifier.notifyChanged(sessionId);
		aheadReader?.schedule(sessionId);
	};
	const services: SessionServices = {
		// Created late, because the storage settings are known only when a session is first requested.
		get journals() {
			journals ??= createJournals(options);
			return journals;
		},
		get heldViews() {
			return getStorageSettings().enabled ? heldViews : undefined;
		},
		get fileSummaries() {
			return getStorageSettings().enabled ? fileSummaries : undefined;
		},
		get savings() {
			return getStorageSettings().enabled ? savings : undefined;
		},
		getStorageSettings: getStorageSettings,
		measures: new RankMeasures(options.tablesFolder, log, options.tableLoading),
		now: Date.now,
		createId: randomUUID,
		digest: (text) => hash('sha1', text, 'base64url'),
		pause: pauseForOthers,
		log,
		events: { notifyChanged, ...createClientEvents(notifiers, savings) },
		wait: (ms, signal) => setTimeout(ms, undefined, { signal }),
		get files() {
			return options.shouldWatchFiles === false ? undefined : getTracker();
		},
	};
	const store = new SessionStore(services);
	const aheadReader = options.readAhead?.(store, options.getIdleMs);
	const transcriptFollowers = createFollowers(store);

	function getTracker(): FileTracker {
		tracker ??= new FileTracker({
			watcher: new DiskFileWatcher({ logger: log }),
			reader: fileReader,
			listFolders: ({ client, state }) => chooseFolders(client, state.info.workspace),
			now: Date.now,
			log,
			onFileChange(change) {
				for (const notifier of notifiers) notifier.notifyFileChange(change);
			},
			onStaleReadsChange: notifyChanged,
		});
		return tracker;
	}

	return {
		store,
		shared: { ...options, store, transcriptFollowers, notifiers, getTracker },
		removeExpiredData: () => removeOldData(options, store, heldViews),
		async close() {
			aheadReader?.stop();
			await tracker?.close();
			await transcriptFollowers.stopAll();
			await savings.flush();
			await store.closeAll();
		},
	};
}

/** Removes expired data in the background. */
function removeOldData(options: WiringOptions, store: SessionStore, heldViews: HeldViews): void {
	const { stateFolder, log } = options;
	const warn = (problem: string) => (error: unknown) => log.warn(`${problem}: ${errorText(error)}`);
	cleanSavedOutputs({ stateFolder }, Date.now()).catch(warn('could not remove old outputs'));
	cleanCompileCache(stateFolder, Date.now()).catch(warn('could not clean the compile cache'));
	if (!options.getStorageSettings().enabled) return;
	removeOldSessions(options, store, heldViews).catch(warn('could not remove old sessions'));
}

async function removeOldSessions(
	{ stateFolder: directory, getStorageSettings, findOtherOwner = findNoOwner, log: logger }: WiringOptions,
	store: SessionStore,
	heldViews: HeldViews,
): Promise<void> {
	const { maxAgeDays } = getStorageSettings();
	const { journals, savings } = store.services;
	const isOpen = (sessionId: string) => store.listOpen().some(({ id }) => id === sessionId);
	// Taking the folder would create it, even if there are no sessions.
	if ((await journals.list()).length === 0 || (await findOtherOwner()) !== undefined) return;
	const expiry = { journals, directory, maxAgeDays, now: Date.now(), logger, isOpen };
	const removedJournals = await removeExpiredJournals(expiry);
	for (const { sessionId } of removedJournals) {
		await heldViews.remove(sessionId);
		await savings?.forget(sessionId);
	}
	if (removedJournals.length > 0)
		logger.info(`removed ${removedJournals.length} sessions older than ${maxAgeDays} days`);
}
