/** The interface of the package for programs. */

import type { ClientCapabilities, DaemonCapabilities } from '../protocol/capabilities.ts';
import type { Settings } from '../protocol/settings.ts';
import type { DaemonNotifications, DaemonRequests, Notifications, Requests } from './messages.ts';

/** A type whose members are all optional, at every depth. */
export type DeepPartial<T> = T extends readonly unknown[]
	? T
	: T extends object
		? { [Key in keyof T]?: DeepPartial<T[Key]> }
		: T;

export interface ConnectOptions {
	/**
	 * A program to start, which must speak the protocol on its standard streams: its name, to which `--stdio` is added,
	 * or its name and all arguments. By default, connects to the user's shared daemon, and starts it if necessary.
	 */
	command?: string | readonly string[];
	/** The client's working folder, in which the daemon may read files; by default that of this process. */
	cwd?: string;
	/** Changes to the environment variables of this process, for this client; undefined removes a variable. */
	env?: Readonly<Record<string, string | undefined>>;
	/** Whether this process may end without calling `close`; by default false. */
	isBackground?: boolean;
	/** Settings that the user has set. */
	initializationOptions?: DeepPartial<Settings>;
	/** The client's capabilities; by default it wants notifications and offers no summaries. */
	capabilities?: ClientCapabilities;
	/** Cancels connecting; has no effect afterwards. */
	signal?: AbortSignal;
}

export interface RequestOptions {
	/** Cancels the request, which then rejects with the signal's reason. */
	signal?: AbortSignal;
}

/** The params of a request; optional if all members are. */
type RequestArguments<Params> = object extends Params
	? [params?: Params, options?: RequestOptions]
	: [params: Params, options?: RequestOptions];

/** A connection to a daemon. */
export interface Client {
	/** The daemon's capabilities, as reported by `initialize`. */
	readonly capabilities: DaemonCapabilities;
	/**
	 * Sends a request to the daemon.
	 *
	 * Rejects with a `RequestError` if the daemon refuses, with the signal's reason if it is aborted, and with a
	 * `ConnectionError` if the daemon has ended.
	 */
	request<Method extends keyof Requests>(
		method: Method,
		...args: RequestArguments<Requests[Method]['params']>
	): Promise<Requests[Method]['result']>;
	/** Sends a notification to the daemon. Rejects with a `ConnectionError` if the daemon has ended. */
	notify<Method extends keyof Notifications>(method: Method, params: Notifications[Method]): Promise<void>;
	/** Listens to a notification of the daemon. Returns a function that stops listening. */
	onNotification<Method extends keyof DaemonNotifications>(
		method: Method,
		listener: (params: DaemonNotifications[Method]) => void,
	): () => void;
	/**
	 * Handles a request of the daemon, which is refused if `answer` throws. Returns a function that removes the handler.
	 * The signal is aborted if the daemon cancels the request.
	 */
	onRequest<Method extends keyof DaemonRequests>(
		method: Method,
		answer: (
			params: DaemonRequests[Method]['params'],
			options: { signal: AbortSignal },
		) => DaemonRequests[Method]['result'] | Promise<DaemonRequests[Method]['result']>,
	): () => void;
	/** Waits for this client's requests, then closes the connection. Repeated calls return the same promise. */
	close(): Promise<void>;
}
