/** What was chosen by hand to be shown, folder by folder, kept across restarts. */

import type { Memento } from 'vscode';
import type { SessionPick, Subject } from './sessions.ts';

const key = 'contextd.sessionChoices';

export interface SessionPicks {
	/** The choice for a folder, by its URI; null where whatever is the newest is shown. */
	of(folder: string): SessionPick | null;
	/** Keeps a choice, or takes it back with null. */
	keep(folder: string, subject: Subject | null): Promise<void>;
}

/** The choices in the memory of a workspace. */
export function createSessionPicks(memory: Memento): SessionPicks {
	const all = () => memory.get<Record<string, SessionPick>>(key, {});
	return {
		of: (folder) => all()[folder] ?? null,
		async keep(folder, subject) {
			const { [folder]: _, ...others } = all();
			await memory.update(key, subject ? { ...others, [folder]: { ...subject, at: Date.now() } } : others);
		},
	};
}
