/** Connects a plugin in Node or Bun to the daemon at the first request, and again after a lost connection. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, ConnectOptions } from '../../server/client/client.ts';
import { connect } from '../../server/client/connect.ts';
import type { Ask } from '../ports.ts';
import { rejectOnTimeout } from '../timeouts.ts';

/** The daemon as a plugin uses it. */
export interface PluginDaemon {
	ask: Ask;
	/** Starts the daemon in advance. If that fails, the next request reports the error. */
	start(): void;
	/** Starts the daemon and resolves once it can answer requests. Rejects if the daemon cannot be started. */
	ready(): Promise<void>;
	/** Closes the connection; resolves once it is closed. */
	close(): Promise<void>;
}

/** Milliseconds between a failed start and the next attempt. */
const retryDelayMs = 5000;

/**
 * Share of the available tokens at which a compaction is due. Higher than the daemon's default, because a plugin checks every
 * request before the model gets it.
 */
const pluginThreshold = 0.9;

/**
 * Creates the connection of a plugin to a daemon with these options. The daemon starts at the first request at the latest, and
 * the connection keeps no process alive. Unless the options say otherwise, compactions are due at 90% of the available tokens.
 */
export function createDaemon(options: ConnectOptions = {}): PluginDaemon {
	const initializationOptions = {
		compaction: { threshold: pluginThreshold },
		...options.initializationOptions,
	};
	const capabilities = { notifications: false, ...options.capabilities };
	return createDaemonOver(() =>
		connect({ isBackground: true, ...options, initializationOptions, capabilities }),
	);
}

/** Creates the connection of a plugin to the daemon to which `open` connects. */
export function createDaemonOver(open: () => Promise<Client>): PluginDaemon {
	let client: Promise<Client> | undefined;
	let failedAt = Number.NEGATIVE_INFINITY;

	function forget(lostClient: Promise<Client>): void {
		if (client === lostClient) client = undefined;
	}

	function connectOnce(): Promise<Client> {
		if (client) return client;
		if (performance.now() - failedAt < retryDelayMs)
			return Promise.reject(new Error('contextd could not be started a moment ago'));
		const starting = open();
		client = starting;
		starting.catch(() => {
			failedAt = performance.now();
			forget(starting);
		});
		return starting;
	}

	const ask = (async (method: Parameters<Ask>[0], params: never, { timeoutMs }: { timeoutMs: number }) => {
		const started = connectOnce();
		const timer = new AbortController();
		const controller = new AbortController();
		const answer = started.then((connection) =>
			connection.request(method, params, { signal: controller.signal }),
		);
		try {
			const wait = sleep(timeoutMs, undefined, { signal: timer.signal });
			return await rejectOnTimeout(answer, wait, () => new Error('the daemon did not answer in time'));
		} catch (error) {
			controller.abort(error);
			// Any other error is the daemon's answer, and the connection can still be used.
			if (error instanceof Error && error.name === 'ConnectionError') forget(started);
			throw error;
		} finally {
			timer.abort();
		}
	}) as unknown as Ask;

	return {
		ask,
		start() {
			connectOnce().catch(() => {});
		},
		async ready() {
			await connectOnce();
		},
		async close() {
			const closingClient = client;
			client = undefined;
			await closingClient?.then(
				(connection) => connection.close(),
				() => {},
			);
		},
	};
}
