/** Journals that another process owns. */

import { Failure } from '../../core/failure.ts';
import type { JournalStore } from '../../session/ports.ts';

/**
 * Returns a store that only reads: whatever writes fails with `SessionLocked`.
 * @param owner who may write, as a clause for the error
 */
export function readOnlyJournals(journals: JournalStore, owner: string): JournalStore {
	const refuse = async (sessionId: string): Promise<never> => {
		throw new Failure('SessionLocked', `session "${sessionId}" can only be read here: ${owner}`, {
			sessionId,
		});
	};
	return { ...journals, open: refuse, create: refuse, delete: refuse };
}
