/** Makes journals read-only while another process owns the state folder. */

import { Failure } from '../core/failure.ts';
import type { JournalStore } from '../session/ports.ts';

/**
 * Creates a store that is read-only while another process owns the folder: writes fail with `SessionLocked`.
 * @param otherOwner resolves with a clause that names the other process; undefined if this process may write
 */
export function createOwnedJournals(
	journals: JournalStore,
	otherOwner: () => Promise<string | undefined>,
): JournalStore {
	async function confirmOwner(sessionId: string): Promise<void> {
		const owner = await otherOwner();
		if (owner === undefined) return;
		const reason = `session "${sessionId}" is read-only here: ${owner}`;
		throw new Failure('SessionLocked', reason, { sessionId });
	}

	return {
		...journals,
		async create(sessionId) {
			await confirmOwner(sessionId);
			return journals.create(sessionId);
		},
		async open(sessionId, visit) {
			await confirmOwner(sessionId);
			return journals.open(sessionId, visit);
		},
		async delete(sessionId) {
			await confirmOwner(sessionId);
			await journals.delete(sessionId);
		},
	};
}
