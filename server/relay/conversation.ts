/** Forwards one client's messages, and remembers what is needed to continue with another daemon. */

import { type Fields, isFields } from '../core/shape.ts';
import { errorCodes, failureCodes, type restartErrors } from '../protocol/errors.ts';
import { logMessage } from '../protocol/lsp.ts';
import { FollowedTranscripts } from './followedTranscripts.ts';
import {
	type MessageHead,
	type MessageId,
	parseMembers,
	parseMessageHead,
	parseMessageParams,
	readDaemonHead,
	replaceId,
	serializeMessage,
} from './messages.ts';
import { isRepeatable, isUnappliedIfCancelled } from './repeatable.ts';
import { SetupNotifications } from './setupNotifications.ts';

export interface ConversationSink {
	sendToClient(body: Buffer): void;
	sendToDaemon(body: Buffer): void;
}

/** Returns the daemon's result of `initialize` for these params; undefined if only the daemon can answer. */
export type InitializeResponder = (params: unknown) => object | undefined;

/** A notification of the daemon to the relay itself. */
export interface RelayNotice {
	method: string;
	params: Fields;
}

interface ClientMessage extends MessageHead {
	body: Buffer;
}

interface ClientRequest extends ClientMessage {
	id: MessageId;
	method: string;
	isCancelled?: boolean;
}

interface SentRequest extends ClientRequest {
	/** Ordinal of the request among all messages to the current daemon, from 1. */
	ordinal: number;
	/** Whether the daemon moved aside and cancelled the request before it applied any part of the request. */
	isCancelledByMove: boolean;
	/** Number of daemons that ended while they worked on this request. */
	crashCount: number;
	isCancelled: boolean;
}

/** A request of the daemon that the client has not answered. */
interface DaemonRequest {
	/** Id under which the relay sent the request to the client. */
	id: MessageId;
	/** Id that the daemon gave the request. */
	daemonId: MessageId;
}

/** Prefix of the methods of notifications to the relay. */
const noticePrefix = '$/contextd/';
/** `MessageType.Warning` of LSP. */
const warningType = 2;
const cancelMethod = '$/cancelRequest';
/** Prefix of the ids of requests that the relay itself repeats; their answers are not forwarded. */
const relayIdPrefix = 'contextd-relay-';
const initializeId = `${relayIdPrefix}initialize`;
/** Prefix of the ids of repeated requests to follow a transcript, before the id of the session. */
const followIdPrefix = `${relayIdPrefix}follow-`;
/** Number of crashes after which a request is not sent again. */
const maxCrashes = 2;

/**
 * Decides where each message goes, and what is repeated after a daemon ended. Messages of the client keep their order
 * and wait while no daemon is connected. Does no input or output itself.
 */
export class RelayConversation {
	readonly #sink: ConversationSink;
	/** `apart`: no daemon is connected; `moving`: another daemon will replace the current one, which gets no new requests. */
	#phase: 'apart' | 'joined' | 'moving' = 'apart';
	#connectionCount = 0;
	/** Number of messages to the current daemon. */
	#messageCount = 0;
	#queuedMessages: ClientMessage[] = [];
	readonly #sentRequests = new Map<string, SentRequest>();
	readonly #daemonRequests = new Map<string, DaemonRequest>();
	/** Ids of requests of earlier daemons; the client's answers to these are dropped. */
	readonly #abandonedIds = new Set<string>();
	/** Ids of requests that the relay answered while the daemon was suspended; the daemon's own answers are dropped. */
	readonly #refusedIds = new Set<string>();
	readonly #setupNotifications = new SetupNotifications();
	readonly #followedTranscripts = new FollowedTranscripts();
	#initializeRequest: Buffer | undefined;
	#answerInitialize: InitializeResponder | undefined;
	#hasShutDown = false;
	#exitNotification: Buffer | undefined;

	constructor(sink: ConversationSink) {
		this.#sink = sink;
	}

	/** Whether no message waits for an answer or for a daemon. */
	get isSettled(): boolean {
		return this.#sentRequests.size === 0 && this.#queuedMessages.length === 0;
	}

	/** Whether the client has left, by `shutdown` or `exit`, and no request has to be sent again. */
	get isOver(): boolean {
		return this.#isLeaving && this.#sentRequests.size === 0;
	}

