/** What the daemon tells a client that asked to be told: changed figures, compactions, files that its sessions know. */

import type { ClientCapabilities } from '../protocol/capabilities.ts';
import { type DidChangeFileParams, didChange, didChangeFile, didCompact } from '../protocol/push.ts';
import type { Logger } from '../session/ports.ts';
import type { Session } from '../session/session.ts';
import { statsOf } from '../session/stats.ts';
import type { SessionStore } from '../session/store/store.ts';
import type { Events } from '../session/world.ts';
import type { ClientConnection } from './call/client.ts';

export interface Push {
	events: Events;
	/** Whether the client wants to be told. */
	initialize(client: ClientCapabilities): void;
	/** Where the figures come from. */
	watch(store: SessionStore): void;
}

/** Changes of one session or file that follow one another within this are told once. Milliseconds. */
const coalesced = 50;

export function createPush(client: () => ClientConnection, log: Logger): Push {
	let store: SessionStore | undefined;
	let wanted = false;
	const waiting = new Set<string>();

	async function tell(session: Session): Promise<void> {
		if (!waiting.delete(session.id)) return;
		const stats = await statsOf(session);
		await client().notify(didChange, { sessionId: session.id, stats });
	}

	function tellSoon(session: Session): void {
		tell(session).catch((error) => log.error(`${didChange.method}: ${error}`));
	}

	return {
		events: {
			changed(sessionId) {
				if (!wanted || waiting.has(sessionId)) return;
				waiting.add(sessionId);
				const timer = setTimeout(() => {
					const session = store?.open().find((one) => one.id === sessionId);
					if (session) tellSoon(session);
					else waiting.delete(sessionId);
				}, coalesced);
				timer.unref();
			},
			compacted(sessionId, result) {
				if (!wanted) return;
				void client().notify(didCompact, { sessionId, result });
			},
		},
		initialize({ notifications = false }) {
			wanted = notifications;
		},
		watch(from) {
			store = from;
			// What is about to leave memory is told now: the session would have to come back for it.
			from.onLeave((session) => tellSoon(session));
		},
	};
}

/** Gives what takes the news; where the client does not want to be told, it is told nothing. */
export function createFilePush(
	client: () => ClientConnection,
	isWanted: () => boolean,
): (news: DidChangeFileParams) => void {
	const waiting = new Map<string, DidChangeFileParams>();

	function tell(uri: string): void {
		const news = waiting.get(uri);
		waiting.delete(uri);
		if (news) void client().notify(didChangeFile, news);
	}

	return (news) => {
		if (!isWanted()) return;
		const before = waiting.get(news.uri);
		if (!before) setTimeout(() => tell(news.uri), coalesced).unref();
		const sessionIds = [...new Set([...(before?.sessionIds ?? []), ...news.sessionIds])];
		waiting.set(news.uri, { ...news, sessionIds });
	};
}
