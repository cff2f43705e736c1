/** Serves the session of one plugin, by HTTP over a Unix socket. */

import { once } from 'node:events';
import { chmod } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import type { DaemonConnection } from '../client/connection.ts';
import { ConnectionError, RequestError } from '../client/errors.ts';
import { errorText } from '../core/failure.ts';
import { tryParseJson } from '../core/shape.ts';
import { errorCodes } from '../protocol/index.ts';
import { type DidChangeParams, didChange } from '../protocol/push.ts';
import { AnswerMarks, getChannelFolder } from './answerMarks.ts';
import { checkCall } from './calls.ts';
import { type ChannelLog, createChannelServer } from './http.ts';
import { prepareChannelLocation } from './location.ts';
import { RefusedRequest, TokenAuthority } from './tokens.ts';

export interface ChannelOptions {
	/** Absolute path of the socket. */
	socket: string;
	stateFolder: string;
	/** The connection to the daemon that answers the requests. */
	connection: DaemonConnection;
	/** Receives one line with the channel's location when it is listening. */
	announcements: Writable;
	log: ChannelLog;
}

/** Returns the response to a request's payload. Rejects with `RefusedRequest` after the request's timeout. */
async function answerPayload(connection: DaemonConnection, text: string, session: string): Promise<string> {
	const call = checkCall(tryParseJson(text)?.value, session);
	if ('error' in call) return JSON.stringify(call);
	const { method, params, timeoutMs } = call;
	try {
		return JSON.stringify({ result: await rejectWhenLate(connection.request(method, params), timeoutMs) });
	} catch (error) {
		if (error instanceof RequestError) {
			const { code, message, data } = error;
			return JSON.stringify({ error: { code, message, ...(data !== undefined && { data }) } });
		}
		if (!(error instanceof ConnectionError)) throw error;
		return JSON.stringify({ error: { code: errorCodes.internalError, message: 'the daemon is stopping' } });
	}
}

/** Returns the result of a task, or rejects after `timeoutMs`. The task continues in any case. */
async function rejectWhenLate<Result>(task: Promise<Result>, timeoutMs: number): Promise<Result> {
	let timer: NodeJS.Timeout | undefined;
	const timeoutRejection = new Promise<never>((_, reject) => {
		const refuse = (): void => reject(new RefusedRequest(504, 'the daemon did not answer in time'));
		timer = setTimeout(refuse, timeoutMs);
	});
	return Promise.race([task, timeoutRejection]).finally(() => clearTimeout(timer));
}

/**
 * Serves a channel. Rejects with `LocationRefusedError` if its socket cannot be created. Returns a function that stops
 * accepting requests, and removes the socket, the secret and the marks.
 */
export async function serveChannel(options: ChannelOptions): Promise<() => Promise<void>> {
	const { connection, log } = options;
	const location = await prepareChannelLocation(options.socket, options.stateFolder);
	const authority = new TokenAuthority(location.secret, () => performance.now());
	const marks = new AnswerMarks(getChannelFolder(options.stateFolder), location.socket);
	const storeStats = ({ sessionId, stats }: DidChangeParams): void => {
		if (stats === null) return;
		marks
			.storeStats(sessionId, stats)
			.catch((error) => log.error(`cannot show the figures of ${sessionId}: ${errorText(error)}`));
	};
	const stopListening = connection.onNotification(didChange.method, storeStats);
	const answer = async (text: string, session: string): Promise<string> => {
		const reply = await answerPayload(connection, text, session);
		await marks.mark(session).catch((error) => log.error(`cannot mark ${session}: ${errorText(error)}`));
		return reply;
	};
	const server = createChannelServer(authority, answer, log);
	try {
		server.listen(location.socket);
		await once(server, 'listening');
		await chmod(location.socket, 0o600);
	} catch (error) {
		await location.clear();
		throw error;
	}
	const announcement = { version: 1, socket: location.socket, key: location.keyFile, pid: process.pid };
	options.announcements.write(`${JSON.stringify(announcement)}\n`);
	return async () => {
		stopListening();
		server.close();
		server.closeAllConnections();
		await marks.clear();
		await location.clear();
	};
}
