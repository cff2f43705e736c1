/** Transcripts that the daemon follows for the client: a later daemon must be asked again. */

import { isFields } from '../core/shape.ts';
import { paramsOf, parseMembers, serializeMessage } from './messages.ts';

interface Followed {
	path: string;
	request: Buffer;
	/** Number of daemons that were asked again and have not answered yet. */
	unanswered: number;
}

/** Number of daemons that may end before they answer; then the transcript is no longer followed. */
const maxCrashes = 2;

export class FollowedTranscripts {
	/** Requests that were not answered yet, by id. */
	readonly #requested = new Map<string, Followed>();
	/** Followed transcripts by session. */
	readonly #followed = new Map<string, Followed>();

	/** Records a request that may start or stop following a transcript. */
	recordRequest(id: string, method: string, body: Buffer): void {
		if (method === 'context/import') {
			const { workDoneToken: _, ...params } = paramsOf(body);
			const request = serializeMessage({ method, params });
			if (params.follow === true)
				this.#requested.set(id, { path: String(params.path), request, unanswered: 0 });
		} else if (method === 'session/close' || method === 'session/delete') {
			this.#followed.delete(String(paramsOf(body).sessionId));
		}
	}

	recordAnswer(id: string, body: Buffer): void {
		const request = this.#requested.get(id);
		if (request === undefined) return;
		this.#requested.delete(id);
		const { result } = parseMembers(body);
		if (isFields(result) && typeof result.sessionId === 'string')
			this.#followed.set(result.sessionId, request);
	}

	/** Forgets a request that gets no answer. */
	forget(id: string): void {
		this.#requested.delete(id);
	}

	/** Returns the requests to send to a new daemon, by session, without ids. */
	requestsToRepeat(): Map<string, Buffer> {
		const requests = new Map<string, Buffer>();
		for (const [sessionId, followed] of this.#followed) {
			followed.unanswered++;
			requests.set(sessionId, followed.request);
		}
		return requests;
	}

	/** Records that the daemon has answered a request of `repeat`. */
	recordRepeated(sessionId: string): void {
		const followed = this.#followed.get(sessionId);
		if (followed) followed.unanswered = 0;
	}

	/** Forgets the transcripts during which two daemons in a row ended; returns their paths. */
	dropCrashing(): string[] {
		const crashing = [...this.#followed].filter(([, { unanswered }]) => unanswered >= maxCrashes);
		for (const [sessionId] of crashing) this.#followed.delete(sessionId);
		return crashing.map(([, { path }]) => path);
	}
}
