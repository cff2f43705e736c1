/** Notifies one client of changed figures, compactions, and changed files. */

import { type DidChangeFileParams, didChange, didChangeFile, didCompact } from '../protocol/push.ts';
import type { ClientContext } from '../session/clientContext.ts';
import type { SessionEvents } from '../session/services.ts';
import type { Session } from '../session/session.ts';
import { statsOf } from '../session/stats.ts';
import type { SessionStore } from '../session/store/store.ts';
import type { ConnectedClient } from './call/client.ts';

/** A subscriber to events of sessions and files. */
export interface ClientNotifier extends SessionEvents {
	/** A file of a session changed. */
	fileChanged(news: DidChangeFileParams): void;
}

/** Changes of one session or file within this time become one notification. Milliseconds. */
const debounceMs = 50;

/** Notifies a client; figures are computed with its settings. */
export function createClientNotifier(
	store: SessionStore,
	client: ClientContext,
	connection: () => ConnectedClient,
): ClientNotifier {
	const changed = new Set<string>();
	const changedFiles = new Map<string, DidChangeFileParams>();

	async function send(session: Session): Promise<void> {
		if (!changed.delete(session.id)) return;
		const stats = await statsOf(session, client);
		await connection().notify(didChange, { sessionId: session.id, stats });
	}

	function sendNow(sessionId: string): void {
		const session = store.open().find(({ id }) => id === sessionId);
		if (session) send(session).catch((error) => client.log.error(`${didChange.method}: ${error}`));
		else changed.delete(sessionId);
	}

	function sendFile(uri: string): void {
		const news = changedFiles.get(uri);
		changedFiles.delete(uri);
		if (news) void connection().notify(didChangeFile, news);
	}

	return {
		changed(sessionId) {
			if (changed.has(sessionId)) return;
			changed.add(sessionId);
			setTimeout(() => sendNow(sessionId), debounceMs).unref();
		},
		compacted(sessionId, result) {
			void connection().notify(didCompact, { sessionId, result });
		},
		// Sends now: later the session would have to be reopened for its figures.
		leaving: sendNow,
		fileChanged(news) {
			const before = changedFiles.get(news.uri);
			if (!before) setTimeout(() => sendFile(news.uri), debounceMs).unref();
			const sessionIds = [...new Set([...(before?.sessionIds ?? []), ...news.sessionIds])];
			changedFiles.set(news.uri, { ...news, sessionIds });
		},
	};
}
