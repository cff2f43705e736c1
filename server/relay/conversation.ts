/** One client's conversation, remembered as far as needed to continue it with another daemon. */

import { type Fields, isFields } from '../core/shape.ts';
import { errorCodes, failureCodes, type restartErrors } from '../protocol/errors.ts';
import { logMessage } from '../protocol/lsp.ts';
import { FollowedTranscripts } from './followedTranscripts.ts';
import { type MessageHead, type MessageId, parseMessageHead, readOwnHead } from './messageHead.ts';
import { paramsOf, parseMembers, serializeMessage } from './messages.ts';
import { appendMethod, isRepeatable } from './repeatable.ts';
import { SetupNotifications } from './setupNotifications.ts';

/** Receivers of the forwarded messages. */
export interface ConversationSink {
	toClient(body: Buffer): void;
	toDaemon(body: Buffer): void;
}

/** Returns the daemon's result of `initialize` for these params; undefined if only the daemon can answer. */
export type InitializeAnswer = (params: unknown) => object | undefined;

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

/** A request of the client that was sent to a daemon. */
interface SentRequest extends ClientRequest {
	/** Its number among the messages to the current daemon, from 1. */
	position: number;
	/** Whether the daemon moved aside before it applied any of it. */
	isCutShort: boolean;
	/** Number of daemons that ended while they worked on it. */
	crashes: number;
	isCancelled: boolean;
}

/** A request of the daemon that the client has not answered. */
interface DaemonRequest {
	/** Its id for the client. */
	id: MessageId;
	/** Its id for the daemon. */
	ownId: MessageId;
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
	/** `moving`: the daemon takes no new requests, but finishes those it has. */
	#phase: 'apart' | 'joined' | 'moving' = 'apart';
	#connections = 0;
	/** Number of messages to the current daemon. */
	#messageCount = 0;
	#held: ClientMessage[] = [];
	readonly #sent = new Map<string, SentRequest>();
	readonly #daemonRequests = new Map<string, DaemonRequest>();
	/** Requests of earlier daemons; answers to them are dropped. */
	readonly #abandoned = new Set<string>();
	/** Requests that were answered while the daemon was suspended; its own answers to them are dropped. */
	readonly #givenUp = new Set<string>();
	readonly #setup = new SetupNotifications();
	readonly #followed = new FollowedTranscripts();
	#initialize: Buffer | undefined;
	#answerInitialize: InitializeAnswer | undefined;
	#hasShutDown = false;
	#exit: Buffer | undefined;

	constructor(sink: ConversationSink) {
		this.#sink = sink;
	}

	/** Whether no message waits for an answer or for a daemon. */
	get isSettled(): boolean {
		return this.#sent.size === 0 && this.#held.length === 0;
	}

	/** Whether the client has left, by `shutdown` or `exit`, and no request has to be sent again. */
	get isOver(): boolean {
		return this.#isLeaving && this.#sent.size === 0;
	}

	/** Whether the daemon has announced that it moves aside. */
	get isMoving(): boolean {
		return this.#phase === 'moving';
	}

	/** Exit code of the process if no daemon sends one. */
	get exitCode(): number {
		return this.#hasShutDown ? 0 : 1;
	}

