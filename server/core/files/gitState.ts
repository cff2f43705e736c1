/** What git knows of changes to files: those since the last commit, those of each commit, and those put aside. */

import type { FileChange } from './touches/shell/fileChanges.ts';

/** Follows changes through commits, stashes and reverts. The caller makes and takes back what each change did. */
export class GitState<Change extends { path: string }> {
	private uncommitted: Change[] = [];
	private stashed: Change[] = [];
	private readonly commits: Change[][] = [];
	private readonly committedPaths = new Set<string>();

	/** Adds a change that was not committed yet. */
	record(change: Change): void {
		this.uncommitted.push(change);
	}

	/** Whether a file was ever part of a commit. */
	isCommitted(path: string): boolean {
		return this.committedPaths.has(path);
	}

	/**
	 * Applies what a command did; `isMeant` says which changes a restore or a stash takes. Returns the changes to take back,
	 * newest first, and those to make and record again. O(changes).
	 */
	apply(
		type: FileChange['type'],
		isMeant: (change: Change) => boolean,
	): { undone: Change[]; redone: Change[] } {
		if (type === 'committed') {
			for (const { path } of this.uncommitted) this.committedPaths.add(path);
			this.commits.push(this.uncommitted.splice(0));
		}
		if (type === 'reverted') return { undone: this.commits.pop()?.reverse() ?? [], redone: [] };
		if (type === 'unstashed') return { undone: [], redone: this.stashed.splice(0) };
		if (type !== 'restored' && type !== 'stashed') return { undone: [], redone: [] };
		const taken = this.uncommitted.filter(isMeant);
		this.uncommitted = this.uncommitted.filter((change) => !isMeant(change));
		if (type === 'stashed') this.stashed = taken;
		return { undone: taken.toReversed(), redone: [] };
	}
}
