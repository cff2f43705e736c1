/** How the messages of the contract are declared: plain data, typed by what they carry. */

import type { FailureKind } from './errors.ts';

/** Who sends a message to whom. */
export type Direction = 'to the daemon' | 'to the client';

/** A request, typed by its method, what it takes and what it gives. */
export interface RequestDeclaration<Params, Result, Method extends string = string> {
	readonly kind: 'request';
	readonly method: Method;
	readonly direction: Direction;
	/** The version that it came with. */
	readonly since: string;
	/** The failures that may answer it, beside `InvalidParams` and the errors of JSON-RPC. */
	readonly errors: readonly FailureKind[];
	/** Never set; carries the types. */
	readonly types?: { params: Params; result: Result };
}

/** A notification, typed by its method and what it carries. */
export interface NotificationDeclaration<Params, Method extends string = string> {
	readonly kind: 'notification';
	readonly method: Method;
	readonly direction: Direction;
	/** The version that it came with. */
	readonly since: string;
	/** Never set; carries the type. */
	readonly types?: { params: Params };
}

/** Names the session that a request is about. */
export interface SessionParams {
	/** 1 to 512 characters. */
	sessionId: string;
}

/** A request that reports its progress by `$/progress` under this token; it reports none without one. */
export interface WorkDoneParams {
	/** Any word or number that no other request in flight has. */
	workDoneToken?: string | number;
}

/** The value of `$/progress` under the token of a request. */
export interface WorkDoneProgress {
	/** `begin` once, then any number of `report`, then `end`. */
	kind: 'begin' | 'report' | 'end';
	/** What is done; of `begin` alone. */
	title?: string;
	/** How far it is, in words. */
	message?: string;
	/** How far it is: 0 to 100. */
	percentage?: number;
}

/** Nothing to tell. */
export type EmptyResult = Record<string, never>;

/** What params ask for, beside the session that they name and the token of their progress. */
export type Asked<Params> = Omit<Params, keyof SessionParams | keyof WorkDoneParams>;
