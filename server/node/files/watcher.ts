import { dirname } from 'node:path';
import { errorText } from '../../core/failure.ts';
import type { FileChange } from '../../protocol/push.ts';
import type { FileWatcher } from '../../session/files/reader.ts';
import type { Logger } from '../../session/ports.ts';
import { type FileState, type FolderState, readFileState, readFolderState } from './fileState.ts';
import { createChokidarObserver, type Observer, type ObserverEvents } from './observer.ts';

export interface WatcherOptions {
	logger: Logger;
	/** Several hints about a file within this many milliseconds lead to one check; default 75. */
	coalesceMs?: number;
	/** Milliseconds between two checks of folders, and of files that the system does not watch; default 1 000. */
	sweepMs?: number;
	/** Creates the source of hints; by default chokidar. */
	observe?: (events: ObserverEvents) => Observer;
}

interface WatchedFile {
	path: string;
	referenceCount: number;
	/** The state at the last check; absent while the file does not exist. */
	state?: FileState;
	/** Whether the file was missing or empty at the last check, which may have been in the middle of a replacement. */
	seemsGone: boolean;
	/** When the first hint since the last check arrived, in milliseconds of a monotonic clock. */
	hintedAt?: number;
	timer?: NodeJS.Timeout;
	/** Resolves after the last check that was begun; checks of a file run one after another. */
	lastCheck: Promise<void>;
	/** Milliseconds between two checks of a missing file. */
	recheckMs: number;
	/** Whether the system cannot watch the file, so that it is checked at each sweep. */
	isPolled: boolean;
}

/** Folders that have changed since the last check. */
interface FolderChanges {
	/** Folders that were replaced, created or removed. */
	replacedPaths: Set<string>;
	/** Folders in which entries were created, removed or renamed. */
	changedPaths: Set<string>;
}

function createFolderChanges(): FolderChanges {
	return { replacedPaths: new Set(), changedPaths: new Set() };
}

const maxConcurrentChecks = 16;
const minRecheckMs = 100;
const maxRecheckMs = 30_000;
/** While hints continue, a check is delayed by at most this multiple of the coalescing time. */
const maxDelayFactor = 4;

/**
 * Watches single files, and ignores other files of their folders.
 *
 * A hint from the system leads to a check: first of size, time and inode number, then of the content's hash. So a new time
 * alone is not a change. Missing files are checked at growing intervals of up to half a minute. Folders are checked every
 * second, because the system does not report that a folder was replaced or that a missing file appeared. If the system has no
 * watches left, the watcher logs one warning and checks the other files every second.
 *
 * A watched file is in `#files`, and its folder is in `#folders`. A check does nothing if its file is no longer watched, or
 * after `close`.
 */
export class DiskFileWatcher implements FileWatcher {
	readonly #logger: Logger;
	readonly #coalesceMs: number;
	readonly #observe: (events: ObserverEvents) => Observer;
	readonly #files = new Map<string, WatchedFile>();
	/** Each folder's state at the last check; undefined if it was missing. */
	readonly #folders = new Map<string, FolderState | undefined | 'unknown'>();
	readonly #listeners: ((path: string, change: FileChange) => void)[] = [];
	readonly #runInTurn = limitConcurrency(maxConcurrentChecks);
	readonly #sweeper: NodeJS.Timeout;
	#sweeping: Promise<void> = Promise.resolve();
	/** Created with the first watched file, because many sessions have none. */
	#observer: Observer | undefined;
	#hasWarned = false;
	#isClosed = false;

