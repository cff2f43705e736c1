/** The asking end of a connection to a holder: writes go there, answers and progress come back. */

import { connect, type Socket } from 'node:net';
import {
	CancellationTokenSource,
	createMessageConnection,
	ErrorCodes,
	ResponseError,
	StreamMessageReader,
	StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import { AnswerError } from '../../core/answerError.ts';
import { isCallFailure } from '../../core/ask/callFailure.ts';
import { errorCode, errorText, Failure } from '../../core/failure.ts';
import { HolderGone } from '../../core/holderGone.ts';
import type { Settings } from '../../protocol/settings.ts';
import type { HandedCall } from '../../session/holders.ts';
import type { AskModel } from '../../session/ports.ts';
import { storageFailure } from '../journal/failure.ts';
import type { HolderAddress } from '../journal/lockNote.ts';
import { greetHolder } from './handshake.ts';
import { HandshakeError } from './lines.ts';
import * as messages from './messages.ts';
import { RoomRefused, secretAt } from './room.ts';
import { ownLink, settingsWithoutKeys } from './withoutKeys.ts';

/** Of this process, which asks. */
export interface Asker {
	settings(): Settings;
	offersModel(): boolean;
	askModel: AskModel;
}

/** A connection to the holder of one session. */
export interface HolderTalk {
	readonly isOver: boolean;
	call(call: HandedCall): Promise<unknown>;
	close(): void;
}

/** Milliseconds. A holder that has not answered for `silence` is not waited for. */
const times = {
	silence: 5000,
	/** From the beginning of a call, and from one answer on, to the next question whether the holder is still there. */
	pulse: 250,
	/** What is under way may be written so long after the last word; less than it is waited for an answer. */
	lease: 4000,
	/** A connection that nobody needs goes. */
	idle: 30_000,
};

/** Who is asked: as a failure names it. */
export interface AskedHolder {
	sessionId: string;
	pid: number;
	address: HolderAddress;
}

/** The failure where a holder cannot be asked. */
export function unasked({ sessionId, pid }: Pick<AskedHolder, 'sessionId' | 'pid'>, why: string): Failure {
	return new Failure(
		'SessionLocked',
		`session ${JSON.stringify(sessionId)} is held by process ${pid}, which ${why}`,
		{
			sessionId,
			pid,
		},
	);
}

/** Connects to a holder, and has it prove itself. Rejects with `HolderGone` and `SessionLocked`. */
export async function talkWith(holder: AskedHolder, asker: Asker): Promise<HolderTalk> {
	const begun = performance.now();
	let socket: Socket | undefined;
	try {
		const secret = await secretAt(holder.address);
		socket = await connected(holder.address.socket);
		await greetHolder(socket, secret, holder.sessionId, times.silence);
		return talkOver(socket, holder, asker);
	} catch (error) {
		socket?.destroy();
		const code = errorCode(error);
		if (['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTSOCK', 'ENOTDIR'].includes(code)) {
			throw new HolderGone(errorText(error));
		}
		if (error instanceof HandshakeError) {
			if (error.isLost) throw new HolderGone(error.message);
			const isSilent = performance.now() - begun >= times.silence - 100;
			throw unasked(holder, isSilent ? silent : `cannot be asked: ${error.message}`);
		}
		if (error instanceof RoomRefused) throw unasked(holder, `cannot be asked: ${error.message}`);
		// Where it sleeps, as many as may wait at its socket may be waiting already.
		if (['EACCES', 'EPERM', 'EAGAIN'].includes(code))
			throw unasked(holder, `cannot be asked: ${errorText(error)}`);
		throw code === '' ? error : storageFailure('ask the holder at', holder.address.socket, error);
	}
}

const silent = `has not answered for ${times.silence / 1000} s`;

function connected(path: string): Promise<Socket> {
	return new Promise((resolve, reject) => {
		const socket = connect(path);
		socket.once('error', reject);
		socket.once('connect', () => {
			socket.off('error', reject);
			socket.on('error', () => undefined);
			resolve(socket);
		});
	});
}

function talkOver(socket: Socket, holder: AskedHolder, asker: Asker): HolderTalk {
	const connection = createMessageConnection(
		new StreamMessageReader(socket),
		new StreamMessageWriter(socket),
	);
	/** Calls that wait for an answer, each with the way to end its waiting. */
	const waiting = new Map<string, { call: HandedCall; giveUp(error: Error): void }>();
	let isOver = false;
	let pulse: NodeJS.Timeout | undefined;
	let idle: NodeJS.Timeout | undefined;

	function end(error: Error): void {
		if (isOver) return;
		isOver = true;
		clearTimeout(pulse);
		clearTimeout(idle);
		// First, since to dispose of the connection is an answer too.
		for (const { giveUp } of waiting.values()) giveUp(error);
		waiting.clear();
		connection.dispose();
		socket.destroy();
	}

	/** Sees to it that a holder that sleeps is noticed, and that nothing is written when it wakes. */
	function listenForPulse(): void {
		pulse ??= setTimeout(feelPulse, times.pulse).unref();
	}

	function feelPulse(): void {
		const patience = new Promise<void>((resolve) => {
			pulse = setTimeout(resolve, times.silence - times.pulse).unref();
		})
			// Where this process itself was busy, the answer may lie there unread.
			.then(() => new Promise((resolve) => setImmediate(() => setImmediate(resolve))))
			.then(() => false);
		const answered = connection.sendRequest(messages.alive, { until: Date.now() + times.lease }).then(
			() => true,
			() => true,
		);
		void Promise.race([answered, patience]).then((isThere) => {
			clearTimeout(pulse);
			pulse = undefined;
			if (isOver) return;
			if (!isThere) end(unasked(holder, silent));
			else if (waiting.size > 0) listenForPulse();
		});
	}

	function restLater(): void {
		if (waiting.size > 0) return;
		socket.unref();
		clearTimeout(idle);
		idle = setTimeout(
			() => waiting.size === 0 && end(new HolderGone('nobody asked for long')),
			times.idle,
		).unref();
	}

	socket.once('close', () => end(new HolderGone('the holder closed the connection')));
	connection.onError(() => end(new HolderGone('the connection failed')));
	connection.onNotification(messages.progress, ({ operation, title, message, percentage }) => {
		const progress = waiting.get(operation)?.call.progress;
		if (title !== undefined) progress?.begin(title);
		if (message !== undefined) progress?.report(message, percentage);
	});
	connection.onRequest(messages.ask, (params) =>
		askFor(asker, params, waiting.get(params.operation)?.call.signal),
	);
	connection.listen();
	socket.resume();

	return {
		get isOver() {
			return isOver;
		},
		async call(call) {
			if (isOver) throw new HolderGone('the connection is over');
			call.signal.throwIfAborted();
			clearTimeout(idle);
			// Whoever waits for an answer keeps the process alive, and nobody else does.
			socket.ref();
			const source = new CancellationTokenSource();
			const cancel = (): void => source.cancel();
			call.signal.addEventListener('abort', cancel, { once: true });
			const ended = new Promise<never>((_, reject) => {
				waiting.set(call.operation, { call, giveUp: reject });
			});
			const { operation, method, params } = call;
			const sent = connection.sendRequest(
				messages.call,
				{
					operation,
					method,
					params,
					settings: settingsWithoutKeys(asker.settings()),
					offersModel: asker.offersModel(),
					until: Date.now() + times.lease,
				},
				source.token,
			);
			sent.catch(() => undefined);
			listenForPulse();
			try {
				return await Promise.race([sent, ended]);
			} catch (error) {
				throw asAnswered(error);
			} finally {
				waiting.delete(call.operation);
				call.signal.removeEventListener('abort', cancel);
				source.dispose();
				restLater();
			}
		},
		close: () => end(new HolderGone('the connection was closed')),
	};
}

/** What an error of a call means. */
function asAnswered(error: unknown): unknown {
	if (!(error instanceof ResponseError)) return error;
	const isLost = error.code === messages.notHolding || error.code === ErrorCodes.PendingResponseRejected;
	return isLost ? new HolderGone(error.message) : new AnswerError(error.code, error.message, error.data);
}

/** Asks a model in the holder's stead: only one that is configured here, by what is configured here. */
async function askFor(
	asker: Asker,
	{ link, question, sessionId }: messages.AskParams,
	signal: AbortSignal | undefined,
): Promise<messages.AskResult> {
	const own = ownLink(asker.settings(), link);
	if (!own || !signal) {
		return { failure: { message: 'no such model is configured', retryable: false, timedOut: false } };
	}
	try {
		return { reply: await asker.askModel(own, { ...question, sessionId }, signal) };
	} catch (error) {
		const known = isCallFailure(error) ? error : undefined;
		return {
			failure: {
				message: errorText(error),
				retryable: known?.retryable ?? false,
				timedOut: known?.timedOut ?? false,
				...(known?.retryAfterMs !== undefined && { retryAfterMs: known.retryAfterMs }),
			},
		};
	}
}
