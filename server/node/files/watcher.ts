import { dirname } from 'node:path';
import { errorText } from '../../core/failure.ts';
import type { FileChange } from '../../protocol/push.ts';
import type { FileWatcher } from '../../session/files/reader.ts';
import type { Logger } from '../../session/ports.ts';
import { type FileState, type FolderState, fileState, folderState } from './fileState.ts';
import { chokidarObserver, type Observer, type ObserverEvents } from './observer.ts';

export interface WatcherOptions {
	logger: Logger;
	/** Milliseconds in which several hints about one file count as one; default 75. */
	coalesceMs?: number;
	/** Milliseconds between looks at folders, and at files that the system does not watch; default 1 000. */
	sweepMs?: number;
	/** What gives the hints; default chokidar. */
	observe?: (events: ObserverEvents) => Observer;
}

interface Watched {
	path: string;
	references: number;
	/** Absent while there is no such file. */
	state?: FileState;
	/** It was gone or empty at the last look, which may be the moment between two halves of a replacement. */
	seemsGone: boolean;
	/** When the first hint since the last look came; milliseconds of a steady clock. */
	hintedAt?: number;
	timer?: NodeJS.Timeout;
	/** Looks follow one another. */
	looking: Promise<void>;
	/** Milliseconds until the next look for a file that is not there. */
	absentMs: number;
	polled: boolean;
}

/** Folders that are others than before, and folders in which something was made, removed or renamed. */
interface FolderNews {
	replaced: Set<string>;
	changed: Set<string>;
}

function noNews(): FolderNews {
	return { replaced: new Set(), changed: new Set() };
}

const filesAtOnce = 16;
const firstAbsentMs = 100;
const longestAbsentMs = 30_000;
/** So many times the coalescing time after the first hint, a file that is written on and on is looked at. */
const longestDelay = 4;

/**
 * Watches single files, never their folders' other files. A hint of the system only leads to a look: size,
 * time and file number first, then the content's hash, so a touch is no change. Files that are not there are
 * looked for, at growing distances up to half a minute; folders are looked at every second, because nobody
 * tells that a folder was replaced with the files in it, or that a file appeared in it. Where the system takes
 * no more watches, the file is looked at every second too, with one warning.
 */
export function createFileWatcher(options: WatcherOptions): FileWatcher {
	const { logger, coalesceMs = 75, sweepMs = 1_000, observe = chokidarObserver } = options;
	const files = new Map<string, Watched>();
	/** What each folder was at the last look; undefined where there was none. */
	const folders = new Map<string, FolderState | undefined | 'unknown'>();
	const listeners: ((path: string, change: FileChange) => void)[] = [];
	const inTurn = inTurns(filesAtOnce);
	let warned = false;
	let closed = false;
	let sweeping: Promise<void> = Promise.resolve();

	let observer: Observer | undefined;
	/** None is had before a file is watched: many a session knows none. */
	const observing = (): Observer => {
		observer ??= observe(hints);
		return observer;
	};
	const hints: ObserverEvents = {
		hint,
		exhausted(path) {
			const file = files.get(path);
			if (file) file.polled = true;
			if (!warned) logger.warn('The system watches no more files; the others are looked at every second.');
			warned = true;
		},
		failed: (error) => logger.warn(`Watching files: ${error.message}`),
	};
	const sweeper = setInterval(() => {
		sweeping = sweeping.then(sweep);
	}, sweepMs);
	sweeper.unref();

	/** Each further hint puts the look off, as long as the first is not too long ago. */
	function hint(path: string): void {
		const file = files.get(path);
		if (file === undefined) return;
		const now = performance.now();
		file.hintedAt ??= now;
		clearTimeout(file.timer);
		file.timer = undefined;
		lookSoon(path, Math.min(coalesceMs, Math.max(0, file.hintedAt + longestDelay * coalesceMs - now)));
	}

	function lookSoon(path: string, delayMs: number): void {
		const file = files.get(path);
		if (file === undefined || file.timer !== undefined || closed) return;
		file.timer = setTimeout(() => {
			file.timer = undefined;
			file.hintedAt = undefined;
			look(file);
		}, delayMs);
		file.timer.unref();
	}

	function lookNow(file: Watched): void {
		clearTimeout(file.timer);
		file.timer = undefined;
		lookSoon(file.path, 0);
	}

	function look(file: Watched): void {
		file.looking = file.looking.then(() =>
			inTurn(async () => {
				if (!isWatched(file)) return;
				try {
					settle(file, await fileState(file.path, file.state));
				} catch (error) {
					logger.warn(`Watching ${file.path}: ${errorText(error)}`);
				}
			}),
		);
	}

	function settle(file: Watched, now: FileState | undefined): void {
		if (!isWatched(file)) return;
		const before = file.state;
		if (now === undefined) {
			settleAbsent(file);
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

	function settleAbsent(file: Watched): void {
		if (file.state !== undefined && !file.seemsGone) {
			waitForSecondHalf(file);
			return;
		}
		if (file.state !== undefined) emit(file.path, 'deleted');
		file.state = undefined;
		file.seemsGone = false;
		lookSoon(file.path, file.absentMs);
		file.absentMs = Math.min(file.absentMs * 2, longestAbsentMs);
	}

	function waitForSecondHalf(file: Watched): void {
		file.seemsGone = true;
		lookSoon(file.path, coalesceMs);
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

	/** The first look, which tells nobody: what is there now is what the reader knows. */
	async function firstLook(file: Watched): Promise<void> {
		const folder = dirname(file.path);
		if (folders.get(folder) === 'unknown') await visit(folder, 'unknown', noNews());
		const now = await fileState(file.path);
		if (!isWatched(file)) return;
		file.state = now;
		if (now === undefined) lookSoon(file.path, firstAbsentMs);
		else if (!file.polled) observing().add(file.path);
	}

	async function sweep(): Promise<void> {
		const news = noNews();
		await Promise.all([...folders].map(([folder, before]) => inTurn(() => visit(folder, before, news))));
		const present = new Set<string>();
		for (const file of files.values()) {
			const folder = dirname(file.path);
			present.add(folder);
			const mayHaveCome = file.state === undefined && news.changed.has(folder);
			if (file.polled || mayHaveCome || news.replaced.has(folder)) lookNow(file);
		}
		for (const folder of folders.keys()) if (!present.has(folder)) folders.delete(folder);
	}

	async function visit(
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
			logger.debug(`Watching ${folder}: ${errorText(error)}`);
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
			file.looking = inTurn(() => firstLook(file)).catch((error: unknown) => {
				logger.warn(`Watching ${path}: ${errorText(error)}`);
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
 * Gives a function that runs work at most so many at a time, the rest in the order in which it came, so that
 * thousands of files do not need thousands of descriptors.
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
