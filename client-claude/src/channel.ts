/** Sends requests to the daemon, over a separate channel for each conversation. */

import { bytesToHex, createChannel } from '../../kit/channel.ts';
import type { Ask } from '../../kit/ports.ts';
import type { OpenResult } from '../../server/protocol/session.ts';
import type { AgentsSettings } from '../../server/protocol/settingParts.ts';
import { getMainConversationId, type SessionPorts } from './conversations.ts';
import type { FindDaemon, ListeningProcess } from './daemon.ts';
import { type Host, TimeoutError, withTimeout } from './host.ts';
import { type CallMethod, createViewStore, sha256 } from './viewStore.ts';

/** Returns a function that creates a session's access to the daemon and to its stored view. */
export function createSessionPorts(findDaemon: FindDaemon): (host: Host, sessionId: string) => SessionPorts {
	return (host, sessionId) => {
		let agents: AgentsSettings | undefined;
		const call = createRequest(host, findDaemon, sessionId);
		const request: CallMethod = async (method, params, options) => {
			const result = await call(method, params, options);
			if (method === 'session/open') agents = (result as OpenResult).agents ?? agents;
			return result;
		};
		return { ask: request as Ask, store: createViewStore(host, request), settings: () => agents };
	};
}

/** Milliseconds after a request's timeout within which the process in front of the daemon must refuse the request. */
const maxRefusalMs = 1500;

function createRequest(host: Host, findDaemon: FindDaemon, sessionId: string): CallMethod {
	let daemon: ListeningProcess | undefined;
	let channel: ReturnType<typeof createChannel> | undefined;

	async function send(method: string, params: object, timeoutMs: number): Promise<unknown> {
		const process = daemon?.isRunning
			? daemon
			: await withTimeout(host, `its answer to ${method}`, timeoutMs, findDaemon(host));
		if (channel === undefined || process !== daemon) channel = openChannel(host, process, sessionId);
		daemon = process;
		return channel.request(method, params, { timeoutMs });
	}
	return (method, params, { timeoutMs }) =>
		send(method, params, timeoutMs).catch((error: unknown) => {
			throw error instanceof TimeoutError ? new Error('the daemon did not answer in time') : error;
		});
}

function openChannel(host: Host, daemon: ListeningProcess, sessionId: string) {
	return createChannel({
		// Requests about the session of a subagent use the token of the main session.
		session: getMainConversationId(sessionId),
		async post(path, body, timeoutMs) {
			const init = { method: 'POST', body, socketPath: daemon.socket };
			const exchange = host.http.fetch(`http://contextd${path}`, init).catch((error: unknown) => {
				daemon.isRunning = false;
				throw new Error('the daemon has ended; the next request starts it again', { cause: error });
			});
			const answer = withTimeout(host, `its answer at ${path}`, timeoutMs, exchange);
			answer.catch((error: unknown) => {
				// Claude Code runs no commands until the overdue request ends, so the process is ended if the request remains open.
				if (error instanceof TimeoutError)
					withTimeout(host, 'its refusal', maxRefusalMs, exchange).catch(() => daemon.end());
			});
			return answer;
		},
		readSecret: async () => daemon.secret,
		sha256,
		nonce: () => bytesToHex(crypto.getRandomValues(new Uint8Array(32))),
		now: () => performance.now(),
	});
}
