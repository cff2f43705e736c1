/**
 * Watches the files that sessions know, and reports which of their reads became stale.
 *
 * A watch only gives hints; what counts is the file's content when it is checked.
 */

import { errorText } from '../../core/failure.ts';
import { type FileFacts, isOwnChange, isStale, type KnownRead } from '../../core/files/knownFile.ts';
import { fileTimeToleranceMs } from '../../core/files/tuning.ts';
import { getOrInsert } from '../../core/getOrInsert.ts';
import { finish, type Slices } from '../../core/slices.ts';
import type { DidChangeFileParams, FileChange } from '../../protocol/push.ts';
import type { Logger, SessionFiles, SessionView } from '../ports.ts';
import type { FileReader, FileWatcher } from './reader.ts';
import {
	drainNewFiles,
	emptyFileReads,
	type FileReads,
	fileNamed,
	mergeFiles,
	processNew,
	staleReads,
	type TrackedFile,
} from './reads.ts';

export interface FileTrackerOptions {
	watcher: FileWatcher;
	reader: FileReader;
	/** The client's workspace folders, as paths. */
	folders(session: SessionView): readonly string[];
	/** Milliseconds since the epoch. */
	now(): number;
	log: Logger;
	/** A file was changed by something other than the agent. */
	changed(news: DidChangeFileParams): void;
	/** A session's stale reads may have changed. */
	suspected(sessionId: string): void;
}

export interface FileTracker extends SessionFiles {
	/** Watches a file that a session read, by its absolute path and the client's URI. */
	track(session: SessionView, path: string, uri: string): void;
	/**
	 * Checks whether a file still has the content that a session has just read.
	 * @param since earliest time of a possible change, milliseconds since the epoch
	 */
	check(session: SessionView, path: string, since: number): void;
	/** The tracked file of a session, by the path it is read by and its real path. */
	fileAt(session: SessionView, path: string, real: string): Promise<TrackedFile | undefined>;
	/** Locates all files again after the workspace's folders changed. */
	foldersChanged(): void;
	/** Reports a possible change of files or folders. O(watched files). */
	hint(paths: readonly string[]): void;
	/** Stops all watches. */
	close(): Promise<void>;
}

/** Delay before a change that the watcher did not report is checked again. Milliseconds. */
const recheckDelayMs = 1000;

interface Tracked {
	session: SessionView;
	reads: FileReads;
	/** Files whose real path is being determined. */
	locating: Map<TrackedFile, Promise<void>>;
	/** Files whose watch is being started. */
	starting: Map<TrackedFile, Promise<void>>;
}

