/** Interfaces that a conversation needs: a daemon, a clock, and a store for its view. */

import type * as contract from '../server/protocol/index.ts';

type Declared = (typeof contract)[keyof typeof contract];
type Request = Extract<Declared, { kind: 'request' }>;
/** The declaration of a method. */
type Of<Method> = Extract<Request, { method: Method }>;

/** Methods that the kit calls. */
export type KitMethod =
	| 'session/open'
	| 'session/append'
	| 'session/rewind'
	| 'session/update'
	| 'session/reportUsage'
	| 'session/messageIds'
	| 'session/list'
	| 'context/stats'
	| 'context/timeline'
	| 'context/prepare'
	| 'context/compact'
	| 'context/undo'
	| 'context/recover'
	| 'context/recall'
	| 'context/original'
	| 'context/pin';

export type ParamsOf<Method> = Of<Method> extends { types?: { params: infer Params } } ? Params : never;
export type ResultOf<Method> = Of<Method> extends { types?: { result: infer Result } } ? Result : never;

/**
 * Sends a request to a daemon. Rejects if the daemon refuses it (with the contract's `code`), cannot be reached, or does not
 * answer in time.
 * @param timeoutMs milliseconds
 */
export type Ask = <Method extends KitMethod>(
	method: Method,
	params: ParamsOf<Method>,
	options: { timeoutMs: number },
) => Promise<ResultOf<Method>>;

/** A clock in milliseconds. */
export interface Clock {
	now(): number;
}

/** A store with one text per session. */
export interface ViewStore {
	/** Returns the text that was saved last; undefined if there is none or it is damaged. */
	load(sessionId: string): Promise<string | undefined>;
	/**
	 * Replaces the text of a session.
	 * @param marks chain ids of the messages on which the text depends
	 */
	save(sessionId: string, text: string, marks: readonly string[]): Promise<void>;
	/**
	 * Returns the text of the conversation that a new one was forked from; undefined if it is no fork. Absent if the store
	 * does not recognize forks.
	 * @param ids the chain ids of the new conversation's messages
	 */
	inherit?(
		sessionId: string,
		workspace: string | undefined,
		ids: readonly string[],
	): Promise<string | undefined>;
}
