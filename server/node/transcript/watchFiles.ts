import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';

/** Several changes within this many milliseconds lead to one call. */
const coalesceMs = 80;
/** Minimum milliseconds between two calls for files that keep changing: a call costs a read and activity in three threads. */
const minIntervalMs = 500;
/** Milliseconds between two checks of the files, because the system sometimes misses a change. */
const checkMs = 1_000;

/**
 * Calls `onChange` within 80 ms after a file or folder may have changed, every 500 ms while it keeps changing, and after the
 * last change. Checks only size and time, which suffices for files that only grow. Returns a function that ends the watch.
 */
export function watchFiles(paths: readonly string[], onChange: () => void): () => void {
	const states = new Map<string, string>();
	const watchers = new Map<string, FSWatcher>();
	let hint: NodeJS.Timeout | undefined;
	let calledAt = Number.NEGATIVE_INFINITY;
	let isEnded = false;

	const scheduleCall = (): void => {
		if (isEnded) return;
		const remainingMs = calledAt + minIntervalMs - performance.now();
		hint ??= setTimeout(
			() => {
				hint = undefined;
				calledAt = performance.now();
				onChange();
			},
			Math.max(coalesceMs, remainingMs),
		);
		hint.unref();
	};

	const stopWatching = (path: string): void => {
		watchers.get(path)?.close();
		watchers.delete(path);
	};

	/** Starts watching a path. If the system refuses or ends the watch, the regular checks continue. */
	const observe = (path: string): void => {
		if (isEnded || watchers.has(path)) return;
		try {
			const watcher = watch(path, { persistent: false }, (event) => {
				// The path may now belong to another file, while the old file is still watched.
				if (event === 'rename') stopWatching(path);
				scheduleCall();
			});
			watcher.on('error', () => stopWatching(path));
			watchers.set(path, watcher);
		} catch {
			stopWatching(path);
		}
	};

	const check = async (): Promise<void> => {
		for (const path of paths) {
			const state = await readState(path);
			const before = states.get(path);
			states.set(path, state);
			if (before !== undefined && before !== state) scheduleCall();
			if (state !== '') observe(path);
		}
	};

	void check();
	const checks = setInterval(() => void check(), checkMs);
	checks.unref();
	return () => {
		isEnded = true;
		clearTimeout(hint);
		clearInterval(checks);
		for (const path of paths) stopWatching(path);
	};
}

/** Returns inode number, size and time of a file as text; empty if the file cannot be inspected. */
async function readState(path: string): Promise<string> {
	const stats = await stat(path).catch(() => undefined);
	return stats === undefined ? '' : `${stats.ino}:${stats.size}:${stats.mtimeMs}`;
}