export function createFileTracker(options: FileTrackerOptions): FileTracker {
	const { watcher, reader, log } = options;
	const sessions = new Map<SessionView, Tracked>();
	/** Sessions that know a file, by its real path. */
	const watched = new Map<string, Map<TrackedFile, Tracked>>();

	watcher.on((real, change) => {
		noticed(real, change).catch((error) => log.warn(`checking ${real}: ${errorText(error)}`));
	});

	function trackedOf(session: SessionView): Tracked {
		return getOrInsert(sessions, session, ({ state }) => {
			// Records in the journal happened before the last of them.
			const reads = emptyFileReads(state, state.updatedAt - fileTimeToleranceMs);
			return { session, reads, locating: new Map(), starting: new Map() };
		});
	}

	function syncNow(session: SessionView): Tracked {
		return finish(syncSteps(session));
	}

	/** Processes a session's new rows. They are already stored, so a file that cannot be tracked must not fail the call. */
	function* syncSteps(session: SessionView): Slices<Tracked> {
		const tracked = trackedOf(session);
		try {
			yield* processNew(tracked.reads, session.state, options.now());
		} catch (error) {
			log.error(`cannot track a file of session "${session.id}": ${errorText(error)}`);
		}
		start(tracked, drainNewFiles(tracked.reads));
		return tracked;
	}

	function start(tracked: Tracked, files: readonly TrackedFile[]): void {
		for (const file of files) {
			const locating = updateRealPath(tracked, file).finally(() => tracked.locating.delete(file));
			tracked.locating.set(file, locating);
			const starting = locating
				.then(() => watch(tracked, file))
				.catch((error) => log.warn(`watching ${file.path}: ${errorText(error)}`))
				.finally(() => tracked.starting.delete(file));
			tracked.starting.set(file, starting);
		}
	}

	/** Determines a file's real path, and releases the file if that is outside the workspace. */
	async function updateRealPath(tracked: Tracked, file: TrackedFile): Promise<void> {
		const real = await locate(tracked, file);
		if (sessions.get(tracked.session) !== tracked || tracked.reads.files.get(file.path) !== file) return;
		if (real === file.real) return;
		release(file);
		if (real === undefined) return;
		const twin = ownFile(tracked, real);
		if (twin) {
			mergeFiles(tracked.reads, twin, file);
			return;
		}
		file.real = real;
		const owners = watched.get(real) ?? new Map<TrackedFile, Tracked>();
		watched.set(real, owners.set(file, tracked));
	}

	async function watch(tracked: Tracked, file: TrackedFile): Promise<void> {
		const { real } = file;
		if (real === undefined || file.watched === real) return;
		file.watched = real;
		await watcher.watch(real);
		await check(tracked, file, Math.min(...file.reads.map((read) => read.at)));
	}

	function ownFile(tracked: Tracked, real: string): TrackedFile | undefined {
		for (const [file, owner] of watched.get(real) ?? []) if (owner === tracked) return file;
		return undefined;
	}

	async function locate(tracked: Tracked, file: TrackedFile): Promise<string | undefined> {
		const folders = options.folders(tracked.session);
		if (folders.length === 0) return undefined;
		try {
			return await reader.locate(file.path, folders);
		} catch (error) {
			log.debug(`not watched: ${errorText(error)}`);
			return undefined;
		}
	}

	/** Checks a file for a change between the read and the start of its watch. */
	async function check(tracked: Tracked, file: TrackedFile, since: number): Promise<void> {
		const { real } = file;
		if (real === undefined || file.reads.length === 0) return;
		const changedAt = await reader.changedAt(real);
		if (changedAt !== undefined && changedAt < since - fileTimeToleranceMs) return;
		const now = await reader.facts(real);
		const isOutdated = (read: KnownRead): boolean =>
			read.contentHash !== undefined
				? read.contentHash !== now?.contentHash
				: now !== undefined && now.modifiedAt > read.at;
		if (file.real !== real || !file.reads.some(isOutdated)) return;
		recordFacts(tracked, file, now);
		setTimeout(() => {
			recheck(tracked, file, real).catch((error) => log.warn(`checking ${real}: ${errorText(error)}`));
		}, recheckDelayMs);
	}

	/** Checks again, since the watcher does not report a file that was restored before its first look. */
	async function recheck(tracked: Tracked, file: TrackedFile, real: string): Promise<void> {
		if (file.real !== real) return;
		const now = await reader.facts(real);
		if (file.real === real) recordFacts(tracked, file, now);
	}

	function recordFacts(tracked: Tracked, file: TrackedFile, now: FileFacts | undefined): void {
		Object.assign(file, { now: now ?? 'gone', noticedAt: options.now() });
		updateStale(tracked, file);
	}

	function updateStale(tracked: Tracked, file: TrackedFile): void {
		if (file.reads.some((read) => isStale(read, file))) tracked.reads.maybeStale.add(file);
		else if (!tracked.reads.maybeStale.delete(file)) return;
		options.suspected(tracked.session.id);
	}

	async function noticed(real: string, change: FileChange): Promise<void> {
		const now = change === 'deleted' ? undefined : await reader.facts(real);
		const sessionsByUri = new Map<string, string[]>();
		for (const [file, tracked] of watched.get(real) ?? []) {
			recordFacts(tracked, file, now);
			if (isOwnChange(file)) continue;
			sessionsByUri.set(file.uri, [...(sessionsByUri.get(file.uri) ?? []), tracked.session.id]);
		}
		for (const [uri, sessionIds] of sessionsByUri) options.changed({ uri, change, sessionIds });
	}

	function release(file: TrackedFile): void {
		if (file.real === undefined) return;
		const owners = watched.get(file.real);
		owners?.delete(file);
		if (owners?.size === 0) watched.delete(file.real);
		if (file.watched !== undefined) watcher.unwatch(file.watched);
		file.real = undefined;
		file.watched = undefined;
	}

	function forget(session: SessionView): void {
		const tracked = sessions.get(session);
		if (!tracked) return;
		sessions.delete(session);
		for (const file of new Set(tracked.reads.files.values())) release(file);
	}

	return {
		sync: (session) => void syncNow(session),
		*takeIn(session) {
			yield* syncSteps(session);
		},
		forget,
		staleReads(session) {
			return staleReads(syncNow(session).reads, session.state);
		},
		track(session, path, uri) {
			const tracked = syncNow(session);
			const file = fileNamed(tracked.reads, path);
			if (file) file.uri = uri;
			start(tracked, drainNewFiles(tracked.reads));
		},
		check(session, path, since) {
			const tracked = syncNow(session);
			const file = tracked.reads.files.get(path);
			if (!file) return;
			Promise.resolve(tracked.starting.get(file))
				.then(() => check(tracked, file, since))
				.catch((error) => log.warn(`checking ${path}: ${errorText(error)}`));
		},
		async fileAt(session, path, real) {
			const tracked = syncNow(session);
			const named = tracked.reads.files.get(path);
			await (named && tracked.locating.get(named));
			return ownFile(tracked, real) ?? tracked.reads.files.get(path);
		},
		foldersChanged() {
			for (const tracked of sessions.values()) start(tracked, [...new Set(tracked.reads.files.values())]);
		},
		hint(paths) {
			const hinted = new Set(paths);
			for (const [real, owners] of watched) {
				const names = [real, ...[...owners.keys()].map((file) => file.path)];
				if (names.some((name) => isIn(name, hinted))) watcher.look(real);
			}
		},
		async close() {
			for (const session of [...sessions.keys()]) forget(session);
			await watcher.close();
		},
	};
}

/** Whether a path, or a folder above it, is in a set. */
function isIn(path: string, others: ReadonlySet<string>): boolean {
	for (let index = path.length; index > 0; index = path.lastIndexOf('/', index - 1)) {
		if (others.has(path.slice(0, index))) return true;
	}
	return false;
}
