import { FSWatcher } from 'chokidar';

/** Hints that something may have happened to files; the watcher then checks what. */
export interface Observer {
	/** Starts hints about an existing file; call it again if the file was replaced. */
	add(path: string): void;
	remove(path: string): void;
	close(): Promise<void>;
}

export interface ObserverEvents {
	hint(path: string): void;
	/** The system has run out of watches, so changes to this path are not reported. */
	exhausted(path: string): void;
	failed(error: Error): void;
}

/**
 * Maximum files per watcher, and forgotten files before a watcher is replaced.
 *
 * chokidar remembers each path that it no longer watches, and searches all of them at each event.
 */
const filesPerWatcher = 64;

interface Group {
	watcher: FSWatcher;
	live: Set<string>;
	forgotten: number;
}

/** Watches single files with the system's own means; never a folder, and thus never a tree. */
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

	function groupWithCapacity(): Group {
		const newest = [...groups].at(-1);
		return newest !== undefined && newest.live.size < filesPerWatcher ? newest : start(new Set());
	}

	return {
		add(path) {
			const known = groupOf.get(path);
			if (known !== undefined) known.watcher.unwatch(path);
			const group = known ?? groupWithCapacity();
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
			if (group.live.size > 0 && group.forgotten < filesPerWatcher) return;
			stop(group);
			if (group.live.size > 0) start(group.live);
		},
		async close() {
			for (const group of groups) stop(group);
			await Promise.all(closing);
		},
	};
}

/** The path for which the system had no watch (ENOSPC) or no descriptor (EMFILE) left. */
function exhaustedPath(error: Error): string | undefined {
	if (!('code' in error) || !('path' in error)) return undefined;
	return error.code === 'ENOSPC' || error.code === 'EMFILE' ? String(error.path) : undefined;
}
