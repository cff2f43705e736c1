/**
 * Watches the files that sessions read, and reports which reads became stale.
 *
 * A watch only gives hints: the file's content decides, and is read after each hint.
 */

import { errorText } from '../../core/failure.ts';
import { type FileFacts, isOwnChange, isStale, type KnownRead } from '../../core/files/knownFile.ts';
import { fileTimeToleranceMs } from '../../core/files/tuning.ts';
import { getOrInsert } from '../../core/getOrInsert.ts';
import { runToEnd, type SlicedTask } from '../../core/slices.ts';
import type { DidChangeFileParams, FileChange } from '../../protocol/push.ts';
import type { Logger, SessionFiles, SessionView } from '../ports.ts';
import type { FileReader, FileWatcher } from './reader.ts';
import {
	createFileReads,
	drainNewFiles,
	type FileReads,
	listStaleReads,
	mergeFiles,
	processNewReads,
	type TrackedFile,
	trackFileByName,
} from './reads.ts';

export interface FileTrackerOptions {
	watcher: FileWatcher;
	reader: FileReader;
	/** The client's workspace folders, as paths. */
	listFolders(session: SessionView): readonly string[];
	/** Milliseconds since the epoch. */
	now(): number;
	log: Logger;
	/** Called after something other than the agent changed a file. */
	onFileChange(params: DidChangeFileParams): void;
	/** Called when a session's stale reads may have changed. */
	onStaleReadsChange(sessionId: string): void;
}

/** Delay before a file is checked again after a change that the watcher did not report. Milliseconds. */
const recheckDelayMs = 1000;

interface TrackedSession {
	session: SessionView;
	reads: FileReads;
	/** Files whose real path is being determined. */
	locatingFiles: Map<TrackedFile, Promise<void>>;
	/** Files whose watch is being started. */
	startingWatches: Map<TrackedFile, Promise<void>>;
}

/**
 * Tracks the files that sessions read.
 *
 * `#filesByRealPath` has each file under its real path once that is known. A session has at most one file for a real
 * path: other names of the file are merged into it. Checks that end after their session was forgotten change nothing.
 */
export class FileTracker implements SessionFiles {
	readonly #options: FileTrackerOptions;
	readonly #sessions = new Map<SessionView, TrackedSession>();
	/** Sessions that know a file, by its real path. */
	readonly #filesByRealPath = new Map<string, Map<TrackedFile, TrackedSession>>();

	constructor(options: FileTrackerOptions) {
		this.#options = options;
		options.watcher.onChange((realPath, change) => {
			this.#handleChange(realPath, change).catch(this.#createErrorLogger(`checking ${realPath}`));
		});
	}

	sync(session: SessionView): void {
		this.#syncNow(session);
	}

	*syncInSlices(session: SessionView): SlicedTask<void> {
		yield* this.#syncSteps(session);
	}

	forget(session: SessionView): void {
		const trackedSession = this.#sessions.get(session);
		if (!trackedSession) return;
		this.#sessions.delete(session);
		for (const file of new Set(trackedSession.reads.files.values())) this.#release(file);
	}

