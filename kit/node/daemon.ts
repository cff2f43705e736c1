/** The daemon of a plugin in Node or Bun: connects at the first request, and again after the connection was lost. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, ConnectOptions } from '../../server/client/client.ts';
import { connect } from '../../server/client/connect.ts';
import type { Ask } from '../ports.ts';
import { withinTime } from '../timeouts.ts';

/** A daemon that a plugin asks. */
export interface PluginDaemon {
	ask: Ask;
	/** Starts it in advance. Requests report it if it cannot be started. */
	start(): void;
	/** Starts it and resolves once it answers, so that the first request has figures. Rejects if it cannot be started. */
	ready(): Promise<void>;
	/** Closes the connection; resolves once it is closed. */
	close(): Promise<void>;
}

/** Milliseconds after a failed start before the next attempt. */
const pause = 5000;

/**
 * Share of the available tokens at which a compaction is due. It is higher than the daemon's default, since a plugin checks
 * every request before it is sent.
 */
const threshold = 0.9;

/**
 * Returns a daemon with these options. It starts at the first request at the latest and keeps no process alive. A compaction
 * is due at 90% of the available tokens unless the options set another threshold.
 */
export function createDaemon(options: ConnectOptions = {}): PluginDaemon {
	const initializationOptions = { compaction: { threshold }, ...options.initializationOptions };
	const capabilities = { notifications: false, ...options.capabilities };
	return createDaemonOver(() =>
		connect({ isBackground: true, ...options, initializationOptions, capabilities }),
	);
}

/** Returns a daemon to which `open` connects. */
export function createDaemonOver(open: () => Promise<Client>): PluginDaemon {
	let client: Promise<Client> | undefined;
	let failedAt = Number.NEGATIVE_INFINITY;

	function forget(gone: Promise<Client>): void {
		if (client === gone) client = undefined;
	}

	function connected(): Promise<Client> {
		if (client) return client;
		if (performance.now() - failedAt < pause) {
			return Promise.reject(new Error('contextd could not be started a moment ago'));
		}
		const starting = open();
		client = starting;
		starting.catch(() => {
			failedAt = performance.now();
			forget(starting);
		});
		return starting;
	}

	const ask = (async (method: Parameters<Ask>[0], params: never, { timeoutMs }: { timeoutMs: number }) => {
		const started = connected();
		const timer = new AbortController();
		const controller = new AbortController();
		const answer = started.then((talk) => talk.request(method, params, { signal: controller.signal }));
		try {
			const wait = sleep(timeoutMs, undefined, { signal: timer.signal });
			return await withinTime(answer, wait, () => new Error('the daemon did not answer in time'));
		} catch (error) {
			controller.abort(error);
			// A refusal by the daemon has a code; only a lost connection needs a new one.
			if (error instanceof Error && error.name === 'ConnectionError') forget(started);
			throw error;
		} finally {
			timer.abort();
		}
	}) as unknown as Ask;

	return {
		ask,
		start() {
			connected().catch(() => {});
		},
		async ready() {
			await connected();
		},
		async close() {
			const open = client;
			client = undefined;
			await open?.then(
				(talk) => talk.close(),
				() => {},
			);
		},
	};
}
