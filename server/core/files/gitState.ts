/** Tracks file changes in git: uncommitted, staged, committed and stashed. */

import type { ShellFileChange } from './touches/shell/fileChanges.ts';

/** Tracks changes of files through commits, stashes and reverts. The caller applies and undoes the changes. */
export class GitState<Change extends { path: string }> {
	#uncommitted: Change[] = [];
	/** The uncommitted changes that the next commit includes; if there are none, it includes all. */
	readonly #staged = new Set<Change>();
	#stashed: Change[] = [];
	readonly #commits: Change[][] = [];
	readonly #committedPaths = new Set<string>();

	/** Adds an uncommitted change. */
	record(change: Change): void {
		this.#uncommitted.push(change);
	}

	/** Returns the paths of the uncommitted changes. */
	listUncommittedPaths(): Set<string> {
		return new Set(this.#uncommitted.map(({ path }) => path));
	}

	/** Whether a file was ever part of a commit. */
	isCommitted(path: string): boolean {
		return this.#committedPaths.has(path);
	}

	/**
	 * Applies the effect of a git command; `isAffected` selects the changes that a command other than a commit affects. O(changes).
	 * Returns the changes to undo, newest first, and the changes to apply and record again.
	 */
	apply(
		type: ShellFileChange['type'],
		isAffected: (change: Change) => boolean,
	): { undone: Change[]; redone: Change[] } {
		if (type === 'staged')
			for (const change of this.#uncommitted.filter(isAffected)) this.#staged.add(change);
		if (type === 'unstaged')
			for (const change of [...this.#staged].filter(isAffected)) this.#staged.delete(change);
		if (type === 'committed') this.#commit();
		if (type === 'reverted') return { undone: this.#commits.pop()?.reverse() ?? [], redone: [] };
		if (type === 'unstashed') return { undone: [], redone: this.#stashed.splice(0) };
		if (type !== 'restored' && type !== 'stashed' && type !== 'cleaned') return { undone: [], redone: [] };
		const affectedChanges = this.#uncommitted.filter(isAffected);
		this.#uncommitted = this.#uncommitted.filter((change) => !isAffected(change));
		if (type === 'stashed') this.#stashed = affectedChanges;
		return { undone: affectedChanges.toReversed(), redone: [] };
	}

	#commit(): void {
		const isIncluded = (change: Change): boolean => this.#staged.size === 0 || this.#staged.has(change);
		const included = this.#uncommitted.filter(isIncluded);
		this.#uncommitted = this.#uncommitted.filter((change) => !isIncluded(change));
		this.#staged.clear();
		for (const { path } of included) this.#committedPaths.add(path);
		this.#commits.push(included);
	}
}