	listStaleReads(session: SessionView): ReturnType<SessionFiles['listStaleReads']> {
		return listStaleReads(this.#syncNow(session).reads, session.state);
	}

	/** Starts watching a file that a session read, given by its absolute path and the client's URI. */
	track(session: SessionView, path: string, uri: string): void {
		const trackedSession = this.#syncNow(session);
		const file = trackFileByName(trackedSession.reads, path);
		if (file) file.uri = uri;
		this.#start(trackedSession, drainNewFiles(trackedSession.reads));
	}

	/**
	 * Checks in the background whether a file still has the content that a session has just read.
	 * @param since earliest time of a possible change, in milliseconds since the epoch
	 */
	check(session: SessionView, path: string, since: number): void {
		const trackedSession = this.#syncNow(session);
		const file = trackedSession.reads.files.get(path);
		if (!file) return;
		Promise.resolve(trackedSession.startingWatches.get(file))
			.then(() => this.#check(trackedSession, file, since))
			.catch(this.#createErrorLogger(`checking ${path}`));
	}

	/** Returns a session's tracked file, by its real path or else by the path that names it. */
	async findFile(session: SessionView, path: string, realPath: string): Promise<TrackedFile | undefined> {
		const trackedSession = this.#syncNow(session);
		const namedFile = trackedSession.reads.files.get(path);
		await (namedFile && trackedSession.locatingFiles.get(namedFile));
		return this.#findOwnFile(trackedSession, realPath) ?? trackedSession.reads.files.get(path);
	}

	/** Locates all files again after the workspace's folders changed. */
	relocateFiles(): void {
		for (const trackedSession of this.#sessions.values())
			this.#start(trackedSession, [...new Set(trackedSession.reads.files.values())]);
	}

	/** Checks watched files that may have changed: their path, or a folder above it, is listed. O(watched files). */
	checkHintedFiles(paths: readonly string[]): void {
		const hintedPaths = new Set(paths);
		for (const [realPath, owners] of this.#filesByRealPath) {
			const names = [realPath, ...[...owners.keys()].map((file) => file.path)];
			if (names.some((name) => isInside(name, hintedPaths))) this.#options.watcher.check(realPath);
		}
	}

	/** Stops all watches. */
	async close(): Promise<void> {
		for (const session of [...this.#sessions.keys()]) this.forget(session);
		await this.#options.watcher.close();
	}

	#syncNow(session: SessionView): TrackedSession {
		return runToEnd(this.#syncSteps(session));
	}

	/** Processes a session's new rows. Errors are only logged, since the rows are already stored. */
	*#syncSteps(session: SessionView): SlicedTask<TrackedSession> {
		const trackedSession = this.#getTrackedSession(session);
		try {
			yield* processNewReads(trackedSession.reads, session.state, this.#options.now());
		} catch (error) {
			this.#options.log.error(`cannot track a file of session "${session.id}": ${errorText(error)}`);
		}
		this.#start(trackedSession, drainNewFiles(trackedSession.reads));
		return trackedSession;
	}

	#getTrackedSession(session: SessionView): TrackedSession {
		return getOrInsert(this.#sessions, session, ({ state }) => {
			// All records in the journal are at most as new as its last record.
			const reads = createFileReads(state, state.updatedAt - fileTimeToleranceMs);
			return { session, reads, locatingFiles: new Map(), startingWatches: new Map() };
		});
	}

	#start(trackedSession: TrackedSession, files: readonly TrackedFile[]): void {
		for (const file of files) {
			const locating = this.#updateRealPath(trackedSession, file).finally(() =>
				trackedSession.locatingFiles.delete(file),
			);
			trackedSession.locatingFiles.set(file, locating);
			const starting = locating
				.then(() => this.#watch(trackedSession, file))
				.catch(this.#createErrorLogger(`watching ${file.path}`))
				.finally(() => trackedSession.startingWatches.delete(file));
			trackedSession.startingWatches.set(file, starting);
		}
	}

	/** Determines a file's real path, and stops watching the file if that path is outside the workspace. */
	async #updateRealPath(trackedSession: TrackedSession, file: TrackedFile): Promise<void> {
		const realPath = await this.#locate(trackedSession, file);
		const isKnown =
			this.#sessions.get(trackedSession.session) === trackedSession &&
			trackedSession.reads.files.get(file.path) === file;
		if (!isKnown || realPath === file.realPath) return;
		this.#release(file);
		if (realPath === undefined) return;
		const twin = this.#findOwnFile(trackedSession, realPath);
		if (twin) {
			mergeFiles(trackedSession.reads, twin, file);
			return;
		}
		file.realPath = realPath;
		const owners = this.#filesByRealPath.get(realPath) ?? new Map<TrackedFile, TrackedSession>();
		this.#filesByRealPath.set(realPath, owners.set(file, trackedSession));
	}

	async #locate(trackedSession: TrackedSession, file: TrackedFile): Promise<string | undefined> {
		const folders = this.#options.listFolders(trackedSession.session);
		if (folders.length === 0) return undefined;
		try {
			return await this.#options.reader.locate(file.path, folders);
		} catch (error) {
			this.#options.log.debug(`not watched: ${errorText(error)}`);
			return undefined;
		}
	}

	async #watch(trackedSession: TrackedSession, file: TrackedFile): Promise<void> {
		const { realPath: real } = file;
		if (real === undefined || file.watchedPath === real) return;
		file.watchedPath = real;
		await this.#options.watcher.watch(real);
		await this.#check(trackedSession, file, Math.min(...file.reads.map((read) => read.at)));
	}

	#findOwnFile(trackedSession: TrackedSession, realPath: string): TrackedFile | undefined {
		for (const [file, owner] of this.#filesByRealPath.get(realPath) ?? [])
			if (owner === trackedSession) return file;
		return undefined;
	}

	/** Checks a file for a change between its read and the start of its watch. */
	async #check(trackedSession: TrackedSession, file: TrackedFile, since: number): Promise<void> {
		const { reader } = this.#options;
		const { realPath: real } = file;
		if (real === undefined || file.reads.length === 0) return;
		const changedAt = await reader.readChangeTime(real);
		if (changedAt !== undefined && changedAt < since - fileTimeToleranceMs) return;
		const facts = await reader.readFacts(real);
		const isOutdated = (read: KnownRead): boolean =>
			read.contentHash !== undefined
				? read.contentHash !== facts?.contentHash
				: facts !== undefined && facts.modifiedAt > read.at;
		if (file.realPath !== real || !file.reads.some(isOutdated)) return;
		this.#recordFacts(trackedSession, file, facts);
		setTimeout(() => {
			this.#recheck(trackedSession, file, real).catch(this.#createErrorLogger(`checking ${real}`));
		}, recheckDelayMs);
	}

