/** What the daemon tells a client that asked to be told: changed figures, compactions. */

import type { ClientCapabilities } from '../protocol/capabilities.ts';
import { didChange, didCompact } from '../protocol/push.ts';
import type { Logger } from '../session/ports.ts';
import type { Session } from '../session/session.ts';
import { statsOf } from '../session/stats.ts';
import type { SessionStore } from '../session/store.ts';
import type { Events } from '../session/world.ts';
import type { ClientConnection } from './call/client.ts';

export interface Push {
	events: Events;
	/** Whether the client wants to be told. */
	initialize(client: ClientCapabilities): void;
	/** Where the figures come from. */
	watch(store: SessionStore): void;
}

/** Changes that follow one another within this are told once. Milliseconds. */
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
