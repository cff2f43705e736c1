/** A daemon for one plugin's session, spoken to by HTTP over a Unix socket. */

import { once } from 'node:events';
import { chmod } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { Writable } from 'node:stream';
import type { Connection } from '../client/connection.ts';
import { ConnectionError, RequestError } from '../client/errors.ts';
import { errorText } from '../core/failure.ts';
import { parsedJson } from '../core/shape.ts';
import { errorCodes } from '../protocol/index.ts';
import { type DidChangeParams, didChange } from '../protocol/push.ts';
import { channelFolder, createAnswerMarks } from './answered.ts';
import { checkedCallOf } from './calls.ts';
import { createChannelServer } from './http.ts';
import { type ChannelPlace, makePlace } from './place.ts';
import { createDoorkeeper } from './tokens.ts';

/** What a channel is served with. */
export interface ChannelOptions {
	/** An absolute path. */
	socket: string;
	stateFolder: string;
	/** The daemon behind it. */
	connection: Connection;
	/** Is told in one line where the channel is, once it is listened to. */
	announced: Writable;
	log: { debug(message: string): void; error(message: string): void };
}

/** A channel that is served. */
export interface Channel {
	/** No more is taken; the socket and the secret go. */
	close(): Promise<void>;
}

/** The payload of an answer to the payload of a request. Rejects with nothing but what nobody expected. */
async function answerOf(connection: Connection, text: string, session: string): Promise<string> {
	const call = checkedCallOf(parsedJson(text)?.value, session);
	if ('error' in call) return JSON.stringify(call);
	try {
		return JSON.stringify({ result: await connection.request(call.method, call.params) });
	} catch (error) {
		if (error instanceof RequestError) {
			const { code, message, data } = error;
			return JSON.stringify({ error: { code, message, ...(data !== undefined && { data }) } });
		}
		if (!(error instanceof ConnectionError)) throw error;
		return JSON.stringify({ error: { code: errorCodes.internalError, message: 'the daemon is ending' } });
	}
}

async function listenAt(server: Server, { socket }: ChannelPlace): Promise<void> {
	server.listen(socket);
	await once(server, 'listening');
	await chmod(socket, 0o600);
}

/** Serves a channel. Rejects with `PlaceRefused` where its socket cannot be had. */
export async function serveChannel(options: ChannelOptions): Promise<Channel> {
	const { connection, log } = options;
	const place = await makePlace(options.socket, options.stateFolder);
	const door = createDoorkeeper(place.secret, () => performance.now());
	const marks = createAnswerMarks(channelFolder(options.stateFolder), place.socket);
	const stopListening = connection.onNotification<DidChangeParams>(
		didChange.method,
		({ sessionId, stats }) => {
			if (stats === null) return;
			marks
				.show(sessionId, stats)
				.catch((error) => log.error(`the figures of ${sessionId} cannot be shown: ${errorText(error)}`));
		},
	);
	const answer = async (text: string, session: string): Promise<string> => {
		const answered = await answerOf(connection, text, session);
		await marks.mark(session).catch((error) => log.error(`${session} cannot be marked: ${errorText(error)}`));
		return answered;
	};
	const server = createChannelServer(door, answer, log);
	try {
		await listenAt(server, place);
	} catch (error) {
		await place.clear();
		throw error;
	}
	const told = { version: 1, socket: place.socket, key: place.keyFile, pid: process.pid };
	options.announced.write(`${JSON.stringify(told)}\n`);
	return {
		async close() {
			stopListening();
			server.close();
			server.closeAllConnections();
			await marks.clear();
			await place.clear();
		},
	};
}
