/** What a conversation needs of the world: a daemon, time, and a place to keep what is held. */

import type * as contract from '../server/protocol/index.ts';

type Declared = (typeof contract)[keyof typeof contract];
type Request = Extract<Declared, { kind: 'request' }>;
/** The declaration of a method. */
type Of<Method> = Extract<Request, { method: Method }>;

/** What the kit asks of a daemon. */
export type AskedMethod =
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
 * Asks a daemon. Rejects where it refuses, with an error that has the `code` of the contract; where it is gone; and
 * where it has not answered in time.
 * @param timeoutMs milliseconds
 */
export type Ask = <Method extends AskedMethod>(
	method: Method,
	params: ParamsOf<Method>,
	options: { timeoutMs: number },
) => Promise<ResultOf<Method>>;

/** Milliseconds since some moment. */
export interface Clock {
	now(): number;
}

/** Where held views are kept, a text a session. */
export interface ViewStore {
	/** The text that was saved last; undefined where there is none, or it was damaged. */
	load(sessionId: string): Promise<string | undefined>;
	/**
	 * Keeps a text in place of the one before.
	 * @param marks chain ids of the messages on which the text depends
	 */
	save(sessionId: string, text: string, marks: readonly string[]): Promise<void>;
	/**
	 * Continues the conversation that a new one was forked from. Returns the text that was saved of it; undefined if it
	 * was forked from none. Absent where forks are not recognised.
	 * @param ids the chain ids of the new conversation's messages
	 */
	inherit?(
		sessionId: string,
		workspace: string | undefined,
		ids: readonly string[],
	): Promise<string | undefined>;
}
