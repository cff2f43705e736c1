/**
 * Watches the files that sessions know, and tells which of their reads the world has overtaken. A watch is a
 * hint alone: what counts is what lies there when it is looked at.
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
	emptyFileReads,
	type FileReads,
	fileNamed,
	gather,
	mergeFiles,
	staleReads,
	type TrackedFile,
	takeFound,
} from './reads.ts';

export interface FileTrackerOptions {
	watcher: FileWatcher;
	reader: FileReader;
	/** The client's workspace folders, as paths. */
	folders(session: SessionView): readonly string[];
	/** Milliseconds since the epoch. */
	now(): number;
	log: Logger;
	/** A file changed, and not by the agent's own doing. */
	changed(news: DidChangeFileParams): void;
	/** A session's stale reads may be others than before. */
	suspected(sessionId: string): void;
}

export interface FileTracker extends SessionFiles {
	/** Watches a file that a session read, by its absolute path and the URI that the client has for it. */
	track(session: SessionView, path: string, uri: string): void;
	/**
	 * Looks whether a file is still what a session has just read; `since` is the time from which on it may have
	 * changed, milliseconds since the epoch.
	 */
	check(session: SessionView, path: string, since: number): void;
	/** A file of a session, by the name that it is read by and by where it really lies. */
	fileAt(session: SessionView, path: string, real: string): Promise<TrackedFile | undefined>;
	/** Looks at everything anew after the workspace's folders changed. */
	foldersChanged(): void;
	/** Somebody says that something happened to files or folders. O(watched files). */
	hint(paths: readonly string[]): void;
	/** Ends everything. */
	close(): Promise<void>;
}

/** A change that was not told by the watcher is looked at once more after so many milliseconds. */
const secondLook = 1000;

interface Tracked {
	session: SessionView;
	reads: FileReads;
	/** Files that are being found. */
	locating: Map<TrackedFile, Promise<void>>;
	/** Files whose watch begins. */
	starting: Map<TrackedFile, Promise<void>>;
}

export function createFileTracker(options: FileTrackerOptions): FileTracker {
	const { watcher, reader, log } = options;
	const sessions = new Map<SessionView, Tracked>();
	/** By real path: who knows the file. */
	const watched = new Map<string, Map<TrackedFile, Tracked>>();

	watcher.on((real, change) => {
		noticed(real, change).catch((error) => log.warn(`Looking at ${real}: ${errorText(error)}`));
	});

	function trackedOf(session: SessionView): Tracked {
		return getOrInsert(sessions, session, ({ state }) => {
			// What lies in the journal happened until its last record.
			const reads = emptyFileReads(state, state.updatedAt - fileTimeToleranceMs);
			return { session, reads, locating: new Map(), starting: new Map() };
		});
	}

	function sync(session: SessionView): Tracked {
		return finish(taken(session));
	}

	/** What a session got is on disk already: a name that cannot be followed must fail nobody. */
	function* taken(session: SessionView): Slices<Tracked> {
		const tracked = trackedOf(session);
		try {
			yield* gather(tracked.reads, session.state, options.now());
		} catch (error) {
			log.error(`a file of session "${session.id}" is not followed: ${errorText(error)}`);
		}
		start(tracked, takeFound(tracked.reads));
		return tracked;
	}

	function start(tracked: Tracked, files: readonly TrackedFile[]): void {
		for (const file of files) {
			const placing = place(tracked, file).finally(() => tracked.locating.delete(file));
			tracked.locating.set(file, placing);
			const starting = placing
				.then(() => watch(tracked, file))
				.catch((error) => log.warn(`Watching ${file.path}: ${errorText(error)}`))
				.finally(() => tracked.starting.delete(file));
			tracked.starting.set(file, starting);
		}
	}

	/** Finds out where a file really lies, and lets go of it where that is outside the workspace. */
	async function place(tracked: Tracked, file: TrackedFile): Promise<void> {
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
		await look(tracked, file, Math.min(...file.reads.map((read) => read.at)));
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

	/** Between the reading of a file and the beginning of its watch it may have changed. */
	async function look(tracked: Tracked, file: TrackedFile, since: number): Promise<void> {
		const { real } = file;
		if (real === undefined || file.reads.length === 0) return;
		const changedAt = await reader.changedAt(real);
		if (changedAt !== undefined && changedAt < since - fileTimeToleranceMs) return;
		const now = await reader.facts(real);
		const isOvertaken = (read: KnownRead): boolean =>
			read.contentHash !== undefined
				? read.contentHash !== now?.contentHash
				: now !== undefined && now.modifiedAt > read.at;
		if (file.real !== real || !file.reads.some(isOvertaken)) return;
		settle(tracked, file, now);
		setTimeout(() => {
			lookAgain(tracked, file, real).catch((error) => log.warn(`Looking at ${real}: ${errorText(error)}`));
		}, secondLook);
	}

	/** The watcher tells nothing of a file that became what it was before the watcher looked for itself. */
	async function lookAgain(tracked: Tracked, file: TrackedFile, real: string): Promise<void> {
		if (file.real !== real) return;
		const now = await reader.facts(real);
		if (file.real === real) settle(tracked, file, now);
	}

	function settle(tracked: Tracked, file: TrackedFile, now: FileFacts | undefined): void {
		Object.assign(file, { now: now ?? 'gone', noticedAt: options.now() });
		suspect(tracked, file);
	}

	function suspect(tracked: Tracked, file: TrackedFile): void {
		if (file.reads.some((read) => isStale(read, file))) tracked.reads.suspects.add(file);
		else if (!tracked.reads.suspects.delete(file)) return;
		options.suspected(tracked.session.id);
	}

	async function noticed(real: string, change: FileChange): Promise<void> {
		const now = change === 'deleted' ? undefined : await reader.facts(real);
		const told = new Map<string, string[]>();
		for (const [file, tracked] of watched.get(real) ?? []) {
			settle(tracked, file, now);
			if (isOwnChange(file)) continue;
			told.set(file.uri, [...(told.get(file.uri) ?? []), tracked.session.id]);
		}
		for (const [uri, sessionIds] of told) options.changed({ uri, change, sessionIds });
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
		sync: (session) => void sync(session),
		*takeIn(session) {
			yield* taken(session);
		},
		forget,
		staleReads(session) {
			return staleReads(sync(session).reads, session.state);
		},
		track(session, path, uri) {
			const tracked = sync(session);
			const file = fileNamed(tracked.reads, path);
			if (file) file.uri = uri;
			start(tracked, takeFound(tracked.reads));
		},
		check(session, path, since) {
			const tracked = sync(session);
			const file = tracked.reads.files.get(path);
			if (!file) return;
			Promise.resolve(tracked.starting.get(file))
				.then(() => look(tracked, file, since))
				.catch((error) => log.warn(`Looking at ${path}: ${errorText(error)}`));
		},
		async fileAt(session, path, real) {
			const tracked = sync(session);
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

/** Whether a path or a folder above it is among others. */
function isIn(path: string, others: ReadonlySet<string>): boolean {
	for (let index = path.length; index > 0; index = path.lastIndexOf('/', index - 1)) {
		if (others.has(path.slice(0, index))) return true;
	}
	return false;
}
