/** Follows each transcript once, for all clients that requested it. */

import { errorText, Failure } from '../../core/failure.ts';
import { createTaskQueues } from '../../core/taskQueues.ts';
import type { ClientContext } from '../clientContext.ts';
import type { SessionStore } from '../store/store.ts';
import type { Mirror } from './mirror.ts';
import type { OpenTranscript } from './reader.ts';
import { readNewChunks } from './readNew.ts';

/** A transcript that is followed, and the session that is kept equal to it. */
export interface SessionFollower {
	/** Clients that requested to follow the transcript; when the last one leaves, the follower stops. */
	readonly clients: Set<ClientContext>;
	readonly transcript: OpenTranscript;
	readonly mirror: Mirror;
	/** Stops following; resolves when nothing more will be written. */
	stop(): Promise<void>;
	/** Brings the session up to date now. */
	refresh(): Promise<void>;
}

/**
 * Starts, finds and stops followers of transcripts.
 *
 * A follower stops when every client that requested it has closed the session or disconnected, or when the session is
 * deleted.
 */
export type TranscriptFollowers = ReturnType<typeof createFollowers>;

/** Creates the followers for a store's sessions. */
export function createFollowers(store: SessionStore) {
	const { log } = store.services;
	const followers = new Map<string, SessionFollower>();

	/** Starts following a transcript for a client. */
	function startFollowing(
		sessionId: string,
		client: ClientContext,
		transcript: OpenTranscript,
		mirror: Mirror,
	): SessionFollower {
		const controller = new AbortController();
		let lastTask: Promise<void> = Promise.resolve();
		let isWaiting = false;
		const refresh = (): Promise<void> => {
			if (isWaiting) return lastTask;
			isWaiting = true;
			lastTask = lastTask.then(async () => {
				isWaiting = false;
				if (!controller.signal.aborted) await readNewChunks(transcript, mirror, controller.signal);
			});
			return lastTask;
		};
		const stop = (): void => {
			const reason = `session "${sessionId}" was closed or deleted while its transcript was being read`;
			controller.abort(new Failure('SessionNotFound', reason, { sessionId }));
			unwatch();
			if (followers.get(sessionId) === follower) followers.delete(sessionId);
		};
		const unwatch = transcript.watch(() => {
			refresh().catch((error) => {
				if (controller.signal.aborted) return;
				log.warn(`can no longer follow ${transcript.path}: ${errorText(error)}`);
				follower.stop().catch((other) => log.warn(`could not close ${transcript.path}: ${errorText(other)}`));
			});
		});
		const follower: SessionFollower = {
			clients: new Set([client]),
			transcript,
			mirror,
			refresh,
			async stop() {
				stop();
				await lastTask.catch((error) => log.debug(`following ${transcript.path} ended: ${errorText(error)}`));
				await transcript.close();
			},
		};
		followers.set(sessionId, follower);
		return follower;
	}

	async function leave(follower: SessionFollower, client: ClientContext): Promise<void> {
		if (follower.clients.delete(client) && follower.clients.size === 0) await follower.stop();
	}

	store.onEnd(async (sessionId, client) => {
		const follower = followers.get(sessionId);
		if (follower) await (client ? leave(follower, client) : follower.stop());
	});

	return {
		/** Returns the follower of a session's transcript; undefined if there is none. */
		get: (sessionId: string) => followers.get(sessionId),
		/** Returns the ids of the sessions whose transcripts are followed, by transcript path. */
		listByPath: () => new Map([...followers].map(([id, { transcript }]) => [transcript.path, id])),
		startFollowing,
		/** Runs the imports of a session one at a time. */
		runInTurn: createTaskQueues(),
		/** Stops the followers that only this client requested. */
		async leave(client: ClientContext): Promise<void> {
			await Promise.all([...followers.values()].map((follower) => leave(follower, client)));
		},
		async stopAll(): Promise<void> {
			await Promise.all([...followers.values()].map((follower) => follower.stop()));
		},
	};
}
