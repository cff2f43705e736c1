/** Types that declare the messages of the contract as plain data. */

import type { WorkDoneProgressParams } from 'vscode-languageserver-protocol';
import type { FailureKind } from './errors.ts';

/** Direction of a message. */
export type Direction = 'to the daemon' | 'to the client';

/** The method of a request, and the types of its params and its result. */
export interface RequestSignature<Params, Result, Method extends string = string> {
	readonly kind: 'request';
	readonly method: Method;
	readonly direction: Direction;
	/** Never set; carries the types for the type checker. */
	readonly types?: { params: Params; result: Result };
}

/** The method of a notification, and the type of its params. */
export interface NotificationSignature<Params, Method extends string = string> {
	readonly kind: 'notification';
	readonly method: Method;
	readonly direction: Direction;
	/** Never set; carries the types for the type checker. */
	readonly types?: { params: Params };
}

/** A request of the contract. */
export interface RequestDeclaration<Params, Result, Method extends string = string>
	extends RequestSignature<Params, Result, Method> {
	/** Version of contextd that introduced this message. */
	readonly since: string;
	/** Kinds of failures that may answer the request, in addition to `InvalidParams` and the errors of JSON-RPC. */
	readonly errors: readonly FailureKind[];
}

/** A notification of the contract. */
export interface NotificationDeclaration<Params, Method extends string = string>
	extends NotificationSignature<Params, Method> {
	/** Version of contextd that introduced this message. */
	readonly since: string;
}

/** Params that name a session. */
export interface SessionParams {
	/** The session's id, 1 to 512 characters. */
	sessionId: string;
}

/** A result without members. */
export type EmptyResult = Record<string, never>;

/** A request's own params: all except the session's id and the progress token. */
export type OwnParams<Params> = Omit<Params, keyof SessionParams | keyof WorkDoneProgressParams>;
