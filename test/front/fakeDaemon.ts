/** A daemon in this process that speaks the protocol over streams in memory, and answers from a table of the test. */

import { PassThrough } from 'node:stream';
import {
	createMessageConnection,
	type MessageConnection,
	StreamMessageReader,
	StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import { ConnectionError } from '../../server/client/errors.ts';
import type { CommandDaemon } from '../../server/front/console/daemon.ts';
import { openDaemon } from './openDaemon.ts';

/** Answers a method; may throw a `ResponseError`. */
export type Answer = (params: never, connection: MessageConnection) => unknown;

export interface FakeDaemon {
	daemon: CommandDaemon;
	/** The requests and notifications in the order of their arrival. */
	messages: { method: string; params: unknown }[];
	/** Breaks the connection as if the daemon had died. */
	lose(error: Error): void;
}

/** Connects a front to a daemon that answers from a table, and with `{}` if the table lacks the method. */
export async function fakeDaemon(answers: Record<string, Answer> = {}): Promise<FakeDaemon> {
	const toDaemon = new PassThrough();
	const toFront = new PassThrough();
	const messages: FakeDaemon['messages'] = [];
	const server = createMessageConnection(new StreamMessageReader(toDaemon), new StreamMessageWriter(toFront));
	server.onRequest((method, params) => {
		messages.push({ method, params });
		return answers[method]?.(params as never, server) ?? {};
	});
	const ended = new Promise<void>((resolve) => {
		server.onNotification((method, params) => {
			messages.push({ method, params });
			if (method === 'exit') resolve();
		});
	});
	server.listen();
	let lose: (error: Error) => void = () => {};
	const lost = new Promise<never>((_, reject) => {
		lose = reject;
	});
	lost.catch(() => {});
	const streams = {
		output: toFront,
		input: toDaemon,
		lost,
		async end(farewell: () => Promise<void>) {
			await farewell();
			await ended;
		},
		kill: () => lose(new ConnectionError('killed')),
	};
	const daemon = await openDaemon(streams, '0.0.0');
	return { daemon, messages, lose };
}

/** Returns the answers of a daemon that reads any file as a session of one message. */
export function sessionAnswers(): Record<string, Answer> {
	return {
		'context/import': () => ({ sessionId: 's1', source: 'contextd', messageCount: 1, skipped: [] }),
		'session/list': () => ({ sessions: [] }),
		'context/sources': () => ({ files: [], commands: [] }),
		'context/history': () => ({ messages: [{ id: 'm1', role: 'user', content: 'hi' }], version: 1 }),
	};
}
