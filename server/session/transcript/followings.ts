/** The transcripts that are followed: each once, for all clients that ask for it. */

import { errorText, Failure } from '../../core/failure.ts';
import { createTurns } from '../../core/turns.ts';
import type { ClientContext } from '../clientContext.ts';
import type { SessionStore } from '../store/store.ts';
import type { Mirror } from './mirror.ts';
import type { OpenTranscript } from './reader.ts';
import { readOn } from './readOn.ts';

/** A transcript that is kept current. */
export interface Following {
	/** Those that asked for it; it ends with the last of them. */
	readonly clients: Set<ClientContext>;
	readonly transcript: OpenTranscript;
	readonly mirror: Mirror;
	/** Ends it; resolves when nothing more is written. */
	stop(): Promise<void>;
	/** Brings the session up to date now. */
	refresh(): Promise<void>;
}

/**
 * A transcript is followed until each client that asked for it has closed the session or is gone, or until the session is
 * deleted.
 */
export interface Followings {
	/** The following of a session. */
	get(sessionId: string): Following | undefined;
	/** The sessions that follow transcripts, by the paths of these. */
	byPath(): Map<string, string>;
	/** Follows a transcript for a client from now on. */
	begin(sessionId: string, client: ClientContext, transcript: OpenTranscript, mirror: Mirror): Following;
	/** Runs imports of one session one after the other. */
	inTurn<T>(sessionId: string, work: () => Promise<T>): Promise<T>;
	/** Ends the followings that only this client asked for. */
	leave(client: ClientContext): Promise<void>;
	stopAll(): Promise<void>;
}

/** Followings whose sessions are in a store. */
export function createFollowings(store: SessionStore): Followings {
	const { log } = store.world;
	const followings = new Map<string, Following>();

	function begin(
		sessionId: string,
		client: ClientContext,
		transcript: OpenTranscript,
		mirror: Mirror,
	): Following {
		const ending = new AbortController();
		let work: Promise<void> = Promise.resolve();
		let isWaiting = false;
		const refresh = (): Promise<void> => {
			if (isWaiting) return work;
			isWaiting = true;
			work = work.then(async () => {
				isWaiting = false;
				if (!ending.signal.aborted) await readOn(transcript, mirror, { signal: ending.signal });
			});
			return work;
		};
		const end = (): void => {
			const reason = `session "${sessionId}" was closed or deleted while its transcript was read`;
			ending.abort(new Failure('SessionNotFound', reason, { sessionId }));
			unwatch();
			if (followings.get(sessionId) === following) followings.delete(sessionId);
		};
		const unwatch = transcript.watch(() => {
			refresh().catch((error) => {
				if (ending.signal.aborted) return;
				log.warn(`${transcript.path} can no longer be followed: ${errorText(error)}`);
				following
					.stop()
					.catch((other) => log.warn(`${transcript.path} could not be closed: ${errorText(other)}`));
			});
		});
		const following: Following = {
			clients: new Set([client]),
			transcript,
			mirror,
			refresh,
			async stop() {
				end();
				await work.catch((error) => log.debug(`following ${transcript.path} ended: ${errorText(error)}`));
				await transcript.close();
			},
		};
		followings.set(sessionId, following);
		return following;
	}

	async function leave(following: Following, client: ClientContext): Promise<void> {
		if (following.clients.delete(client) && following.clients.size === 0) await following.stop();
	}

	store.onEnd(async (sessionId, client) => {
		const following = followings.get(sessionId);
		if (following) await (client ? leave(following, client) : following.stop());
	});

	return {
		get: (sessionId) => followings.get(sessionId),
		byPath: () => new Map([...followings].map(([id, { transcript }]) => [transcript.path, id])),
		begin,
		inTurn: createTurns(),
		async leave(client) {
			await Promise.all([...followings.values()].map((following) => leave(following, client)));
		},
		async stopAll() {
			await Promise.all([...followings.values()].map((following) => following.stop()));
		},
	};
}
