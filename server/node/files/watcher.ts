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
interface FolderNews {
	replaced: Set<string>;
	changed: Set<string>;
}

function noNews(): FolderNews {
	return { replaced: new Set(), changed: new Set() };
}

const filesAtOnce = 16;
const firstAbsentMs = 100;
const maxAbsentMs = 30_000;
/** Maximum delay of a check while hints continue, as a multiple of the coalescing time. */
const maxDelayFactor = 4;

/**
 * Creates a watcher of single files, which ignores other files of their folders.
 *
 * A hint from the system only leads to a check: size, time and file number first, then the hash of the content, so a mere
 * touch is not a change. Missing files are checked at growing intervals of up to half a minute. Folders are checked every
 * second, because the system does not report that a folder was replaced, or that a missing file appeared in it. If the
 * system has run out of watches, it logs one warning and checks the file every second too.
 */
export function createFileWatcher(options: WatcherOptions): FileWatcher {
	const { logger, coalesceMs = 75, sweepMs = 1_000, observe = chokidarObserver } = options;
	const files = new Map<string, Watched>();
	/** Each folder's state at the last check; undefined if it was missing. */
	const folders = new Map<string, FolderState | undefined | 'unknown'>();
	const listeners: ((path: string, change: FileChange) => void)[] = [];
	const inTurn = inTurns(filesAtOnce);
	let warned = false;
	let closed = false;
	let sweeping: Promise<void> = Promise.resolve();

	let observer: Observer | undefined;
	/** Created with the first watched file, since many sessions have none. */
	const observing = (): Observer => {
		observer ??= observe(hints);
		return observer;
	};
	const hints: ObserverEvents = {
		hint,
		exhausted(path) {
			const file = files.get(path);
			if (file) file.polled = true;
			if (!warned)
				logger.warn('The system allows no more file watches; other files are checked every second.');
			warned = true;
		},
		failed: (error) => logger.warn(`watching files: ${error.message}`),
	};
	const sweeper = setInterval(() => {
		sweeping = sweeping.then(sweep);
	}, sweepMs);
	sweeper.unref();

	/** Schedules a check; further hints postpone it, but not beyond the maximum delay. */
	function hint(path: string): void {
		const file = files.get(path);
		if (file === undefined) return;
		const now = performance.now();
		file.hintedAt ??= now;
		clearTimeout(file.timer);
		file.timer = undefined;
		checkSoon(path, Math.min(coalesceMs, Math.max(0, file.hintedAt + maxDelayFactor * coalesceMs - now)));
	}

	function checkSoon(path: string, delayMs: number): void {
		const file = files.get(path);
		if (file === undefined || file.timer !== undefined || closed) return;
		file.timer = setTimeout(() => {
			file.timer = undefined;
			file.hintedAt = undefined;
			check(file);
		}, delayMs);
		file.timer.unref();
	}

	function checkNow(file: Watched): void {
		clearTimeout(file.timer);
		file.timer = undefined;
		checkSoon(file.path, 0);
	}

	function check(file: Watched): void {
		file.looking = file.looking.then(() =>
			inTurn(async () => {
				if (!isWatched(file)) return;
				try {
					applyState(file, await fileState(file.path, file.state));
				} catch (error) {
					logger.warn(`watching ${file.path}: ${errorText(error)}`);
				}
			}),
		);
	}

	function applyState(file: Watched, now: FileState | undefined): void {
		if (!isWatched(file)) return;
		const before = file.state;
		if (now === undefined) {
			applyAbsence(file);
			return;
		}
		if (now.isEmpty && before?.isEmpty === false && !file.seemsGone) {
			waitForSecondHalf(file);
			return;
		}
		file.seemsGone = false;
		file.absentMs = firstAbsentMs;
		file.state = now;
		if (before?.identity !== now.identity) observeAgain(file);
		if (before === undefined) emit(file.path, 'created');
		else if (before.content !== now.content) emit(file.path, 'changed');
	}

	function applyAbsence(file: Watched): void {
		if (file.state !== undefined && !file.seemsGone) {
			waitForSecondHalf(file);
			return;
		}
		if (file.state !== undefined) emit(file.path, 'deleted');
		file.state = undefined;
		file.seemsGone = false;
		checkSoon(file.path, file.absentMs);
		file.absentMs = Math.min(file.absentMs * 2, maxAbsentMs);
	}

	function waitForSecondHalf(file: Watched): void {
		file.seemsGone = true;
		checkSoon(file.path, coalesceMs);
	}

	function observeAgain(file: Watched): void {
		if (!file.polled) observing().add(file.path);
	}

	function emit(path: string, change: FileChange): void {
		for (const listener of listeners) listener(path, change);
	}

	function isWatched(file: Watched): boolean {
		return !closed && files.get(file.path) === file;
	}

	/** Checks a file without reporting it: its present content is what the reader knows. */
	async function firstCheck(file: Watched): Promise<void> {
		const folder = dirname(file.path);
		if (folders.get(folder) === 'unknown') await checkFolder(folder, 'unknown', noNews());
		const now = await fileState(file.path);
		if (!isWatched(file)) return;
		file.state = now;
		if (now === undefined) checkSoon(file.path, firstAbsentMs);
		else if (!file.polled) observing().add(file.path);
	}

	async function sweep(): Promise<void> {
		const news = noNews();
		await Promise.all(
			[...folders].map(([folder, before]) => inTurn(() => checkFolder(folder, before, news))),
		);
		const present = new Set<string>();
		for (const file of files.values()) {
			const folder = dirname(file.path);
			present.add(folder);
			const mayHaveAppeared = file.state === undefined && news.changed.has(folder);
			if (file.polled || mayHaveAppeared || news.replaced.has(folder)) checkNow(file);
		}
		for (const folder of folders.keys()) if (!present.has(folder)) folders.delete(folder);
	}

	async function checkFolder(
		folder: string,
		before: FolderState | undefined | 'unknown',
		news: FolderNews,
	): Promise<void> {
		try {
			const now = await folderState(folder);
			folders.set(folder, now);
			if (before === 'unknown') return;
			if (now?.identity !== before?.identity) news.replaced.add(folder);
			else if (now?.entriesChangedAt !== before?.entriesChangedAt) news.changed.add(folder);
		} catch (error) {
			logger.debug(`watching ${folder}: ${errorText(error)}`);
		}
	}

	return {
		watch(path) {
			const known = files.get(path);
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
			files.set(path, file);
			if (!folders.has(dirname(path))) folders.set(dirname(path), 'unknown');
			file.looking = inTurn(() => firstCheck(file)).catch((error: unknown) => {
				logger.warn(`watching ${path}: ${errorText(error)}`);
			});
			return file.looking;
		},
		look: hint,
		unwatch(path) {
			const file = files.get(path);
			if (file === undefined) return;
			file.references -= 1;
			if (file.references > 0) return;
			clearTimeout(file.timer);
			files.delete(path);
			observer?.remove(path);
		},
		on(listener) {
			listeners.push(listener);
		},
		async close() {
			closed = true;
			clearInterval(sweeper);
			for (const file of files.values()) clearTimeout(file.timer);
			await observer?.close();
			await sweeping;
			await Promise.all([...files.values()].map((file) => file.looking));
		},
	};
}

/**
 * Returns a function that runs at most `atOnce` tasks at a time, in order of arrival.
 * This way thousands of files do not need thousands of descriptors.
 */
function inTurns(atOnce: number): <T>(work: () => Promise<T>) => Promise<T> {
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
