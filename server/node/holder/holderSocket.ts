/** The holder's end: takes the writes of other processes to the sessions that this one holds. */

import { chmod } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import {
	type CancellationToken,
	createMessageConnection,
	ErrorCodes,
	type MessageConnection,
	ResponseError,
	StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import { AnswerError } from '../../core/answerError.ts';
import { CallFailure } from '../../core/ask/callFailure.ts';
import { errorText } from '../../core/failure.ts';
import { HolderGone } from '../../core/holderGone.ts';
import { isFields } from '../../core/shape.ts';
import type { HandedWork } from '../../session/holders.ts';
import type { AskModel, Logger } from '../../session/ports.ts';
import { heartbeatInterval } from '../journal/holder.ts';
import type { HolderAddress } from '../journal/lockNote.ts';
import { boundedReader, mostCallBytes } from './boundedReader.ts';
import { clearRooms } from './deadRooms.ts';
import { greetAsker } from './handshake.ts';
import { HandshakeError } from './lines.ts';
import * as messages from './messages.ts';
import { sessionDigest } from './proof.ts';
import { type HolderRoom, makeRoom } from './room.ts';
import { linkWithoutKeys, settingsOfOther } from './withoutKeys.ts';

export interface HolderSocketOptions {
	stateDirectory(): string;
	/** The sessions that this process holds. */
	held(): Iterable<string>;
	/** Does a write; rejects with `HolderGone` where the session is held no more. */
	work(work: HandedWork): Promise<unknown>;
	log: Logger;
	/** Bytes that a call may have; a default where absent. */
	mostBytes?: number;
	/** Milliseconds between two looks whether the socket still stands; those of the lock's signs of life where absent. */
	lookInterval?: number;
}

/** This process as one that holds sessions. */
export interface OwnHolder {
	/** Where it is asked, from the first call on; undefined where no socket can be had: then nobody can ask it. */
	address(): Promise<HolderAddress | undefined>;
	/** As of a socket. */
	close(): Promise<void>;
}

/** Takes calls as soon as it holds a session. */
export function createHolder(options: HolderSocketOptions): OwnHolder {
	let socket: Promise<HolderSocket | undefined> | undefined;
	return {
		async address() {
			socket ??= listenAsHolder(options).catch((error) => {
				options.log.warn(`other processes cannot ask this one to write: ${errorText(error)}`);
				return undefined;
			});
			const taken = await socket;
			// A lock that is taken now names it for as long as the session is held.
			await taken?.look();
			return taken?.address;
		},
		async close() {
			await (await socket)?.close();
		},
	};
}

interface HolderSocket {
	address: HolderAddress;
	/** Listens anew where somebody removed the socket, such as a program that clears folders. Never rejects. */
	look(): Promise<void>;
	/** Takes no calls any more; resolves when those that run have ended. */
	close(): Promise<void>;
}

/** Milliseconds that calls have to end by themselves when the process ends. */
const lastCalls = 1000;

/** Listens for the writes of other processes. Rejects where no socket can be had. */
async function listenAsHolder(options: HolderSocketOptions): Promise<HolderSocket> {
	const { stateDirectory, log, lookInterval = heartbeatInterval } = options;
	const room = await makeRoom(stateDirectory());
	clearRooms(stateDirectory(), dirname(room.address.secret)).catch((error) =>
		log.debug(`what dead holders left: ${errorText(error)}`),
	);
	const talks = new Set<Socket>();
	const running = new Map<string, Promise<unknown>>();
	const server = createServer((socket) => {
		talks.add(socket);
		socket.unref();
		socket.on('error', () => undefined).on('close', () => talks.delete(socket));
		talkTo(socket, room.secret, options, running).catch((error) => {
			socket.destroy();
			if (!(error instanceof HandshakeError))
				log.error(`a process could not be talked to: ${errorText(error)}`);
			else if (!error.isLost) log.warn(`a process was cut off at the holder's socket: ${error.message}`);
		});
	});
	server.unref();
	try {
		await listening(server, room);
	} catch (error) {
		await room.close();
		throw error;
	}
	let looking: Promise<void> | undefined;
	let isClosed = false;
	/** What was told of the last look; empty where that was well. */
	let told = '';

	async function stand(): Promise<void> {
		// What was removed at the end stays away, whoever looks then.
		if (isClosed) return;
		try {
			const stands = await room.keep();
			if (stands) told = '';
			if (stands || isClosed) return;
			// First, since what closes removes the file of its name, were it another's by then.
			server.close();
			await listening(server, room);
			log.warn('the socket by which other processes ask this one was gone: it is made anew');
			told = '';
		} catch (error) {
			const text = errorText(error);
			// Each look may fail alike, as long as a disk is full.
			if (text !== told) log.warn(`the socket for other processes cannot be looked after: ${text}`);
			told = text;
		}
	}

	function look(): Promise<void> {
		looking ??= stand().finally(() => {
			looking = undefined;
		});
		return looking;
	}

	const looks = setInterval(() => {
		// Where nothing is held nobody asks, and what was taken away with the sessions stays away.
		if ([...options.held()].length > 0) void look();
	}, lookInterval).unref();
	return {
		address: room.address,
		look,
		async close() {
			isClosed = true;
			clearInterval(looks);
			await looking;
			server.close();
			const patience = new Promise((resolve) => setTimeout(resolve, lastCalls).unref());
			await Promise.race([Promise.allSettled(running.values()), patience]);
			for (const socket of talks) socket.destroySoon();
			// The next holder clears what cannot be removed now.
			await room.close().catch((error) => log.warn(`the holder's folder stays: ${errorText(error)}`));
		},
	};
}

async function listening(server: Server, { address }: HolderRoom): Promise<void> {
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject);
		server.listen(address.socket, () => {
			server.off('error', reject);
			resolve();
		});
	});
	if (process.platform !== 'win32') await chmod(address.socket, 0o600);
}

