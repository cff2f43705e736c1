/** What the package gives to programs. */

import type { ClientCapabilities, DaemonCapabilities } from '../protocol/capabilities.ts';
import type { Settings } from '../protocol/settings.ts';
import type { DaemonNotifications, DaemonRequests, Notifications, Requests } from './messages.ts';

/** As much of a value as somebody wants to say. */
export type Partly<T> = T extends readonly unknown[]
	? T
	: T extends object
		? { [Key in keyof T]?: Partly<T[Key]> }
		: T;

export interface ConnectOptions {
	/**
	 * What speaks the protocol on its standard streams: a program, which is started with `--stdio`, or a program with all
	 * its arguments. Absent: the daemon that all clients of the user share; if none runs, this package's, by this Node.
	 */
	command?: string | readonly string[];
	/** The folder that the client works in, and the daemon may read files in. Absent: that of this process. */
	cwd?: string;
	/** Variables that override those of this process for this client; undefined removes one. */
	env?: Readonly<Record<string, string | undefined>>;
	/** Whether this process may end without `close`; by default it waits for it. */
	isBackground?: boolean;
	/** What the user did set. */
	initializationOptions?: Partly<Settings>;
	/** What the client can; by default it wants notifications and offers no summaries. */
	capabilities?: ClientCapabilities;
	/** Gives up connecting; of no effect afterwards. */
	signal?: AbortSignal;
}

export interface RequestOptions {
	/** Cancels the request, which then rejects with the signal's reason. */
	signal?: AbortSignal;
}

/** The params of a request: not needed where each of them may be absent. */
type RequestArguments<Params> = object extends Params
	? [params?: Params, options?: RequestOptions]
	: [params: Params, options?: RequestOptions];

/** A conversation with a daemon. */
export interface Client {
	/** What the daemon can, as it said when it was met. */
	readonly capabilities: DaemonCapabilities;
	/**
	 * Asks the daemon. Rejects with a `RequestError` where the daemon refuses, with the signal's reason where that
	 * aborts, and with a `ConnectionError` where the daemon is gone.
	 */
	request<Method extends keyof Requests>(
		method: Method,
		...args: RequestArguments<Requests[Method]['params']>
	): Promise<Requests[Method]['result']>;
	/** Tells the daemon. Rejects with a `ConnectionError` where the daemon is gone. */
	notify<Method extends keyof Notifications>(method: Method, params: Notifications[Method]): Promise<void>;
	/** Hears what the daemon tells. Gives what ends the listening. */
	onNotification<Method extends keyof DaemonNotifications>(
		method: Method,
		listener: (params: DaemonNotifications[Method]) => void,
	): () => void;
	/**
	 * Answers what the daemon asks; what the answerer throws refuses it. The signal aborts where the daemon wants no answer
	 * any more. Gives what ends the answering.
	 */
	onRequest<Method extends keyof DaemonRequests>(
		method: Method,
		answer: (
			params: DaemonRequests[Method]['params'],
			options: { signal: AbortSignal },
		) => DaemonRequests[Method]['result'] | Promise<DaemonRequests[Method]['result']>,
	): () => void;
	/** Lets the daemon finish what it does for this client; resolves once the conversation is over, however often called. */
	close(): Promise<void>;
}
