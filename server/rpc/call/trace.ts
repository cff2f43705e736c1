/** Traces the messages of a client, as set by `trace` in `initialize` and by `$/setTrace`. */

import type { TraceValue } from 'vscode-languageserver-protocol';
import * as z from 'zod/mini';
import { AnswerError } from '../../core/failure.ts';
import { isFields } from '../../core/shape.ts';
import { logTrace, setTrace } from '../../protocol/lsp.ts';
import { describeReceived } from '../wire/describeValue.ts';
import type { ConnectedClient } from './client.ts';
import { onNotification } from './define.ts';
import { objectSchema } from './object.ts';

/** Maximum members of params in one line of a trace. */
const maxShownMembers = 20;

export const traceValue = z.enum(['off', 'messages', 'compact', 'verbose']);

function describeParams(params: unknown): string {
	if (!isFields(params)) return `params: ${describeReceived(params)}`;
	const members = Object.entries(params).slice(0, maxShownMembers);
	return members.map(([name, value]) => `${describeReceived(name)}: ${describeReceived(value)}`).join(', ');
}

/** The trace of one client. While it is off, messages cost nothing extra. */
export class Trace {
	readonly #client: ConnectedClient;
	#current: TraceValue = 'off';
	/** Handler of `$/setTrace`. */
	readonly setTraceMethod = onNotification(setTrace, objectSchema({ value: traceValue }), ({ value }) =>
		this.set(value),
	);

	constructor(client: ConnectedClient) {
		this.#client = client;
	}

	set(value: TraceValue): void {
		this.#current = value;
	}

	/** Handles a message. If the trace is on when the message arrives, reports its method, duration and outcome. */
	async runTraced<Result>(method: string, params: unknown, handle: () => Promise<Result>): Promise<Result> {
		if (this.#current === 'off') return handle();
		const beganAt = performance.now();
		let outcome = 'done';
		try {
			return await handle();
		} catch (error) {
			outcome = error instanceof AnswerError ? `failed with ${error.code}` : 'failed';
			throw error;
		} finally {
			const message = `${method}: ${outcome} after ${Math.round(performance.now() - beganAt)} ms`;
			const verbose = this.#current === 'verbose' ? { verbose: describeParams(params) } : {};
			void this.#client.notify(logTrace, { message, ...verbose });
		}
	}
}
