import { dirname } from 'node:path';
import { errorText } from '../../core/failure.ts';
import type { FileChange } from '../../protocol/push.ts';
import type { FileWatcher } from '../../session/files/reader.ts';
import type { Logger } from '../../session/ports.ts';
import { type FileState, type FolderState, fileState, folderState } from './fileState.ts';
import { chokidarObserver, type Observer, type ObserverEvents } from './observer.ts';

export interface WatcherOptions {
	logger: Logger;
	/** Milliseconds within which several hints about one file count as one; default 75. */
	coalesceMs?: number;
	/** Milliseconds between checks of folders, and of files that the system does not watch; default 1 000. */
	sweepMs?: number;
	/** Creates the source of hints; by default chokidar. */
	observe?: (events: ObserverEvents) => Observer;
}

interface Watched {
	path: string;
	references: number;
	/** Absent while the file does not exist. */
	state?: FileState;
	/** The file was missing or empty at the last check, which may be in the middle of a replacement. */
	seemsGone: boolean;
	/** When the first hint since the last check arrived; milliseconds of a monotonic clock. */
	hintedAt?: number;
	timer?: NodeJS.Timeout;
	/** The last of the checks, which run one after another. */
	looking: Promise<void>;
	/** Milliseconds until the next check for a missing file. */
	absentMs: number;
	polled: boolean;
}

/** Folders that were replaced, and folders with created, removed or renamed entries. */
interface FolderChanges {
	replaced: Set<string>;
	changed: Set<string>;
}

function noChanges(): FolderChanges {
	return { replaced: new Set(), changed: new Set() };
}

const maxConcurrentChecks = 16;
const firstAbsentMs = 100;
const maxAbsentMs = 30_000;
/** Maximum delay of a check while hints continue, as a multiple of the coalescing time. */
const maxDelayFactor = 4;

/**
 * Watches single files, and ignores other files of their folders.
 *
 * A hint from the system only leads to a check: size, time and file number first, then the hash of the content, so a mere
 * touch is not a change. Missing files are checked at growing intervals of up to half a minute. Folders are checked every
 * second, because the system does not report that a folder was replaced, or that a missing file appeared in it. If the
 * system has run out of watches, it logs one warning and checks the file every second too.
 *
 * A file is watched while it is in `#files`, and its folder is in `#folders` then. Checks of one file run one after another;
 * a check of a file that is no longer watched, or after `close`, changes and reports nothing.
 */
export class DiskFileWatcher implements FileWatcher {
	readonly #logger: Logger;
	readonly #coalesceMs: number;
	readonly #observe: (events: ObserverEvents) => Observer;
	readonly #files = new Map<string, Watched>();
	/** Each folder's state at the last check; undefined if it was missing. */
	readonly #folders = new Map<string, FolderState | undefined | 'unknown'>();
	readonly #listeners: ((path: string, change: FileChange) => void)[] = [];
	readonly #inTurn = limitConcurrency(maxConcurrentChecks);
	readonly #sweeper: NodeJS.Timeout;
	#sweeping: Promise<void> = Promise.resolve();
	/** Created with the first watched file, since many sessions have none. */
	#observer: Observer | undefined;
	#isWarned = false;
	#isClosed = false;

