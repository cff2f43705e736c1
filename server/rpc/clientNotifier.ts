/** Notifies one client of changed stats, compactions and changed files. */

import { type DidChangeFileParams, didChange, didChangeFile, didCompact } from '../protocol/push.ts';
import type { ClientContext } from '../session/clientContext.ts';
import type { SessionEvents } from '../session/services.ts';
import type { Session } from '../session/session.ts';
import { readStats } from '../session/stats.ts';
import type { SessionStore } from '../session/store/store.ts';
import type { ConnectedClient } from './call/client.ts';

/** A subscriber to events of sessions and files. */
export interface ClientNotifier extends SessionEvents {
	/** Notifies the client that a file of a session has changed. */
	notifyFileChange(params: DidChangeFileParams): void;
}

/** Milliseconds within which changes of one session or file become one notification. */
const debounceMs = 50;

/** Returns a notifier for one client; the stats that it sends depend on the client's settings. */
export function createClientNotifier(
	store: SessionStore,
	client: ClientContext,
	getConnectedClient: () => ConnectedClient,
): ClientNotifier {
	const changedSessionIds = new Set<string>();
	const changedFiles = new Map<string, DidChangeFileParams>();

	async function notifyChange(session: Session): Promise<void> {
		if (!changedSessionIds.delete(session.id)) return;
		const stats = await readStats(session, client);
		await getConnectedClient().notify(didChange, { sessionId: session.id, stats });
	}

	function notifyChangeNow(sessionId: string): void {
		const session = store.listOpen().find(({ id }) => id === sessionId);
		if (session) notifyChange(session).catch((error) => client.log.error(`${didChange.method}: ${error}`));
		else changedSessionIds.delete(sessionId);
	}

	function notifyFileChangeNow(uri: string): void {
		const params = changedFiles.get(uri);
		changedFiles.delete(uri);
		if (params) void getConnectedClient().notify(didChangeFile, params);
	}

	return {
		notifyChanged(sessionId) {
			if (changedSessionIds.has(sessionId)) return;
			changedSessionIds.add(sessionId);
			setTimeout(() => notifyChangeNow(sessionId), debounceMs).unref();
		},
		notifyCompacted(sessionId, result) {
			void getConnectedClient().notify(didCompact, { sessionId, result });
		},
		// Not delayed, because a later notification would have to reopen the session for its stats.
		notifyLeaving: notifyChangeNow,
		notifyFileChange(params) {
			const pendingParams = changedFiles.get(params.uri);
			if (!pendingParams) setTimeout(() => notifyFileChangeNow(params.uri), debounceMs).unref();
			const sessionIds = [...new Set([...(pendingParams?.sessionIds ?? []), ...params.sessionIds])];
			changedFiles.set(params.uri, { ...params, sessionIds });
		},
	};
}
