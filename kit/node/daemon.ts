/** A daemon for a plugin in Node or Bun: started when it is first asked, and again when it is gone. */

import type { Client, ConnectOptions } from '../../server/client/client.ts';
import { connect } from '../../server/client/connect.ts';
import type { Ask } from '../ports.ts';

/** A daemon that a plugin asks. */
export interface PluginDaemon {
	ask: Ask;
	/** Starts it, so that the first question finds it there; that it cannot be started is told by the questions. */
	start(): void;
	/** Starts it and resolves once it answers, so that the first request has figures. Rejects if it cannot be started. */
	ready(): Promise<void>;
	/** Ends it; resolves once it is gone. */
	close(): Promise<void>;
}

/** Milliseconds after a start that failed in which none is tried again. */
const pause = 5000;

/**
 * Where a decision is due, as a share of what is available: a plugin has every request looked at before it is sent, so that
 * less must be kept free than where nobody looks.
 */
const threshold = 0.9;

/** Returns the error of a question that was not answered in time. The wait is what was left of a request's time. */
function tooLate(): Error {
	return new Error('the daemon did not answer in time');
}

/** Gives what the work gives, or rejects at the deadline; the work goes on then. */
async function within<Result>(work: Promise<Result>, timeoutMs: number, late: () => Error): Promise<Result> {
	let timer: NodeJS.Timeout | undefined;
	const end = new Promise<never>((_, reject) => {
		timer = setTimeout(() => reject(late()), timeoutMs);
	});
	try {
		return await Promise.race([work, end]);
	} finally {
		clearTimeout(timer);
	}
}

/**
 * A daemon by these options. It is started at the first question at the latest, and keeps no process alive. It decides
 * at 90% of what is available unless the options say otherwise.
 */
export function createDaemon(options: ConnectOptions = {}): PluginDaemon {
	const initializationOptions = { compaction: { threshold }, ...options.initializationOptions };
	const capabilities = { notifications: false, ...options.capabilities };
	return daemonBy(() => connect({ isBackground: true, ...options, initializationOptions, capabilities }));
}

/** A daemon to which `open` connects. */
export function daemonBy(open: () => Promise<Client>): PluginDaemon {
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
		const begun = performance.now();
		const started = connected();
		const talk = await within(started, timeoutMs, tooLate);
		const controller = new AbortController();
		try {
			const asked = talk.request(method, params, { signal: controller.signal });
			return await within(asked, Math.max(1, timeoutMs - (performance.now() - begun)), tooLate);
		} catch (error) {
			controller.abort(error);
			// What a living daemon refuses has a code; one without is gone.
			if (error instanceof Error && error.name === 'ConnectionError') forget(started);
			throw error;
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