	constructor({ logger, coalesceMs = 75, sweepMs = 1_000, observe = chokidarObserver }: WatcherOptions) {
		this.#logger = logger;
		this.#coalesceMs = coalesceMs;
		this.#observe = observe;
		this.#sweeper = setInterval(() => {
			this.#sweeping = this.#sweeping.then(() => this.#sweep());
		}, sweepMs);
		this.#sweeper.unref();
	}

	watch(path: string): Promise<void> {
		const known = this.#files.get(path);
		if (known !== undefined) {
			known.references += 1;
			return known.looking;
		}
		const file: Watched = {
			path,
			references: 1,
			seemsGone: false,
			looking: Promise.resolve(),
			absentMs: firstAbsentMs,
			polled: false,
		};
		this.#files.set(path, file);
		if (!this.#folders.has(dirname(path))) this.#folders.set(dirname(path), 'unknown');
		file.looking = this.#inTurn(() => this.#firstCheck(file)).catch((error: unknown) => {
			this.#logger.warn(`watching ${path}: ${errorText(error)}`);
		});
		return file.looking;
	}

	unwatch(path: string): void {
		const file = this.#files.get(path);
		if (file === undefined) return;
		file.references -= 1;
		if (file.references > 0) return;
		clearTimeout(file.timer);
		this.#files.delete(path);
		this.#observer?.remove(path);
	}

	/** Schedules a check; further hints postpone it, but not beyond the maximum delay. */
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

	on(listener: (path: string, change: FileChange) => void): void {
		this.#listeners.push(listener);
	}

	async close(): Promise<void> {
		this.#isClosed = true;
		clearInterval(this.#sweeper);
		for (const file of this.#files.values()) clearTimeout(file.timer);
		await this.#observer?.close();
		await this.#sweeping;
		await Promise.all([...this.#files.values()].map((file) => file.looking));
	}

	#addToObserver(file: Watched): void {
		if (file.polled) return;
		this.#observer ??= this.#observe({
			hint: (path) => this.check(path),
			exhausted: (path) => this.#pollExhausted(path),
			failed: (error) => this.#logger.warn(`watching files: ${error.message}`),
		});
		this.#observer.add(file.path);
	}

	#pollExhausted(path: string): void {
		const file = this.#files.get(path);
		if (file) file.polled = true;
		if (!this.#isWarned)
			this.#logger.warn('The system allows no more file watches; other files are checked every second.');
		this.#isWarned = true;
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

	#checkNow(file: Watched): void {
		clearTimeout(file.timer);
		file.timer = undefined;
		this.#checkSoon(file.path, 0);
	}

	#check(file: Watched): void {
		file.looking = file.looking.then(() =>
			this.#inTurn(async () => {
				if (!this.#isWatched(file)) return;
				try {
					this.#applyState(file, await fileState(file.path, file.state));
				} catch (error) {
					this.#logger.warn(`watching ${file.path}: ${errorText(error)}`);
				}
			}),
		);
	}

	#applyState(file: Watched, now: FileState | undefined): void {
		if (!this.#isWatched(file)) return;
		const before = file.state;
		if (now === undefined) {
			this.#applyAbsence(file);
			return;
		}
		if (now.isEmpty && before?.isEmpty === false && !file.seemsGone) {
			this.#waitForSecondHalf(file);
			return;
		}
		file.seemsGone = false;
		file.absentMs = firstAbsentMs;
		file.state = now;
		if (before?.identity !== now.identity) this.#addToObserver(file);
		if (before === undefined) this.#emit(file.path, 'created');
		else if (before.content !== now.content) this.#emit(file.path, 'changed');
	}

	#applyAbsence(file: Watched): void {
		if (file.state !== undefined && !file.seemsGone) {
			this.#waitForSecondHalf(file);
			return;
		}
		if (file.state !== undefined) this.#emit(file.path, 'deleted');
		file.state = undefined;
		file.seemsGone = false;
		this.#checkSoon(file.path, file.absentMs);
		file.absentMs = Math.min(file.absentMs * 2, maxAbsentMs);
	}

	#waitForSecondHalf(file: Watched): void {
		file.seemsGone = true;
		this.#checkSoon(file.path, this.#coalesceMs);
	}

	#emit(path: string, change: FileChange): void {
		for (const listener of this.#listeners) listener(path, change);
	}

	#isWatched(file: Watched): boolean {
		return !this.#isClosed && this.#files.get(file.path) === file;
	}

	/** Checks a file without reporting it, since the reader already knows its present content. */
	async #firstCheck(file: Watched): Promise<void> {
		const folder = dirname(file.path);
		if (this.#folders.get(folder) === 'unknown') await this.#checkFolder(folder, 'unknown', noChanges());
		const now = await fileState(file.path);
		if (!this.#isWatched(file)) return;
		file.state = now;
		if (now === undefined) this.#checkSoon(file.path, firstAbsentMs);
		else this.#addToObserver(file);
	}

	async #sweep(): Promise<void> {
		const news = noChanges();
		await Promise.all(
			[...this.#folders].map(([folder, before]) =>
				this.#inTurn(() => this.#checkFolder(folder, before, news)),
			),
		);
		const present = new Set<string>();
		for (const file of this.#files.values()) {
			const folder = dirname(file.path);
			present.add(folder);
			const mayHaveAppeared = file.state === undefined && news.changed.has(folder);
			if (file.polled || mayHaveAppeared || news.replaced.has(folder)) this.#checkNow(file);
		}
		for (const folder of this.#folders.keys()) if (!present.has(folder)) this.#folders.delete(folder);
	}

	async #checkFolder(
		folder: string,
		before: FolderState | undefined | 'unknown',
		news: FolderChanges,
	): Promise<void> {
		try {
			const now = await folderState(folder);
			this.#folders.set(folder, now);
			if (before === 'unknown') return;
			if (now?.identity !== before?.identity) news.replaced.add(folder);
			else if (now?.entriesChangedAt !== before?.entriesChangedAt) news.changed.add(folder);
		} catch (error) {
			this.#logger.debug(`watching ${folder}: ${errorText(error)}`);
		}
	}
}

/**
 * Returns a function that runs at most `atOnce` tasks at a time, in order of arrival.
 * This way thousands of files do not need thousands of descriptors.
 */
function limitConcurrency(atOnce: number): <T>(work: () => Promise<T>) => Promise<T> {
	let running = 0;
	const waiting: (() => void)[] = [];
	let next = 0;

	async function turn(): Promise<void> {
		if (running < atOnce) {
			running += 1;
			return;
		}
		await new Promise<void>((resolve) => waiting.push(resolve));
	}

	function pass(): void {
		const follower = waiting[next];
		if (follower === undefined) {
			running -= 1;
			return;
		}
		next += 1;
		if (next === waiting.length) {
			waiting.length = 0;
			next = 0;
		}
		follower();
	}

	return async (work) => {
		await turn();
		try {
			return await work();
		} finally {
			pass();
		}
	};
}