	/** Whether the daemon has announced that another daemon will replace it. */
	get isMoving(): boolean {
		return this.#phase === 'moving';
	}

	/** Exit code of the process if no daemon sends one. */
	get exitCode(): number {
		return this.#hasShutDown ? 0 : 1;
	}

	/** @param refusal error text that answers a request instead of sending it */
	receiveFromClient(body: Buffer, refusal?: string): void {
		const message = { ...parseMessageHead(body), body };
		if (refusal !== undefined && isRequest(message)) this.#refuse(message, refusal);
		else if (this.#canForward(message)) this.#send(message);
		else if (!this.#tryAnswer(message)) this.#queuedMessages.push(message);
	}

	/** Answers `initialize` itself if it is the first message and no daemon is connected yet. */
	answerInitialize(answer: InitializeResponder): void {
		this.#answerInitialize = answer;
	}

	/** Forwards a message of the daemon to the client; returns it instead if it is for the relay. */
	receiveFromDaemon(body: Buffer): RelayNotice | undefined {
		const { id, method } = readDaemonHead(body);
		if (method?.startsWith(noticePrefix)) return { method, params: parseMessageParams(body) };
		if (method === undefined) {
			if (id === undefined || this.#recordAnswer(id, body)) this.#sink.sendToClient(body);
		} else this.#forwardFromDaemon(id, method, body);
		return undefined;
	}

	/** Continues with a new daemon: repeats the messages that each daemon needs, then sends queued messages. */
	attachDaemon(): void {
		this.#connectionCount++;
		this.#messageCount = 0;
		this.#phase = 'joined';
		this.#replay();
		const queued = this.#queuedMessages;
		this.#queuedMessages = [];
		for (const message of queued) this.#send(message);
	}

	/** Stops sending new messages, because another daemon will replace the current one. */
	beginMove(): void {
		if (this.#phase === 'joined') this.#phase = 'moving';
	}

	/**
	 * Handles the end of a daemon: answers the requests that must not be sent again.
	 * @param receivedCount number of messages that the daemon read; by default, it may have read all
	 */
	handleDaemonExit(receivedCount = this.#messageCount): void {
		this.#phase = 'apart';
		this.#refusedIds.clear();
		for (const { id } of this.#daemonRequests.values()) {
			this.#abandonedIds.add(String(id));
			this.#sink.sendToClient(serializeMessage({ method: cancelMethod, params: { id } }));
		}
		this.#daemonRequests.clear();
		for (const request of [...this.#sentRequests.values()]) {
			const isUntouched = request.isCancelledByMove || request.ordinal > receivedCount;
			request.isCancelledByMove = false;
			if (!isUntouched) request.crashCount++;
			const outcome = isUntouched
				? this.#chooseUnappliedOutcome(request)
				: chooseCrashOutcome(request, this.#isLeaving);
			if (outcome !== undefined) this.#answer(request.id, outcome);
		}
		for (const path of this.#followedTranscripts.forgetCrashing()) {
			const message = `${path} is no longer followed: the daemon ended twice while it read this file`;
			this.#sink.sendToClient(
				serializeMessage({ method: logMessage.method, params: { type: warningType, message } }),
			);
		}
	}

	/** Answers every waiting request with this error, because no daemon is available. */
	failAll(code: number, message: string): void {
		const requests = [...this.#sentRequests.values(), ...this.#queuedMessages.filter(isRequest)];
		for (const { id } of requests) this.#answer(id, { error: { code, message } });
		this.#queuedMessages = [];
	}

	/** Answers every waiting request with an error, because the daemon is suspended. Notifications stay queued. */
	refuseAll(message: string): void {
		const requests = [...this.#sentRequests.values(), ...this.#queuedMessages.filter(isRequest)];
		for (const key of this.#sentRequests.keys()) this.#refusedIds.add(key);
		this.#queuedMessages = this.#queuedMessages.filter((one) => !isRequest(one));
		for (const request of requests) this.#refuse(request, message);
	}

	/** Answers a request that the suspended daemon does not answer. */
	#refuse({ id, method, isCancelled }: ClientRequest, message: string): void {
		if (method === 'shutdown') this.#hasShutDown = true;
		const refused = isCancelled ? cancelledOutcome : createFailure('DaemonSuspended', message);
		this.#answer(id, method === 'shutdown' ? { result: null } : refused);
	}

	get #isLeaving(): boolean {
		return this.#hasShutDown || this.#exitNotification !== undefined;
	}

	#canForward({ id, method, body }: ClientMessage): boolean {
		if (this.#phase !== 'moving') return this.#phase === 'joined';
		if (method === undefined) return id !== undefined;
		return method === cancelMethod && this.#sentRequests.has(String(parseMessageParams(body).id));
	}

	/** Answers `initialize` if no daemon is needed for it; `attachDaemon` then sends the request to the daemon. */
	#tryAnswer({ id, method, body }: ClientMessage): boolean {
		if (this.#answerInitialize === undefined || this.#connectionCount > 0 || this.#queuedMessages.length > 0)
			return false;
		if (id === undefined || method !== 'initialize' || this.#initializeRequest !== undefined) return false;
		const { jsonrpc, params } = parseMembers(body);
		const result = jsonrpc === '2.0' ? this.#answerInitialize(params) : undefined;
		if (result === undefined) return false;
		this.#initializeRequest = Buffer.from(body);
		this.#sink.sendToClient(serializeMessage({ id, result }));
		return true;
	}

	#send({ id, method, body }: ClientMessage): void {
		if (method === undefined) {
			const answer = id === undefined ? body : this.#answerToDaemon(id, body);
			if (answer !== undefined) this.#sendToDaemon(answer);
			return;
		}
		if (id === undefined) this.#recordNotification(method, body);
		else this.#recordRequest(id, method, body);
		this.#sendToDaemon(body);
	}

	#sendToDaemon(body: Buffer): void {
		this.#messageCount++;
		this.#sink.sendToDaemon(body);
	}

	#recordRequest(id: MessageId, method: string, body: Buffer): void {
		const key = String(id);
		// The daemon refuses a second request with the same id.
		if (this.#sentRequests.has(key)) return;
		// The body is copied, because it would keep the larger chunk in memory that it is a part of.
		const request = { id, method, body: Buffer.from(body), crashCount: 0, isCancelled: false };
		this.#sentRequests.set(key, { ...request, ordinal: this.#messageCount + 1, isCancelledByMove: false });
		if (method === 'initialize') this.#initializeRequest ??= request.body;
		if (method === 'shutdown') this.#hasShutDown = true;
		this.#followedTranscripts.recordRequest(key, method, body);
	}

	#recordNotification(method: string, body: Buffer): void {
		if (method === 'exit') this.#exitNotification = Buffer.from(body);
		this.#setupNotifications.addIfSetup(method, body);
		if (method !== cancelMethod) return;
		const request = this.#sentRequests.get(String(parseMessageParams(body).id));
		if (request) request.isCancelled = true;
	}

	/** Returns the client's answer under the daemon's id for the request; undefined if an earlier daemon asked. */
	#answerToDaemon(id: MessageId, body: Buffer): Buffer | undefined {
		const key = String(id);
		if (this.#abandonedIds.delete(key)) return undefined;
		const request = this.#daemonRequests.get(key);
		this.#daemonRequests.delete(key);
		return request === undefined || request.daemonId === id ? body : replaceId(body, request.daemonId);
	}

	/** Records an answer; returns whether it is for the client. */
	#recordAnswer(id: MessageId, body: Buffer): boolean {
		const key = String(id);
		if (key.startsWith(followIdPrefix))
			this.#followedTranscripts.recordRepeatAnswer(key.slice(followIdPrefix.length));
		if (key.startsWith(relayIdPrefix) || this.#refusedIds.delete(key)) return false;
		const request = this.#sentRequests.get(key);
		if (request && this.#isCancelledByMove(request, body)) {
			request.isCancelledByMove = isUnappliedIfCancelled(request.method, request.body);
			return false;
		}
		this.#sentRequests.delete(key);
		if (request?.method === 'initialize' && 'error' in parseMembers(body))
			this.#initializeRequest = undefined;
		this.#followedTranscripts.recordAnswer(key, body);
		return true;
	}

	/** Whether a daemon that will be replaced has cancelled a request that the client did not cancel. */
	#isCancelledByMove({ isCancelled }: SentRequest, answer: Buffer): boolean {
		if (this.#phase !== 'moving' || isCancelled) return false;
		const { error } = parseMembers(answer);
		return isFields(error) && error.code === errorCodes.requestCancelled;
	}

	/**
	 * Forwards a request or notification of the daemon. Each daemon counts its ids from 0, so the ids of all but the
	 * first daemon get a prefix.
	 */
	#forwardFromDaemon(daemonId: MessageId | undefined, method: string, body: Buffer): void {
		const addPrefix = (id: MessageId): MessageId =>
			this.#connectionCount === 1 ? id : `${this.#connectionCount}:${id}`;
		if (daemonId !== undefined) {
			const id = addPrefix(daemonId);
			this.#daemonRequests.set(String(id), { id, daemonId });
			this.#sink.sendToClient(id === daemonId ? body : replaceId(body, id));
			return;
		}
		const cancelled =
			method === cancelMethod && this.#connectionCount > 1 ? parseMessageParams(body).id : undefined;
		this.#sink.sendToClient(
			cancelled === undefined
				? body
				: serializeMessage({ method, params: { id: addPrefix(cancelled as MessageId) } }),
		);
	}

	#replay(): void {
		const sent = [...this.#sentRequests.values()];
		const isInitialize = (request: SentRequest): boolean => request.method === 'initialize';
		if (this.#initializeRequest !== undefined && !sent.some(isInitialize))
			this.#sendToDaemon(replaceId(this.#initializeRequest, initializeId));
		for (const request of sent.filter(isInitialize)) this.#repeat(request);
		for (const body of this.#setupNotifications.list()) this.#sendToDaemon(body);
		for (const [sessionId, body] of this.#followedTranscripts.beginRepeats())
			this.#sendToDaemon(replaceId(body, `${followIdPrefix}${sessionId}`));
		for (const request of sent) if (!isInitialize(request)) this.#repeat(request);
		if (this.#exitNotification !== undefined) this.#sendToDaemon(this.#exitNotification);
	}

	#repeat(request: SentRequest): void {
		request.ordinal = this.#messageCount + 1;
		this.#sendToDaemon(request.body);
	}

	/** Returns the answer to a request that no daemon has applied; undefined if the request is to be sent again. */
	#chooseUnappliedOutcome({ method, isCancelled }: SentRequest): Outcome | undefined {
		if (isCancelled) return cancelledOutcome;
		// `shutdown` alone needs no new daemon; after other requests it is sent again.
		return method === 'shutdown' && this.#sentRequests.size === 1 ? { result: null } : undefined;
	}

	#answer(id: MessageId, outcome: Outcome): void {
		const request = this.#sentRequests.get(String(id));
		this.#sentRequests.delete(String(id));
		// The `initialize` request may be why the daemon ended.
		if (request?.method === 'initialize') this.#initializeRequest = undefined;
		this.#followedTranscripts.forgetRequest(String(id));
		this.#sink.sendToClient(serializeMessage({ id, ...outcome }));
	}
}

function isRequest(message: ClientMessage): message is ClientRequest {
	return message.id !== undefined && message.method !== undefined;
}

type Outcome = { result: unknown } | { error: { code: number; message: string; data?: Fields } };

const cancelledOutcome: Outcome = {
	error: { code: errorCodes.requestCancelled, message: 'the request was cancelled' },
};

/**
 * Returns the answer to a request that a daemon was handling when it ended; undefined if the request is to be
 * sent again.
 */
function chooseCrashOutcome(request: SentRequest, isLeaving: boolean): Outcome | undefined {
	const { method, body, crashCount, isCancelled } = request;
	if (method === 'shutdown') return { result: null };
	if (isCancelled) return cancelledOutcome;
	if (isLeaving || !isRepeatable(method, body)) {
		return createFailure(
			'DaemonRestarted',
			`the daemon ended before it answered ${method}, which was applied completely or not at all`,
		);
	}
	if (crashCount < maxCrashes) return undefined;
	return createFailure(
		'RequestCrashedDaemon',
		`the daemon ended ${crashCount} times while it worked on ${method}`,
	);
}

function createFailure(kind: (typeof restartErrors)[number], message: string): Outcome {
	return { error: { code: failureCodes[kind], message, data: { kind } } };
}
