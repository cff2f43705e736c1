/** Remembers the transcripts that the daemon follows for the client, so that the next daemon can follow them. */

import { isFields } from '../core/shape.ts';
import { parseMembers, parseMessageParams, serializeMessage } from './messages.ts';

interface FollowedTranscript {
	path: string;
	request: Buffer;
	/** Number of daemons to which the request was repeated and that have not answered. */
	unansweredCount: number;
}

/** Number of daemons that may end before they answer; then the transcript is no longer followed. */
const maxCrashes = 2;

export class FollowedTranscripts {
	/** Requests to follow that were not answered yet, by id. */
	readonly #pendingRequests = new Map<string, FollowedTranscript>();
	readonly #followedBySession = new Map<string, FollowedTranscript>();

	/** Records a request that may start or stop following a transcript. */
	recordRequest(id: string, method: string, body: Buffer): void {
		if (method === 'context/import') {
			const { workDoneToken: _, ...params } = parseMessageParams(body);
			const request = serializeMessage({ method, params });
			if (params.follow === true)
				this.#pendingRequests.set(id, { path: String(params.path), request, unansweredCount: 0 });
		} else if (method === 'session/close' || method === 'session/delete') {
			this.#followedBySession.delete(String(parseMessageParams(body).sessionId));
		}
	}

	recordAnswer(id: string, body: Buffer): void {
		const request = this.#pendingRequests.get(id);
		if (request === undefined) return;
		this.#pendingRequests.delete(id);
		const { result } = parseMembers(body);
		if (isFields(result) && typeof result.sessionId === 'string')
			this.#followedBySession.set(result.sessionId, request);
	}

	/** Forgets a request that the daemon will never answer. */
	forgetRequest(id: string): void {
		this.#pendingRequests.delete(id);
	}

	/** Returns the requests to send to a new daemon, by session and without ids, and counts each as unanswered. */
	beginRepeats(): Map<string, Buffer> {
		const requests = new Map<string, Buffer>();
		for (const [sessionId, followed] of this.#followedBySession) {
			followed.unansweredCount++;
			requests.set(sessionId, followed.request);
		}
		return requests;
	}

	/** Records that the daemon has answered a repeated request. */
	recordRepeatAnswer(sessionId: string): void {
		const followed = this.#followedBySession.get(sessionId);
		if (followed) followed.unansweredCount = 0;
	}

	/** Forgets each transcript whose reading crashed two daemons in a row; returns the paths. */
	forgetCrashing(): string[] {
		const crashing = [...this.#followedBySession].filter(
			([, { unansweredCount }]) => unansweredCount >= maxCrashes,
		);
		for (const [sessionId] of crashing) this.#followedBySession.delete(sessionId);
		return crashing.map(([, { path }]) => path);
	}
}
