/** Interfaces that a host implements for a conversation: a daemon, a clock, and a store for views. */

import type * as contract from '../server/protocol/index.ts';

type MessageDeclaration = (typeof contract)[keyof typeof contract];
type RequestDeclaration = Extract<MessageDeclaration, { kind: 'request' }>;
type MethodDeclaration<Method> = Extract<RequestDeclaration, { method: Method }>;

/** Methods that the kit calls. */
export type KitMethod =
	| 'session/open'
	| 'session/append'
	| 'session/rewind'
	| 'session/update'
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

export type ParamsOf<Method> =
	MethodDeclaration<Method> extends { types?: { params: infer Params } } ? Params : never;
export type ResultOf<Method> =
	MethodDeclaration<Method> extends { types?: { result: infer Result } } ? Result : never;

/**
 * Sends a request to the daemon. Rejects if the daemon refuses the request (with the contract's `code`), cannot be reached, or
 * does not answer in time.
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
	/** Returns the text that was saved last; undefined if no text was saved or the text is damaged. */
	load(sessionId: string): Promise<string | undefined>;
	/**
	 * Replaces the text of a session.
	 * @param marks chain ids of the messages on which the text depends
	 */
	save(sessionId: string, text: string, marks: readonly string[]): Promise<void>;
	/**
	 * Returns the text of the conversation from which a new conversation was forked; undefined if it is not a fork. Stores
	 * that cannot recognize forks omit this method.
	 * @param ids chain ids of the new conversation's messages
	 */
	inherit?(
		sessionId: string,
		workspace: string | undefined,
		ids: readonly string[],
	): Promise<string | undefined>;
}
