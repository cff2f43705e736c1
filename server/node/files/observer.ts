import { FSWatcher } from 'chokidar';

/** Gives hints that files may have changed; the watcher then checks these files. */
export interface Observer {
	/** Begins to give hints about an existing file. Must be called again if the file was replaced. */
	add(path: string): void;
	remove(path: string): void;
	close(): Promise<void>;
}

export interface ObserverEvents {
	onHint(path: string): void;
	/** Called if the system has no watches left, so that changes of this path are not reported. */
	onExhausted(path: string): void;
	onFailure(error: Error): void;
}

/**
 * Maximum files of a watcher, and the number of removed files after which a watcher is replaced.
 *
 * chokidar remembers all paths that it no longer watches, and searches them at each event.
 */
const filesPerWatcher = 64;

interface Group {
	watcher: FSWatcher;
	livePaths: Set<string>;
	forgottenCount: number;
}

/** Creates an observer that watches single files with the system's file watches. Never watches folders. */
export function createChokidarObserver(events: ObserverEvents): Observer {
	const groups = new Set<Group>();
	const groupByPath = new Map<string, Group>();
	const closing = new Set<Promise<void>>();

	function start(live: Set<string>): Group {
		const watcher = new FSWatcher({
			atomic: false,
			depth: 0,
			ignorePermissionErrors: true,
			ignored: (path) => !live.has(path),
		});
		watcher.on('all', (_event, path) => events.onHint(path));
		watcher.on('error', (error) => report(error instanceof Error ? error : new Error(String(error))));
		const group = { watcher, livePaths: live, forgottenCount: 0 };
		groups.add(group);
		for (const path of live) groupByPath.set(path, group);
		if (live.size > 0) watcher.add([...live]);
		return group;
	}

	function stop(group: Group): void {
		groups.delete(group);
		const closed = group.watcher.close().finally(() => closing.delete(closed));
		closing.add(closed);
	}

	function report(error: Error): void {
		const path = findExhaustedPath(error);
		if (path === undefined) events.onFailure(error);
		else events.onExhausted(path);
	}

	function getGroupWithCapacity(): Group {
		const newest = [...groups].at(-1);
		return newest !== undefined && newest.livePaths.size < filesPerWatcher ? newest : start(new Set());
	}

	return {
		add(path) {
			const oldGroup = groupByPath.get(path);
			if (oldGroup !== undefined) oldGroup.watcher.unwatch(path);
			const group = oldGroup ?? getGroupWithCapacity();
			group.livePaths.add(path);
			groupByPath.set(path, group);
			group.watcher.add(path);
		},
		remove(path) {
			const group = groupByPath.get(path);
			if (group === undefined) return;
			groupByPath.delete(path);
			group.livePaths.delete(path);
			group.watcher.unwatch(path);
			group.forgottenCount += 1;
			if (group.livePaths.size > 0 && group.forgottenCount < filesPerWatcher) return;
			stop(group);
			if (group.livePaths.size > 0) start(group.livePaths);
		},
		async close() {
			for (const group of groups) stop(group);
			await Promise.all(closing);
		},
	};
}

/** Returns the path for which the system had no watch (ENOSPC) or descriptor (EMFILE) left; undefined for other errors. */
function findExhaustedPath(error: Error): string | undefined {
	if (!('code' in error) || !('path' in error)) return undefined;
	return error.code === 'ENOSPC' || error.code === 'EMFILE' ? String(error.path) : undefined;
}
