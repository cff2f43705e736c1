/** Transcripts that the daemon follows for the client: a later daemon must be asked again. */

import { isFields } from '../core/shape.ts';
import { membersOf, paramsOf, writeMessage } from './messages.ts';

export class FollowedTranscripts {
	/** Requests that were not answered yet, by id. */
	readonly #requested = new Map<string, Buffer>();
	/** By session. */
	readonly #followed = new Map<string, Buffer>();

	/** Records a request that may begin to follow a transcript, or that ends it. */
	requested(id: string, method: string, body: Buffer): void {
		if (method === 'context/import') {
			const { workDoneToken: _, ...params } = paramsOf(body);
			if (params.follow === true) this.#requested.set(id, writeMessage({ method, params }));
		} else if (method === 'session/close' || method === 'session/delete') {
			this.#followed.delete(String(paramsOf(body).sessionId));
		}
	}

	answered(id: string, body: Buffer): void {
		const request = this.#requested.get(id);
		if (request === undefined) return;
		this.#requested.delete(id);
		const { result } = membersOf(body);
		if (isFields(result) && typeof result.sessionId === 'string')
			this.#followed.set(result.sessionId, request);
	}

	/** The request gets no answer. */
	forget(id: string): void {
		this.#requested.delete(id);
	}

	/** Returns the requests that a new daemon must be sent, without ids. */
	all(): Buffer[] {
		return [...this.#followed.values()];
	}
}