async function talkTo(
	socket: Socket,
	secret: Buffer,
	options: HolderSocketOptions,
	running: Map<string, Promise<unknown>>,
): Promise<void> {
	const sessionId = await greetAsker(socket, secret, (digest) => {
		for (const id of options.held()) if (sessionDigest(id) === digest) return id;
		return undefined;
	});
	const { log, mostBytes = mostCallBytes } = options;
	const reader = boundedReader(socket, mostBytes, () => {
		log.warn(`a talk with another process was ended: a call of more than ${mostBytes} bytes`);
		socket.destroy();
	});
	const connection = createMessageConnection(reader, new StreamMessageWriter(socket));
	const gone = new AbortController();
	socket.once('close', () => gone.abort(new HolderGone('whoever asked is gone')));
	connection.onError(([error]) => {
		log.warn(`a talk with another process was ended: ${error.message}`);
		// What comes behind words that cannot be read cannot be told apart: whoever asked asks anew.
		socket.destroy();
	});
	let until = 0;
	connection.onRequest(messages.alive, (params) => {
		if (Number.isFinite(params?.until)) until = Math.max(until, params.until);
		return null;
	});
	connection.onRequest(messages.call, async (given, token) => {
		const params = callOf(given);
		until = Math.max(until, params.until);
		// The same write may still be under way for a connection that broke.
		const before = running.get(params.operation);
		const work = afterwards(before, () =>
			doWork({ sessionId, connection, isWanted: () => !gone.signal.aborted && Date.now() <= until }, params, {
				token,
				gone: gone.signal,
				options,
			}),
		);
		running.set(params.operation, work);
		try {
			return await work;
		} finally {
			if (running.get(params.operation) === work) running.delete(params.operation);
		}
	});
	connection.listen();
	socket.resume();
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A call as it came, where it is one: its operation is kept in the journal for good. */
function callOf(given: messages.CallParams): messages.CallParams {
	const isCall =
		isFields(given) &&
		typeof given.operation === 'string' &&
		uuid.test(given.operation) &&
		typeof given.method === 'string' &&
		Number.isFinite(given.until);
	if (isCall) return given;
	throw new ResponseError(ErrorCodes.InvalidParams, 'this is no call of another process');
}

/** Without a predecessor at once, so that calls start in the order in which they come. */
function afterwards<T>(before: Promise<unknown> | undefined, work: () => Promise<T>): Promise<T> {
	return before ? before.then(work, work) : work();
}

interface Talk {
	sessionId: string;
	connection: MessageConnection;
	/** Whether whoever asked still waits. */
	isWanted(): boolean;
}

async function doWork(
	{ sessionId, connection, isWanted }: Talk,
	{ operation, method, params, settings, offersModel }: messages.CallParams,
	{ token, gone, options }: { token: CancellationToken; gone: AbortSignal; options: HolderSocketOptions },
): Promise<unknown> {
	const calledOff = new AbortController();
	if (token.isCancellationRequested) calledOff.abort();
	const subscription = token.onCancellationRequested(() => calledOff.abort());
	const tell = (progress: Omit<messages.CallProgressParams, 'operation'>): void =>
		void connection.sendNotification(messages.progress, { operation, ...progress }).catch(() => undefined);
	try {
		return await options.work({
			sessionId,
			method,
			params,
			operation: {
				id: operation,
				written: new Map(),
				confirm() {
					if (!isWanted()) throw new HolderGone('whoever asked waits no more');
				},
			},
			signal: AbortSignal.any([calledOff.signal, gone]),
			progress: {
				begin: (title) => tell({ title }),
				report: (message, percentage) => tell({ message, percentage }),
			},
			settings: settingsOfOther(settings),
			offersModel: offersModel === true,
			askModel: (link, question, signal) => askBack(connection, operation, link, question, signal),
		});
	} catch (error) {
		if (error instanceof HolderGone) throw new ResponseError(messages.notHolding, error.message);
		if (error instanceof AnswerError) throw new ResponseError(error.code, error.message, error.data);
		throw error;
	} finally {
		subscription.dispose();
	}
}

/** Has a model asked where the keys are. */
async function askBack(
	connection: MessageConnection,
	operation: string,
	link: Parameters<AskModel>[0],
	{ sessionId, ...question }: Parameters<AskModel>[1],
	signal: AbortSignal,
): ReturnType<AskModel> {
	const asked = connection.sendRequest(messages.ask, {
		operation,
		sessionId,
		link: linkWithoutKeys(link),
		question,
	});
	const calledOff = new Promise<never>((_, reject) => {
		if (signal.aborted) reject(signal.reason);
		signal.addEventListener('abort', () => reject(signal.reason), { once: true });
	});
	const result = await Promise.race([asked, calledOff]);
	if ('reply' in result) return result.reply;
	throw new CallFailure(result.failure.message, result.failure);
}
