/** How the messages of the contract are declared: plain data, typed by what they carry. */

import type { WorkDoneProgressParams } from 'vscode-languageserver-protocol';
import type { FailureKind } from './errors.ts';

/** Who sends a message to whom. */
export type Direction = 'to the daemon' | 'to the client';

/** A request by its method, with the types of its params and its result. */
export interface RequestSignature<Params, Result, Method extends string = string> {
	readonly kind: 'request';
	readonly method: Method;
	readonly direction: Direction;
	/** Never set; carries the types. */
	readonly types?: { params: Params; result: Result };
}

/** A notification by its method, with the type of its params. */
export interface NotificationSignature<Params, Method extends string = string> {
	readonly kind: 'notification';
	readonly method: Method;
	readonly direction: Direction;
	/** Never set; carries the type. */
	readonly types?: { params: Params };
}

/** A request of the contract. */
export interface RequestDeclaration<Params, Result, Method extends string = string>
	extends RequestSignature<Params, Result, Method> {
	/** The version that it came with. */
	readonly since: string;
	/** The failures that may answer it, beside `InvalidParams` and the errors of JSON-RPC. */
	readonly errors: readonly FailureKind[];
}

/** A notification of the contract. */
export interface NotificationDeclaration<Params, Method extends string = string>
	extends NotificationSignature<Params, Method> {
	/** The version that it came with. */
	readonly since: string;
}

/** Names the session that a request is about. */
export interface SessionParams {
	/** 1 to 512 characters. */
	sessionId: string;
}

/** Nothing to tell. */
export type EmptyResult = Record<string, never>;

/** What params ask for, beside the session that they name and the token of their progress. */
export type Asked<Params> = Omit<Params, keyof SessionParams | keyof WorkDoneProgressParams>;
