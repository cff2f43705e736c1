/** The messages of a running conversation, typed by method and by who sends them. */

import type { WorkDoneProgress } from '../protocol/declaration.ts';
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

type RequestToClient = 'context/summarize';
type NotificationToDaemon = 'context/didReadFile';

/** What a client may ask of the daemon: by method, what it takes and gives. */
export type Requests = ByRequest<Omit<Declarations<'request'>, RequestToClient>>;

/** What the daemon may ask of a client that offers it. */
export type DaemonRequests = ByRequest<Pick<Declarations<'request'>, RequestToClient>>;

/** What a client may tell the daemon: by method, what it carries. */
export type Notifications = ByNotification<Pick<Declarations<'notification'>, NotificationToDaemon>> & {
	/** LSP: settings that changed, under `contextd`. */
	'workspace/didChangeConfiguration': { settings: { contextd?: unknown } };
};

/** What the daemon tells a client. */
export type DaemonNotifications = ByNotification<Omit<Declarations<'notification'>, NotificationToDaemon>> & {
	/** LSP: how far the work on the request is that was given the token. */
	'$/progress': { token: string | number; value: WorkDoneProgress };
	/** LSP: a line of the daemon's log; type 1 is an error, 2 a warning, 3 information, 4 the rest. */
	'window/logMessage': { type: 1 | 2 | 3 | 4; message: string };
};
