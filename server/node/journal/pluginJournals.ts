/** Journals of a command: sessions that plugins feed are on disk, all others are its own. */

import { pluginAgentOf } from '../../core/transcript/plugins.ts';
import type { JournalStore } from '../../session/ports.ts';

/**
 * Returns a store that reaches the sessions that plugins feed in `fed`, and every other session in `own`.
 * @param fed as a daemon stores them; only those that plugins feed are listed
 */
export function withPluginSessions(own: JournalStore, fed: JournalStore): JournalStore {
	const of = (sessionId: string): JournalStore => (pluginAgentOf(sessionId) === undefined ? own : fed);
	return {
		has: (sessionId) => of(sessionId).has(sessionId),
		modifiedAt: (sessionId) => of(sessionId).modifiedAt(sessionId),
		create: (sessionId) => of(sessionId).create(sessionId),
		open: (sessionId, each) => of(sessionId).open(sessionId, each),
		readOnly: (sessionId, each) => of(sessionId).readOnly(sessionId, each),
		scan: (sessionId, each) => of(sessionId).scan(sessionId, each),
		delete: (sessionId) => of(sessionId).delete(sessionId),
		async list() {
			const stored = await fed.list();
			return [...(await own.list()), ...stored.filter(({ sessionId }) => of(sessionId) === fed)];
		},
	};
}
