/** What a daemon said that it keeps. */
export interface Acknowledged {
	/** A request is about to be sent; what it gives is to be told of the answer. */
	sending(method: string, params: unknown): (result: unknown) => void;
	/** Of every session, what was acknowledged and is not among its messages. */
	missing(sessions: ReadonlyMap<string, readonly { id?: string }[]>): { sessionId: string; lost: string[] }[];
	forget(): void;
}

/** Every text within these params, wherever it stands. */
function textsIn(params: unknown): string[] {
	const quoted = JSON.stringify(params ?? null).match(/"(?:[^"\\]|\\.)*"/g) ?? [];
	return quoted.map((text) => JSON.parse(text) as string);
}

/** Nothing acknowledged yet. */
export function createAcknowledged(): Acknowledged {
	let kept = new Map<string, Set<string>>();
	/** Grows when a session may have been deleted. */
	const lives = new Map<string, number>();
	const lifeOf = (sessionId: string): number => lives.get(sessionId) ?? 0;
	const end = (sessionIds: readonly string[]): void => {
		for (const sessionId of sessionIds) {
			lives.set(sessionId, lifeOf(sessionId) + 1);
			kept.delete(sessionId);
		}
	};
	return {
		sending(method, params) {
			if (method === 'session/delete') {
				const named = textsIn(params);
				end(named);
				// Another daemon may acknowledge an append that is carried out before the deletion that was sent before it.
				return () => end(named);
			}
			const [only] = Array.isArray(params) ? params : [params];
			const sessionId = (only as { sessionId?: unknown } | null | undefined)?.sessionId;
			if (method !== 'session/append' || typeof sessionId !== 'string') return () => undefined;
			const life = lifeOf(sessionId);
			return (result) => {
				const { messageIds = [] } = (result ?? {}) as { messageIds?: string[] };
				if (life !== lifeOf(sessionId)) return;
				const ids = kept.get(sessionId) ?? new Set();
				kept.set(sessionId, ids);
				for (const id of messageIds) ids.add(id);
			};
		},
		missing(sessions) {
			return [...kept].flatMap(([sessionId, ids]) => {
				const there = new Set(sessions.get(sessionId)?.map(({ id }) => id));
				const lost = [...ids].filter((id) => !there.has(id));
				return lost.length > 0 ? [{ sessionId, lost }] : [];
			});
		},
		forget() {
			kept = new Map();
		},
	};
}
