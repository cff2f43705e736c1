/** Tracks file changes in git: uncommitted, staged, committed and stashed. */

import type { ShellFileChange } from './touches/shell/fileChanges.ts';

/** Maximum number of newest commits among which a reverted one is searched. */
const maxSearchedCommits = 20;

/** Whether two hashes, perhaps abbreviated, name the same commit. */
export function isSameCommit(one: string, other: string): boolean {
	return one !== '' && (one.startsWith(other) || other.startsWith(one));
}

/** Tracks changes of files through commits, stashes and reverts. The caller applies and undoes the changes. */
export class GitState<Change extends { path: string }> {
	#uncommitted: Change[] = [];
	readonly #uncommittedPaths = new Set<string>();
	/** For each staged file: the number of uncommitted changes at that time. Later changes of the file are not staged. */
	readonly #stagedCounts = new Map<string, number>();
	#stashed: Change[] = [];
	readonly #commits: { hash?: string; changes: Change[] }[] = [];
	readonly #committedPaths = new Set<string>();

	/** Adds an uncommitted change. */
	record(change: Change): void {
		this.#uncommitted.push(change);
		this.#uncommittedPaths.add(change.path);
	}

	/** Returns the paths of the uncommitted changes. */
	listUncommittedPaths(): ReadonlySet<string> {
		return this.#uncommittedPaths;
	}

	/** Returns the paths of the stashed changes, each once. */
	listStashedPaths(): string[] {
		return [...new Set(this.#stashed.map(({ path }) => path))];
	}

	/** Whether a file was ever part of a commit. */
	isCommitted(path: string): boolean {
		return this.#committedPaths.has(path);
	}

	/** Includes the uncommitted changes of some files in the next commit, and no others. O(uncommitted files). */
	stage(isSelected: (path: string) => boolean): void {
		for (const path of this.#uncommittedPaths)
			if (isSelected(path)) this.#stagedCounts.set(path, this.#uncommitted.length);
	}

	/** Leaves staged files out of the next commit. If none remains, it includes all. O(uncommitted files). */
	unstage(isSelected: (path: string) => boolean): void {
		for (const path of this.#stagedCounts.keys()) if (isSelected(path)) this.#stagedCounts.delete(path);
	}

	/** Records that files were committed, as `git status` shows. O(changes). */
	settle(isSettled: (path: string) => boolean): void {
		for (const { path } of this.#take((change) => isSettled(change.path))) this.#committedPaths.add(path);
	}

	/**
	 * Applies the effect of a git command; `isAffected` selects the changes that a restore, stash or clean affects. O(changes).
	 * Returns the changes to undo, newest first, and the changes to apply and record again.
	 */
	apply(
		command: ShellFileChange,
		isAffected: (change: Change) => boolean,
	): { undone: Change[]; redone: Change[] } {
		const { type } = command;
		if (type === 'committed') this.#commit(command.hash);
		if (type === 'uncommitted') for (const change of this.#commits.pop()?.changes ?? []) this.record(change);
		if (type === 'reverted') return { undone: this.#revert(command.hash), redone: [] };
		if (type === 'dropped') this.#stashed = [];
		if (type === 'unstashed') return { undone: [], redone: this.#stashed.splice(0) };
		if (type !== 'restored' && type !== 'stashed' && type !== 'cleaned') return { undone: [], redone: [] };
		const affectedChanges = this.#take(isAffected);
		if (type === 'stashed') this.#stashed = affectedChanges;
		return { undone: affectedChanges.toReversed(), redone: [] };
	}

	#commit(hash?: string): void {
		const counts = this.#stagedCounts;
		const included = this.#take(({ path }, index) => counts.size === 0 || index < (counts.get(path) ?? 0));
		counts.clear();
		for (const { path } of included) this.#committedPaths.add(path);
		this.#commits.push({ hash, changes: included });
	}

	/** Takes a commit back, the last one by default. Returns its changes of files that did not change later, newest first. */
	#revert(hash?: string): Change[] {
		const oldest = Math.max(0, this.#commits.length - maxSearchedCommits);
		const isNamed = (name = ''): boolean => hash === undefined || isSameCommit(name, hash);
		const offset = this.#commits.slice(oldest).findLastIndex((one) => isNamed(one.hash));
		if (offset < 0) return [];
		const [commit] = this.#commits.splice(oldest + offset, 1);
		const laterChanges = this.#commits.slice(oldest + offset).flatMap(({ changes }) => changes);
		const laterPaths = new Set(laterChanges.map(({ path }) => path));
		const isLast = ({ path }: Change): boolean => !laterPaths.has(path) && !this.#uncommittedPaths.has(path);
		return commit?.changes.filter(isLast).reverse() ?? [];
	}

	/** Removes the selected changes from the uncommitted ones, and returns them. */
	#take(isSelected: (change: Change, index: number) => boolean): Change[] {
		const taken = new Set(this.#uncommitted.filter(isSelected));
		this.#uncommitted = this.#uncommitted.filter((change) => !taken.has(change));
		this.#uncommittedPaths.clear();
		for (const { path } of this.#uncommitted) this.#uncommittedPaths.add(path);
		return [...taken];
	}
}
