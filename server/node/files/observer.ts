import { FSWatcher } from 'chokidar';

/** Hints that something may have happened to files; what it was is for the one who looks. */
export interface Observer {
	/** Starts giving hints about a file that is there; anew, where it is another file than before. */
	add(path: string): void;
	remove(path: string): void;
	close(): Promise<void>;
}

export interface ObserverEvents {
	hint(path: string): void;
	/** The system takes no more watches: this path will give no hints. */
	exhausted(path: string): void;
	failed(error: Error): void;
}

/**
 * chokidar remembers each path that it no longer watches and looks through them all at each event, so the
 * files are dealt out to watchers of this many, and one that has forgotten as many is replaced.
 */
const filesAWatcher = 64;

interface Group {
	watcher: FSWatcher;
	live: Set<string>;
	forgotten: number;
}

/** Watches single files by the system's own means; never a folder, so never a tree. */
export function chokidarObserver(events: ObserverEvents): Observer {
	const groups = new Set<Group>();
	const groupOf = new Map<string, Group>();
	const closing = new Set<Promise<void>>();

	function start(live: Set<string>): Group {
		const watcher = new FSWatcher({
			atomic: false,
			depth: 0,
			ignorePermissionErrors: true,
			ignored: (path) => !live.has(path),
		});
		watcher.on('all', (_event, path) => events.hint(path));
		watcher.on('error', (error) => report(error instanceof Error ? error : new Error(String(error))));
		const group = { watcher, live, forgotten: 0 };
		groups.add(group);
		for (const path of live) groupOf.set(path, group);
		if (live.size > 0) watcher.add([...live]);
		return group;
	}

	function stop(group: Group): void {
		groups.delete(group);
		const closed = group.watcher.close().finally(() => closing.delete(closed));
		closing.add(closed);
	}

	function report(error: Error): void {
		const path = exhaustedPath(error);
		if (path === undefined) events.failed(error);
		else events.exhausted(path);
	}

	function groupWithRoom(): Group {
		const newest = [...groups].at(-1);
		return newest !== undefined && newest.live.size < filesAWatcher ? newest : start(new Set());
	}

	return {
		add(path) {
			const known = groupOf.get(path);
			if (known !== undefined) known.watcher.unwatch(path);
			const group = known ?? groupWithRoom();
			group.live.add(path);
			groupOf.set(path, group);
			group.watcher.add(path);
		},
		remove(path) {
			const group = groupOf.get(path);
			if (group === undefined) return;
			groupOf.delete(path);
			group.live.delete(path);
			group.watcher.unwatch(path);
			group.forgotten += 1;
			if (group.live.size > 0 && group.forgotten < filesAWatcher) return;
			stop(group);
			if (group.live.size > 0) start(group.live);
		},
		async close() {
			for (const group of groups) stop(group);
			await Promise.all(closing);
		},
	};
}

/** The path for which no watch (ENOSPC) or no descriptor (EMFILE) was left. */
function exhaustedPath(error: Error): string | undefined {
	if (!('code' in error) || !('path' in error)) return undefined;
	return error.code === 'ENOSPC' || error.code === 'EMFILE' ? String(error.path) : undefined;
}