	/** Checks a file again, because a watcher misses changes that are reverted before its first look. */
	async #recheck(trackedSession: TrackedSession, file: TrackedFile, realPath: string): Promise<void> {
		if (file.realPath !== realPath) return;
		const facts = await this.#options.reader.readFacts(realPath);
		if (file.realPath === realPath) this.#recordFacts(trackedSession, file, facts);
	}

	#recordFacts(trackedSession: TrackedSession, file: TrackedFile, facts: FileFacts | undefined): void {
		Object.assign(file, { latestFacts: facts ?? 'gone', noticedAt: this.#options.now() });
		if (file.reads.some((read) => isStale(read, file))) trackedSession.reads.possiblyStaleFiles.add(file);
		else if (!trackedSession.reads.possiblyStaleFiles.delete(file)) return;
		this.#options.onStaleReadsChange(trackedSession.session.id);
	}

	async #handleChange(realPath: string, change: FileChange): Promise<void> {
		const facts = change === 'deleted' ? undefined : await this.#options.reader.readFacts(realPath);
		const sessionsByUri = new Map<string, string[]>();
		for (const [file, trackedSession] of this.#filesByRealPath.get(realPath) ?? []) {
			this.#recordFacts(trackedSession, file, facts);
			if (isOwnChange(file)) continue;
			sessionsByUri.set(file.uri, [...(sessionsByUri.get(file.uri) ?? []), trackedSession.session.id]);
		}
		for (const [uri, sessionIds] of sessionsByUri) this.#options.onFileChange({ uri, change, sessionIds });
	}

	#release(file: TrackedFile): void {
		if (file.realPath === undefined) return;
		const owners = this.#filesByRealPath.get(file.realPath);
		owners?.delete(file);
		if (owners?.size === 0) this.#filesByRealPath.delete(file.realPath);
		if (file.watchedPath !== undefined) this.#options.watcher.unwatch(file.watchedPath);
		file.realPath = undefined;
		file.watchedPath = undefined;
	}

	#createErrorLogger(activity: string): (error: unknown) => void {
		return (error) => this.#options.log.warn(`${activity}: ${errorText(error)}`);
	}
}

/** Whether a path, or a folder above it, is in a set. */
function isInside(path: string, paths: ReadonlySet<string>): boolean {
	for (let index = path.length; index > 0; index = path.lastIndexOf('/', index - 1)) {
		if (paths.has(path.slice(0, index))) return true;
	}
	return false;
}
