/** Follows each transcript once, for all clients that requested it. */

import { errorText, Failure } from '../../core/failure.ts';
import { createTaskQueues } from '../../core/taskQueues.ts';
import type { ClientContext } from '../clientContext.ts';
import type { SessionStore } from '../store/store.ts';
import type { Mirror } from './mirror.ts';
import type { OpenTranscript } from './reader.ts';
import { readNewChunks } from './readNew.ts';

/** A transcript that is followed, and the session that is kept equal to it. */
export interface MirroredTranscript {
	/** Clients that requested the following, which ends when the last of them leaves. */
	readonly clients: Set<ClientContext>;
	readonly transcript: OpenTranscript;
	readonly mirror: Mirror;
	/** Stops following; resolves when nothing more will be written. */
	stop(): Promise<void>;
	/** Brings the session up to date now. */
	refresh(): Promise<void>;
}

/**
 * Starts, finds and ends the following of transcripts.
 *
 * A following ends when every client that requested it has closed the session or disconnected, or when the session is
 * deleted.
 */
export interface TranscriptFollowings {
	/** Returns the following of a session; undefined if its transcript is not followed. */
	get(sessionId: string): MirroredTranscript | undefined;
	/** Returns the ids of the sessions whose transcripts are followed, by transcript path. */
	listByPath(): Map<string, string>;
	/** Starts following a transcript for a client. */
	startFollowing(
		sessionId: string,
		client: ClientContext,
		transcript: OpenTranscript,
		mirror: Mirror,
	): MirroredTranscript;
	/** Runs the imports of a session one at a time. */
	runInTurn<T>(sessionId: string, work: () => Promise<T>): Promise<T>;
	/** Ends the followings that only this client requested. */
	leave(client: ClientContext): Promise<void>;
	stopAll(): Promise<void>;
}

/** Creates the followings for a store's sessions. */
export function createFollowings(store: SessionStore): TranscriptFollowings {
	const { log } = store.services;
	const followings = new Map<string, MirroredTranscript>();

	function startFollowing(
		sessionId: string,
		client: ClientContext,
		transcript: OpenTranscript,
		mirror: Mirror,
	): MirroredTranscript {
		const ending = new AbortController();
		let work: Promise<void> = Promise.resolve();
		let isWaiting = false;
		const refresh = (): Promise<void> => {
			if (isWaiting) return work;
			isWaiting = true;
			work = work.then(async () => {
				isWaiting = false;
				if (!ending.signal.aborted) await readNewChunks(transcript, mirror, { signal: ending.signal });
			});
			return work;
		};
		const end = (): void => {
			const reason = `session "${sessionId}" was closed or deleted while its transcript was being read`;
			ending.abort(new Failure('SessionNotFound', reason, { sessionId }));
			unwatch();
			if (followings.get(sessionId) === following) followings.delete(sessionId);
		};
		const unwatch = transcript.watch(() => {
			refresh().catch((error) => {
				if (ending.signal.aborted) return;
				log.warn(`can no longer follow ${transcript.path}: ${errorText(error)}`);
				following
					.stop()
					.catch((other) => log.warn(`could not close ${transcript.path}: ${errorText(other)}`));
			});
		});
		const following: MirroredTranscript = {
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

	async function leave(following: MirroredTranscript, client: ClientContext): Promise<void> {
		if (following.clients.delete(client) && following.clients.size === 0) await following.stop();
	}

	store.onEnd(async (sessionId, client) => {
		const following = followings.get(sessionId);
		if (following) await (client ? leave(following, client) : following.stop());
	});

	return {
		get: (sessionId) => followings.get(sessionId),
		listByPath: () => new Map([...followings].map(([id, { transcript }]) => [transcript.path, id])),
		startFollowing,
		runInTurn: createTaskQueues(),
		async leave(client) {
			await Promise.all([...followings.values()].map((following) => leave(following, client)));
		},
		async stopAll() {
			await Promise.all([...followings.values()].map((following) => following.stop()));
		},
	};
}
