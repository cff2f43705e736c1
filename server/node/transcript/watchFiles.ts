import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';

/** Milliseconds in which several changes count as one. */
const coalesceMs = 80;
/** Milliseconds between two calls for files that keep changing: each costs a read, and wakes three threads. */
const minIntervalMs = 500;
/** Milliseconds between looks at the files, because the system sometimes misses a change. */
const lookMs = 1_000;

/**
 * Calls back within 80 ms after a file or folder may have changed, and every 500 ms while it keeps changing; after the last
 * change too. For files that only grow: looks at their size and time, and reads nothing. Returns what ends the watch.
 */
export function watchFiles(paths: readonly string[], changed: () => void): () => void {
	const states = new Map<string, string>();
	const watchers = new Map<string, FSWatcher>();
	let hint: NodeJS.Timeout | undefined;
	let calledAt = Number.NEGATIVE_INFINITY;
	let ended = false;

	const tell = (): void => {
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

	/** A watch that the system refuses or drops is not missed: the looks go on. */
	const observe = (path: string): void => {
		if (ended || watchers.has(path)) return;
		try {
			const watcher = watch(path, { persistent: false }, (event) => {
				// Another file may lie there now: this watch is still on the old one.
				if (event === 'rename') forget(path);
				tell();
			});
			watcher.on('error', () => forget(path));
			watchers.set(path, watcher);
		} catch {
			forget(path);
		}
	};

	const look = async (): Promise<void> => {
		for (const path of paths) {
			const state = await stateOf(path);
			const before = states.get(path);
			states.set(path, state);
			if (before !== undefined && before !== state) tell();
			if (state !== '') observe(path);
		}
	};

	void look();
	const looks = setInterval(() => void look(), lookMs);
	looks.unref();
	return () => {
		ended = true;
		clearTimeout(hint);
		clearInterval(looks);
		for (const path of paths) forget(path);
	};
}

/** Size, time and number of a file; empty while it cannot be looked at. */
async function stateOf(path: string): Promise<string> {
	const stats = await stat(path).catch(() => undefined);
	return stats === undefined ? '' : `${stats.ino}:${stats.size}:${stats.mtimeMs}`;
}
