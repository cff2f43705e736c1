/** Tracks file changes in git: uncommitted, committed and stashed. */

import type { ShellFileChange } from './touches/shell/fileChanges.ts';

/** Tracks changes of files through commits, stashes and reverts. The caller applies and undoes the changes. */
export class GitState<Change extends { path: string }> {
	#uncommitted: Change[] = [];
	#stashed: Change[] = [];
	readonly #commits: Change[][] = [];
	readonly #committedPaths = new Set<string>();

	/** Adds an uncommitted change. */
	record(change: Change): void {
		this.#uncommitted.push(change);
	}

	/** Whether a file was ever part of a commit. */
	isCommitted(path: string): boolean {
		return this.#committedPaths.has(path);
	}

	/**
	 * Applies the effect of a git command; `isAffected` selects the changes that a restore, stash or clean affects. O(changes).
	 * Returns the changes to undo, newest first, and the changes to apply and record again.
	 */
	apply(
		type: ShellFileChange['type'],
		isAffected: (change: Change) => boolean,
	): { undone: Change[]; redone: Change[] } {
		if (type === 'committed') {
			for (const { path } of this.#uncommitted) this.#committedPaths.add(path);
			this.#commits.push(this.#uncommitted.splice(0));
		}
		if (type === 'reverted') return { undone: this.#commits.pop()?.reverse() ?? [], redone: [] };
		if (type === 'unstashed') return { undone: [], redone: this.#stashed.splice(0) };
		if (type !== 'restored' && type !== 'stashed' && type !== 'cleaned') return { undone: [], redone: [] };
		const affectedChanges = this.#uncommitted.filter(isAffected);
		this.#uncommitted = this.#uncommitted.filter((change) => !isAffected(change));
		if (type === 'stashed') this.#stashed = affectedChanges;
		return { undone: affectedChanges.toReversed(), redone: [] };
	}
}
