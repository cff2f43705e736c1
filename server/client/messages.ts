/** The messages of a connection, typed by method and sender. */

import type * as contract from '../protocol/index.ts';

type AnyDeclaration = (typeof contract)[keyof typeof contract];

type Declarations<Kind extends string> = {
	[Declaration in Extract<AnyDeclaration, { kind: Kind }> as Declaration['method']]: Declaration;
};

type ParamsOf<Declaration> = Declaration extends { types?: { params: infer Params } } ? Params : never;
type ResultOf<Declaration> = Declaration extends { types?: { result: infer Result } } ? Result : never;

type ByRequest<All> = {
	[Method in keyof All]: { params: ParamsOf<All[Method]>; result: ResultOf<All[Method]> };
};
type ByNotification<All> = { [Method in keyof All]: ParamsOf<All[Method]> };

type RequestToClient = 'context/summarize' | 'context/confirmCompaction' | 'window/showDocument';
type NotificationToClient =
	| 'context/didChange'
	| 'context/didCompact'
	| 'context/didChangeFile'
	| 'window/logMessage'
	| 'window/showMessage'
	| '$/logTrace'
	| '$/progress';

/** Requests that a client may send, with params and result by method. */
export type Requests = ByRequest<Omit<Declarations<'request'>, RequestToClient>>;

/** Requests that the daemon may send to a client that offers them. */
export type DaemonRequests = ByRequest<Pick<Declarations<'request'>, RequestToClient>>;

/** Notifications that a client may send, with params by method. */
export type Notifications = ByNotification<Omit<Declarations<'notification'>, NotificationToClient>>;

/** Notifications of the daemon. */
export type DaemonNotifications = ByNotification<Pick<Declarations<'notification'>, NotificationToClient>>;