	/** @param refusal answers a request, which is then not sent */
	fromClient(body: Buffer, refusal?: string): void {
		const message = { ...parseMessageHead(body), body };
		if (refusal !== undefined && isRequest(message)) this.#refuse(message, refusal);
		else if (this.#mayPass(message)) this.#send(message);
		else if (!this.#tryAnswer(message)) this.#held.push(message);
	}

	/** Answers `initialize` itself if it is the first message and no daemon is connected yet. */
	answerInitialize(answer: InitializeAnswer): void {
		this.#answerInitialize = answer;
	}

	/** Forwards a message of the daemon to the client; returns it instead if it is for the relay. */
	fromDaemon(body: Buffer): RelayNotice | undefined {
		const { id, method } = readOwnHead(body);
		if (method?.startsWith(noticePrefix)) return { method, params: paramsOf(body) };
		if (method === undefined) {
			if (id === undefined || this.#settle(id, body)) this.#sink.toClient(body);
		} else this.#passRequest(id, method, body);
		return undefined;
	}

	/** Continues with a new daemon: repeats what an earlier one knew, then sends the waiting messages. */
	join(): void {
		this.#connections++;
		this.#messageCount = 0;
		this.#phase = 'joined';
		this.#replay();
		const held = this.#held;
		this.#held = [];
		for (const message of held) this.#send(message);
	}

	/** Stops sending new messages, because the daemon moves aside. */
	move(): void {
		if (this.#phase === 'joined') this.#phase = 'moving';
	}

	/**
	 * Handles the end of a daemon: answers the requests that must not be sent again.
	 * @param received number of messages that it read; by default, it may have read all
	 */
	handleDaemonExit(received = this.#messageCount): void {
		this.#phase = 'apart';
		this.#givenUp.clear();
		for (const { id } of this.#daemonRequests.values()) {
			this.#abandoned.add(String(id));
			this.#sink.toClient(serializeMessage({ method: cancelMethod, params: { id } }));
		}
		this.#daemonRequests.clear();
		for (const request of [...this.#sent.values()]) {
			const isUntouched = request.isCutShort || request.position > received;
			request.isCutShort = false;
			if (!isUntouched) request.crashes++;
			const outcome = isUntouched
				? this.#outcomeOfUnapplied(request)
				: outcomeAfterCrash(request, this.#isLeaving);
			if (outcome !== undefined) this.#answer(request.id, outcome);
		}
		for (const path of this.#followed.dropCrashing()) {
			const message = `${path} is no longer followed: the daemon ended twice while it read this file`;
			this.#sink.toClient(
				serializeMessage({ method: logMessage.method, params: { type: warningType, message } }),
			);
		}
	}

	/** Answers every request with this error, because no daemon is available. */
	fail(code: number, message: string): void {
		const requests = [...this.#sent.values(), ...this.#held.filter(isRequest)];
		for (const { id } of requests) this.#answer(id, { error: { code, message } });
		this.#held = [];
	}

	/** Answers every request, because the daemon is suspended. Other messages still wait. */
	giveUp(message: string): void {
		const requests = [...this.#sent.values(), ...this.#held.filter(isRequest)];
		for (const key of this.#sent.keys()) this.#givenUp.add(key);
		this.#held = this.#held.filter((one) => !isRequest(one));
		for (const request of requests) this.#refuse(request, message);
	}

	/** Answers a request that the suspended daemon does not answer. */
	#refuse({ id, method, isCancelled }: ClientRequest, message: string): void {
		if (method === 'shutdown') this.#hasShutDown = true;
		const refused = isCancelled ? cancelledOutcome : failureOutcome('DaemonSuspended', message);
		this.#answer(id, method === 'shutdown' ? { result: null } : refused);
	}

	get #isLeaving(): boolean {
		return this.#hasShutDown || this.#exit !== undefined;
	}

	#mayPass({ id, method, body }: ClientMessage): boolean {
		if (this.#phase !== 'moving') return this.#phase === 'joined';
		if (method === undefined) return id !== undefined;
		return method === cancelMethod && this.#sent.has(String(paramsOf(body).id));
	}

	/** Answers `initialize` if that is possible here; `join` then sends it to the daemon. */
	#tryAnswer({ id, method, body }: ClientMessage): boolean {
		if (this.#answerInitialize === undefined || this.#connections > 0 || this.#held.length > 0) return false;
		if (id === undefined || method !== 'initialize' || this.#initialize !== undefined) return false;
		const { jsonrpc, params } = parseMembers(body);
		const result = jsonrpc === '2.0' ? this.#answerInitialize(params) : undefined;
		if (result === undefined) return false;
		this.#initialize = Buffer.from(body);
		this.#sink.toClient(serializeMessage({ id, result }));
		return true;
	}

	#send({ id, method, body }: ClientMessage): void {
		if (method === undefined) {
			const answer = id === undefined ? body : this.#answerToDaemon(id, body);
			if (answer !== undefined) this.#toDaemon(answer);
			return;
		}
		if (id === undefined) this.#notice(method, body);
		else this.#remember(id, method, body);
		this.#toDaemon(body);
	}

	#toDaemon(body: Buffer): void {
		this.#messageCount++;
		this.#sink.toDaemon(body);
	}

	#remember(id: MessageId, method: string, body: Buffer): void {
		const key = String(id);
		// The daemon refuses a second request with the same id.
		if (this.#sent.has(key)) return;
		// A copy: the body is a part of a larger chunk.
		const request = { id, method, body: Buffer.from(body), crashes: 0, isCancelled: false };
		this.#sent.set(key, { ...request, position: this.#messageCount + 1, isCutShort: false });
		if (method === 'initialize') this.#initialize ??= request.body;
		if (method === 'shutdown') this.#hasShutDown = true;
		this.#followed.recordRequest(key, method, body);
	}

	#notice(method: string, body: Buffer): void {
		if (method === 'exit') this.#exit = Buffer.from(body);
		this.#setup.add(method, body);
		if (method !== cancelMethod) return;
		const request = this.#sent.get(String(paramsOf(body).id));
		if (request) request.isCancelled = true;
	}

	/** Returns the answer with the id that the daemon knows; undefined if an earlier daemon asked. */
	#answerToDaemon(id: MessageId, body: Buffer): Buffer | undefined {
		const key = String(id);
		if (this.#abandoned.delete(key)) return undefined;
		const request = this.#daemonRequests.get(key);
		this.#daemonRequests.delete(key);
		return request === undefined || request.ownId === id ? body : withId(body, request.ownId);
	}

	/** Records an answer; returns whether it is for the client. */
	#settle(id: MessageId, body: Buffer): boolean {
		const key = String(id);
		if (key.startsWith(followIdPrefix)) this.#followed.recordRepeated(key.slice(followIdPrefix.length));
		if (key.startsWith(relayIdPrefix) || this.#givenUp.delete(key)) return false;
		const request = this.#sent.get(key);
		if (request && this.#isCutShort(request, body)) {
			request.isCutShort = isUnapplied(request);
			return false;
		}
		this.#sent.delete(key);
		if (request?.method === 'initialize' && 'error' in parseMembers(body)) this.#initialize = undefined;
		this.#followed.recordAnswer(key, body);
		return true;
	}

	/** Returns whether a daemon that moves aside has cancelled a request that the client did not cancel. */
	#isCutShort({ isCancelled }: SentRequest, answer: Buffer): boolean {
		if (this.#phase !== 'moving' || isCancelled) return false;
		const { error } = parseMembers(answer);
		return isFields(error) && error.code === errorCodes.requestCancelled;
	}

	/**
	 * Forwards a request or notification of the daemon. Each daemon counts its ids from 0, so those of later ones get a
	 * prefix.
	 */
	#passRequest(ownId: MessageId | undefined, method: string, body: Buffer): void {
		const rename = (id: MessageId): MessageId =>
			this.#connections === 1 ? id : `${this.#connections}:${id}`;
		if (ownId !== undefined) {
			const id = rename(ownId);
			this.#daemonRequests.set(String(id), { id, ownId });
			this.#sink.toClient(id === ownId ? body : withId(body, id));
			return;
		}
		const cancelled = method === cancelMethod && this.#connections > 1 ? paramsOf(body).id : undefined;
		this.#sink.toClient(
			cancelled === undefined
				? body
				: serializeMessage({ method, params: { id: rename(cancelled as MessageId) } }),
		);
	}

	#replay(): void {
		const sent = [...this.#sent.values()];
		const isWaiting = (request: SentRequest): boolean => request.method === 'initialize';
		if (this.#initialize !== undefined && !sent.some(isWaiting)) {
			this.#toDaemon(withId(this.#initialize, initializeId));
		}
		for (const request of sent.filter(isWaiting)) this.#repeat(request);
		for (const body of this.#setup.all()) this.#toDaemon(body);
		for (const [sessionId, body] of this.#followed.requestsToRepeat()) {
			this.#toDaemon(withId(body, `${followIdPrefix}${sessionId}`));
		}
		for (const request of sent) if (!isWaiting(request)) this.#repeat(request);
		if (this.#exit !== undefined) this.#toDaemon(this.#exit);
	}

	#repeat(request: SentRequest): void {
		request.position = this.#messageCount + 1;
		this.#toDaemon(request.body);
	}

	/** Returns the answer to a request that no daemon has applied; undefined if it is to be sent again. */
	#outcomeOfUnapplied({ method, isCancelled }: SentRequest): Outcome | undefined {
		if (isCancelled) return cancelledOutcome;
		// Only if no other request has to be sent again.
		return method === 'shutdown' && this.#sent.size === 1 ? { result: null } : undefined;
	}

	#answer(id: MessageId, outcome: Outcome): void {
		const request = this.#sent.get(String(id));
		this.#sent.delete(String(id));
		// The request may be why the daemon ended.
		if (request?.method === 'initialize') this.#initialize = undefined;
		this.#followed.forget(String(id));
		this.#sink.toClient(serializeMessage({ id, ...outcome }));
	}
}

function isRequest(message: ClientMessage): message is ClientRequest {
	return message.id !== undefined && message.method !== undefined;
}

/**
 * Returns whether a request that its daemon cancelled has changed nothing. Other requests may be partly applied by
 * then.
 */
function isUnapplied({ method, body }: SentRequest): boolean {
	return method === appendMethod || isRepeatable(method, body);
}

type Outcome = { result: unknown } | { error: { code: number; message: string; data?: Fields } };

const cancelledOutcome: Outcome = {
	error: { code: errorCodes.requestCancelled, message: 'the request was cancelled' },
};

/** Returns the answer to a request whose daemon ended; undefined if it is to be sent again. */
function outcomeAfterCrash(request: SentRequest, isLeaving: boolean): Outcome | undefined {
	const { method, body, crashes, isCancelled } = request;
	if (method === 'shutdown') return { result: null };
	if (isCancelled) return cancelledOutcome;
	if (isLeaving || !isRepeatable(method, body)) {
		return failureOutcome(
			'DaemonRestarted',
			`the daemon ended before it answered ${method}, which was applied completely or not at all`,
		);
	}
	if (crashes < maxCrashes) return undefined;
	return failureOutcome(
		'RequestCrashedDaemon',
		`the daemon ended ${crashes} times while it worked on ${method}`,
	);
}

function failureOutcome(kind: (typeof restartErrors)[number], message: string): Outcome {
	return { error: { code: failureCodes[kind], message, data: { kind } } };
}

function withId(body: Buffer, id: MessageId): Buffer {
	return serializeMessage({ ...parseMembers(body), id });
}
