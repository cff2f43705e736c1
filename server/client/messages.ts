/** The messages of a running conversation, typed by method and by who sends them. */

import type * as contract from '../protocol/index.ts';

type Declared = (typeof contract)[keyof typeof contract];

type Declarations<Kind extends string> = {
	[Declaration in Extract<Declared, { kind: Kind }> as Declaration['method']]: Declaration;
};

type ParamsOf<Declaration> = Declaration extends { types?: { params: infer Params } } ? Params : never;
type ResultOf<Declaration> = Declaration extends { types?: { result: infer Result } } ? Result : never;

type ByRequest<All> = {
	[Method in keyof All]: { params: ParamsOf<All[Method]>; result: ResultOf<All[Method]> };
};
type ByNotification<All> = { [Method in keyof All]: ParamsOf<All[Method]> };

type RequestToClient = 'context/summarize' | 'context/confirmCompaction';
type NotificationToClient =
	| 'context/didChange'
	| 'context/didCompact'
	| 'context/didChangeFile'
	| 'window/logMessage'
	| '$/logTrace'
	| '$/progress';

/** What a client may ask of the daemon: by method, what it takes and gives. */
export type Requests = ByRequest<Omit<Declarations<'request'>, RequestToClient>>;

/** What the daemon may ask of a client that offers it. */
export type DaemonRequests = ByRequest<Pick<Declarations<'request'>, RequestToClient>>;

/** What a client may tell the daemon: by method, what it carries. */
export type Notifications = ByNotification<Omit<Declarations<'notification'>, NotificationToClient>>;

/** What the daemon tells a client. */
export type DaemonNotifications = ByNotification<Pick<Declarations<'notification'>, NotificationToClient>>;
