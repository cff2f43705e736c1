import { Message, type MessageStrategy } from 'vscode-jsonrpc/node';
import { cancelRequest } from '../../protocol/lifecycle.ts';
import { describeReceived } from '../wire/shown.ts';

export interface DrainOptions {
	/** Called when too many messages are queued; pause the input. */
	onCrowded(): void;
	/** Called when the queue is short again; resume the input. */
	onClear(): void;
	/** Called when a message could not be finished, because its response could not be written. */
	onUnfinished(error: unknown): void;
}

const crowdedMessages = 1000;
const clearMessages = 100;

/** Cancellations and responses take effect when they are read, so they are not counted. */
function isCounted(message: Message): boolean {
	if (Message.isRequest(message)) return true;
	return Message.isNotification(message) && message.method !== cancelRequest.method;
}

type MessageHandler = Parameters<MessageStrategy['handleMessage']>[1];

/** A caller that waits until at most `remaining` messages are unfinished. */
interface Waiter {
	remaining: number;
	wake(): void;
}

/**
 * Counts unfinished messages: requests until their response is written, and notifications until handled.
 *
 * The connection reports its end before it has started the queued requests, so ending then would lose their answers. A
 * message is queued from its receipt until its handling starts, and unfinished until its handling ends.
 */
export class Drain implements MessageStrategy {
	readonly #options: DrainOptions;
	#queued = 0;
	#unfinished = 0;
	#isCrowded = false;
	#finishedAt = performance.now();
	#waiters: Waiter[] = [];

	constructor(options: DrainOptions) {
		this.#options = options;
	}

	/** Number of messages that were read and are not finished. */
	get unfinished(): number {
		return this.#unfinished;
	}

	/** Counts a message that was read. */
	countReceived(message: Message): void {
		if (!isCounted(message)) return;
		this.#queued++;
		this.#unfinished++;
		if (this.#isCrowded || this.#queued < crowdedMessages) return;
		this.#isCrowded = true;
		this.#options.onCrowded();
	}

	/** Handles a message for the connection, and counts it as finished afterwards. */
	handleMessage(message: Message, next: MessageHandler): ReturnType<MessageHandler> {
		if (!isCounted(message)) return next(message);
		this.#queued--;
		if (this.#isCrowded && this.#queued <= clearMessages) {
			this.#isCrowded = false;
			this.#options.onClear();
		}
		return this.#trackHandling(next(message));
	}

	/** Milliseconds since the last message was finished; 0 while any is unfinished. */
	idleFor(): number {
		return this.#unfinished > 0 ? 0 : performance.now() - this.#finishedAt;
	}

	/** Resolves when at most `remaining` messages are unfinished. */
	settled(remaining: number): Promise<void> {
		if (this.#unfinished <= remaining) return Promise.resolve();
		return new Promise((wake) => {
			this.#waiters.push({ remaining, wake });
		});
	}

	async #trackHandling(handling: unknown): Promise<void> {
		try {
			await handling;
		} catch (error) {
			this.#options.onUnfinished(error);
		} finally {
			this.#finish();
		}
	}

	#finish(): void {
		this.#unfinished--;
		this.#finishedAt = performance.now();
		const ready = this.#waiters.filter(({ remaining }) => this.#unfinished <= remaining);
		if (ready.length === 0) return;
		this.#waiters = this.#waiters.filter(({ remaining }) => this.#unfinished > remaining);
		for (const { wake } of ready) wake();
	}
}

/** A received request without a response. */
export interface UnansweredRequest {
	id: string | number | null;
	method: string;
}

/** The ids of unanswered requests, in both directions. */
interface InFlight {
	/** Records a received message; returns a text if the message must be refused. */
	received(message: Message): string | undefined;
	/** Records a message that is about to be sent. */
	sending(message: Message): void;
	/** Unanswered requests of the other side, oldest first. */
	unanswered(): readonly UnansweredRequest[];
	/** Whether our request with this id is unanswered. */
	isAwaited(id: string | number): boolean;
}

/**
 * Creates the record of unanswered requests. It refuses a request whose id is still in use.
 *
 * The connection keys its queue by the id's text (1 and "1" are equal), so the earlier request would never be answered.
 */
export function createRequestRecord(): InFlight {
	const unanswered = new Map<string, UnansweredRequest>();
	const awaited = new Set<string | number>();
	return {
		received(message) {
			if (Message.isRequest(message)) {
				const key = String(message.id);
				if (unanswered.has(key)) {
					return `id: a request with the id ${describeReceived(message.id)} is still unanswered`;
				}
				unanswered.set(key, { id: message.id, method: message.method });
			} else if (Message.isResponse(message) && message.id !== null) {
				awaited.delete(message.id);
			}
			return undefined;
		},
		sending(message) {
			if (Message.isRequest(message) && message.id !== null) awaited.add(message.id);
			else if (Message.isResponse(message)) unanswered.delete(String(message.id));
		},
		unanswered: () => [...unanswered.values()],
		isAwaited: (id) => awaited.has(id),
	};
}
