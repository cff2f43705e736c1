import { Message, type MessageStrategy } from 'vscode-jsonrpc/node';
import { cancelRequest } from '../../protocol/lifecycle.ts';
import { describeReceived } from '../wire/describeValue.ts';

export interface DrainOptions {
	/** Called when too many messages are queued; pause the input. */
	onQueueFull(): void;
	/** Called when the queue is short again; resume the input. */
	onQueueShort(): void;
	/** Called when a message could not be finished, because its response could not be written. */
	onHandlingFailed(error: unknown): void;
}

const maxQueuedMessages = 1000;
const maxShortQueueMessages = 100;

/** Whether a message is counted. Cancellations and responses are not counted, because they take effect when read. */
function isCounted(message: Message): boolean {
	if (Message.isRequest(message)) return true;
	return Message.isNotification(message) && message.method !== cancelRequest.method;
}

type MessageHandler = Parameters<MessageStrategy['handleMessage']>[1];

/**
 * Counts unfinished messages: requests until their response is written, notifications until they are handled.
 *
 * The connection reports the end of its input before it has started the queued requests, so ending at that moment
 * would lose their answers. A message is queued until its handling starts, and unfinished until its handling ends.
 */
export class Drain implements MessageStrategy {
	readonly #options: DrainOptions;
	#queuedCount = 0;
	#unfinishedCount = 0;
	#isQueueFull = false;
	#lastFinishedAt = performance.now();
	/** Callers that wait until at most `maxRemaining` messages are unfinished. */
	#waiters: { maxRemaining: number; resolve(): void }[] = [];

	constructor(options: DrainOptions) {
		this.#options = options;
	}

	/** Number of messages that were read and are not finished. */
	get unfinishedCount(): number {
		return this.#unfinishedCount;
	}

	countReceived(message: Message): void {
		if (!isCounted(message)) return;
		this.#queuedCount++;
		this.#unfinishedCount++;
		if (this.#isQueueFull || this.#queuedCount < maxQueuedMessages) return;
		this.#isQueueFull = true;
		this.#options.onQueueFull();
	}

	/** Passes a message to the connection, and counts it as finished after its handling. */
	handleMessage(message: Message, next: MessageHandler): ReturnType<MessageHandler> {
		if (!isCounted(message)) return next(message);
		this.#queuedCount--;
		if (this.#isQueueFull && this.#queuedCount <= maxShortQueueMessages) {
			this.#isQueueFull = false;
			this.#options.onQueueShort();
		}
		return this.#trackHandling(next(message));
	}

	/** Returns the milliseconds since the last message was finished; 0 while any is unfinished. */
	getIdleMs(): number {
		return this.#unfinishedCount > 0 ? 0 : performance.now() - this.#lastFinishedAt;
	}

	/** Resolves when at most `maxRemaining` messages are unfinished. */
	waitUntilSettled(maxRemaining: number): Promise<void> {
		if (this.#unfinishedCount <= maxRemaining) return Promise.resolve();
		return new Promise((resolve) => {
			this.#waiters.push({ maxRemaining, resolve });
		});
	}

	async #trackHandling(handling: unknown): Promise<void> {
		try {
			await handling;
		} catch (error) {
			this.#options.onHandlingFailed(error);
		} finally {
			this.#finish();
		}
	}

	#finish(): void {
		this.#unfinishedCount--;
		this.#lastFinishedAt = performance.now();
		const ready = this.#waiters.filter(({ maxRemaining }) => this.#unfinishedCount <= maxRemaining);
		if (ready.length === 0) return;
		this.#waiters = this.#waiters.filter(({ maxRemaining }) => this.#unfinishedCount > maxRemaining);
		for (const { resolve } of ready) resolve();
	}
}

/** A received request without a response. */
export interface UnansweredRequest {
	id: string | number | null;
	method: string;
}

/**
 * Records which requests are unanswered, in both directions, and refuses a request whose id is still in use.
 *
 * The connection identifies requests by the id's text (1 and "1" are equal), so the earlier request would never be
 * answered.
 */
export class RequestRecord {
	readonly #unanswered = new Map<string, UnansweredRequest>();
	readonly #awaitedIds = new Set<string | number>();

	/** Records a received message; returns a reason if the message must be refused. */
	recordReceived(message: Message): string | undefined {
		if (Message.isRequest(message)) {
			const key = String(message.id);
			if (this.#unanswered.has(key))
				return `id: a request with the id ${describeReceived(message.id)} is still unanswered`;
			this.#unanswered.set(key, { id: message.id, method: message.method });
		} else if (Message.isResponse(message) && message.id !== null) {
			this.#awaitedIds.delete(message.id);
		}
		return undefined;
	}

	/** Records a message that is about to be sent. */
	recordSent(message: Message): void {
		if (Message.isRequest(message) && message.id !== null) this.#awaitedIds.add(message.id);
		else if (Message.isResponse(message)) this.#unanswered.delete(String(message.id));
	}

	/** Returns the requests of the client that are unanswered, oldest first. */
	listUnanswered(): readonly UnansweredRequest[] {
		return [...this.#unanswered.values()];
	}

	/** Returns whether a request to the client with this id is unanswered. */
	isAwaitingAnswer(id: string | number): boolean {
		return this.#awaitedIds.has(id);
	}
}
