import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';

/** Milliseconds within which several changes count as one. */
const coalesceMs = 80;
/** Minimum milliseconds between calls for files that keep changing: each call costs a read and wakes three threads. */
const minIntervalMs = 500;
/** Milliseconds between checks of the files, since the system sometimes misses a change. */
const checkMs = 1_000;

/**
 * Calls back within 80 ms after a file or folder may have changed, and every 500 ms while it keeps changing.
 *
 * Also calls after the last change. For files that only grow: checks size and time, and reads nothing. Returns a function
 * that ends the watch.
 */
export function watchFiles(paths: readonly string[], changed: () => void): () => void {
	const states = new Map<string, string>();
	const watchers = new Map<string, FSWatcher>();
	let hint: NodeJS.Timeout | undefined;
	let calledAt = Number.NEGATIVE_INFINITY;
	let ended = false;

	const scheduleCall = (): void => {
		if (ended) return;
		const remainingMs = calledAt + minIntervalMs - performance.now();
		hint ??= setTimeout(
			() => {
				hint = undefined;
				calledAt = performance.now();
				changed();
			},
			Math.max(coalesceMs, remainingMs),
		);
		hint.unref();
	};

	const forget = (path: string): void => {
		watchers.get(path)?.close();
		watchers.delete(path);
	};

	/** Starts a watch. If the system refuses or drops it, the regular checks continue. */
	const observe = (path: string): void => {
		if (ended || watchers.has(path)) return;
		try {
			const watcher = watch(path, { persistent: false }, (event) => {
				// Another file may be at this path now, while the watch is on the old one.
				if (event === 'rename') forget(path);
				scheduleCall();
			});
			watcher.on('error', () => forget(path));
			watchers.set(path, watcher);
		} catch {
			forget(path);
		}
	};

	const check = async (): Promise<void> => {
		for (const path of paths) {
			const state = await stateOf(path);
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
		ended = true;
		clearTimeout(hint);
		clearInterval(checks);
		for (const path of paths) forget(path);
	};
}

/** Size, time and number of a file; empty if it cannot be inspected. */
async function stateOf(path: string): Promise<string> {
	const stats = await stat(path).catch(() => undefined);
	return stats === undefined ? '' : `${stats.ino}:${stats.size}:${stats.mtimeMs}`;
}