	constructor({
		logger,
		coalesceMs = 75,
		sweepMs = 1_000,
		observe = createChokidarObserver,
	}: WatcherOptions) {
		this.#logger = logger;
		this.#coalesceMs = coalesceMs;
		this.#observe = observe;
		this.#sweeper = setInterval(() => {
			this.#sweeping = this.#sweeping.then(() => this.#sweep());
		}, sweepMs);
		this.#sweeper.unref();
	}

	watch(path: string): Promise<void> {
		const existing = this.#files.get(path);
		if (existing !== undefined) {
			existing.referenceCount += 1;
			return existing.lastCheck;
		}
		const file: WatchedFile = {
			path,
			referenceCount: 1,
			seemsGone: false,
			lastCheck: Promise.resolve(),
			recheckMs: minRecheckMs,
			isPolled: false,
		};
		this.#files.set(path, file);
		if (!this.#folders.has(dirname(path))) this.#folders.set(dirname(path), 'unknown');
		file.lastCheck = this.#runInTurn(() => this.#firstCheck(file)).catch((error: unknown) => {
			this.#logger.warn(`watching ${path}: ${errorText(error)}`);
		});
		return file.lastCheck;
	}

	unwatch(path: string): void {
		const file = this.#files.get(path);
		if (file === undefined) return;
		file.referenceCount -= 1;
		if (file.referenceCount > 0) return;
		clearTimeout(file.timer);
		this.#files.delete(path);
		this.#observer?.remove(path);
	}

	/** Schedules a check of a file. Further calls postpone the check, but not beyond the maximum delay. */
	check(path: string): void {
		const file = this.#files.get(path);
		if (file === undefined) return;
		const now = performance.now();
		file.hintedAt ??= now;
		clearTimeout(file.timer);
		file.timer = undefined;
		const untilMax = Math.max(0, file.hintedAt + maxDelayFactor * this.#coalesceMs - now);
		this.#checkSoon(path, Math.min(this.#coalesceMs, untilMax));
	}

	onChange(listener: (path: string, change: FileChange) => void): void {
		this.#listeners.push(listener);
	}

	async close(): Promise<void> {
		this.#isClosed = true;
		clearInterval(this.#sweeper);
		for (const file of this.#files.values()) clearTimeout(file.timer);
		await this.#observer?.close();
		await this.#sweeping;
		await Promise.all([...this.#files.values()].map((file) => file.lastCheck));
	}

	#addToObserver(file: WatchedFile): void {
		if (file.isPolled) return;
		this.#observer ??= this.#observe({
			onHint: (path) => this.check(path),
			onExhausted: (path) => this.#pollExhausted(path),
			onFailure: (error) => this.#logger.warn(`watching files: ${error.message}`),
		});
		this.#observer.add(file.path);
	}

	#pollExhausted(path: string): void {
		const file = this.#files.get(path);
		if (file) file.isPolled = true;
		if (!this.#hasWarned)
			this.#logger.warn('The system allows no more file watches; other files are checked every second.');
		this.#hasWarned = true;
	}

	#checkSoon(path: string, delayMs: number): void {
		const file = this.#files.get(path);
		if (file === undefined || file.timer !== undefined || this.#isClosed) return;
		file.timer = setTimeout(() => {
			file.timer = undefined;
			file.hintedAt = undefined;
			this.#check(file);
		}, delayMs);
		file.timer.unref();
	}

	#checkNow(file: WatchedFile): void {
		clearTimeout(file.timer);
		file.timer = undefined;
		this.#checkSoon(file.path, 0);
	}

	#check(file: WatchedFile): void {
		file.lastCheck = file.lastCheck.then(() =>
			this.#runInTurn(async () => {
				if (!this.#isWatched(file)) return;
				try {
					this.#applyState(file, await readFileState(file.path, file.state));
				} catch (error) {
					this.#logger.warn(`watching ${file.path}: ${errorText(error)}`);
				}
			}),
		);
	}

	#applyState(file: WatchedFile, now: FileState | undefined): void {
		if (!this.#isWatched(file)) return;
		const before = file.state;
		if (now === undefined) {
			this.#applyAbsence(file);
			return;
		}
		if (now.isEmpty && before?.isEmpty === false && !file.seemsGone) {
			this.#waitForReplacement(file);
			return;
		}
		file.seemsGone = false;
		file.recheckMs = minRecheckMs;
		file.state = now;
		if (before?.identity !== now.identity) this.#addToObserver(file);
		if (before === undefined) this.#emit(file.path, 'created');
		else if (before.contentHash !== now.contentHash) this.#emit(file.path, 'changed');
	}

	#applyAbsence(file: WatchedFile): void {
		if (file.state !== undefined && !file.seemsGone) {
			this.#waitForReplacement(file);
			return;
		}
		if (file.state !== undefined) this.#emit(file.path, 'deleted');
		file.state = undefined;
		file.seemsGone = false;
		this.#checkSoon(file.path, file.recheckMs);
		file.recheckMs = Math.min(file.recheckMs * 2, maxRecheckMs);
	}

	#waitForReplacement(file: WatchedFile): void {
		file.seemsGone = true;
		this.#checkSoon(file.path, this.#coalesceMs);
	}

	#emit(path: string, change: FileChange): void {
		for (const listener of this.#listeners) listener(path, change);
	}

	#isWatched(file: WatchedFile): boolean {
		return !this.#isClosed && this.#files.get(file.path) === file;
	}

	/** Reads the state of a file without reporting a change: the caller of `watch` knows the current content. */
	async #firstCheck(file: WatchedFile): Promise<void> {
		const folder = dirname(file.path);
		if (this.#folders.get(folder) === 'unknown')
			await this.#checkFolder(folder, 'unknown', createFolderChanges());
		const now = await readFileState(file.path);
		if (!this.#isWatched(file)) return;
		file.state = now;
		if (now === undefined) this.#checkSoon(file.path, minRecheckMs);
		else this.#addToObserver(file);
	}

	async #sweep(): Promise<void> {
		const changes = createFolderChanges();
		await Promise.all(
			[...this.#folders].map(([folder, before]) =>
				this.#runInTurn(() => this.#checkFolder(folder, before, changes)),
			),
		);
		const present = new Set<string>();
		for (const file of this.#files.values()) {
			const folder = dirname(file.path);
			present.add(folder);
			const mayHaveAppeared = file.state === undefined && changes.changedPaths.has(folder);
			if (file.isPolled || mayHaveAppeared || changes.replacedPaths.has(folder)) this.#checkNow(file);
		}
		for (const folder of this.#folders.keys()) if (!present.has(folder)) this.#folders.delete(folder);
	}

	async #checkFolder(
		folder: string,
		before: FolderState | undefined | 'unknown',
		changes: FolderChanges,
	): Promise<void> {
		try {
			const now = await readFolderState(folder);
			this.#folders.set(folder, now);
			if (before === 'unknown') return;
			if (now?.identity !== before?.identity) changes.replacedPaths.add(folder);
			else if (now?.entriesChangedAt !== before?.entriesChangedAt) changes.changedPaths.add(folder);
		} catch (error) {
			this.#logger.debug(`watching ${folder}: ${errorText(error)}`);
		}
	}
}

/**
 * Returns a function that runs at most `maxRunning` tasks at a time, in order of arrival, so that thousands of files do not
 * need thousands of descriptors.
 */
function limitConcurrency(maxRunning: number): <T>(task: () => Promise<T>) => Promise<T> {
	let runningCount = 0;
	const waiters: (() => void)[] = [];
	let next = 0;

	async function turn(): Promise<void> {
		if (runningCount < maxRunning) {
			runningCount += 1;
			return;
		}
		await new Promise<void>((resolve) => waiters.push(resolve));
	}

	function release(): void {
		const follower = waiters[next];
		if (follower === undefined) {
			runningCount -= 1;
			return;
		}
		next += 1;
		if (next === waiters.length) {
			waiters.length = 0;
			next = 0;
		}
		follower();
	}

	return async (task) => {
		await turn();
		try {
			return await task();
		} finally {
			release();
		}
	};
}
