import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';

export interface WatchTimes {
	/** Milliseconds in which several changes count as one. */
	coalesceMs: number;
	/** Milliseconds between looks at the files, because the system forgets to tell of some changes. */
	lookMs: number;
}

const usualTimes: WatchTimes = { coalesceMs: 80, lookMs: 1_000 };

/**
 * Calls back soon after a file or folder may have changed, by what the system tells and by its size and time.
 * For files that only grow: unlike a watcher of contents it reads nothing. Gives what ends it.
 */
export function watchFiles(
	paths: readonly string[],
	changed: () => void,
	{ coalesceMs, lookMs }: WatchTimes = usualTimes,
): () => void {
	const states = new Map<string, string>();
	const watchers = new Map<string, FSWatcher>();
	let hint: NodeJS.Timeout | undefined;
	let ended = false;

	const tell = (): void => {
		if (ended) return;
		hint ??= setTimeout(() => {
			hint = undefined;
			changed();
		}, coalesceMs);
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
