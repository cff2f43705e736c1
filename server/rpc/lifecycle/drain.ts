import { Message, type MessageStrategy } from 'vscode-jsonrpc/node';
import { cancelRequest } from '../../protocol/lifecycle.ts';
import { shown } from '../wire/shown.ts';

/** Counts unfinished messages: requests until their response is written, and notifications until handled. */
export interface Drain {
	/** Counts a message that was read. */
	received(message: Message): void;
	/** For the connection: counts messages as finished when they are handled. */
	readonly strategy: MessageStrategy;
	/** Number of messages that were read and are not finished. */
	readonly unfinished: number;
	/** Milliseconds since the last message was finished; 0 while any is unfinished. */
	idleFor(): number;
	/** Resolves when at most `remaining` messages are unfinished. */
	settled(remaining: number): Promise<void>;
}

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

/**
 * Creates a drain, which knows exactly when all messages are finished.
 *
 * The connection reports its end before it has started the queued requests, so ending then would lose their answers.
 */
export function createDrain(options: DrainOptions): Drain {
	let queued = 0;
	let unfinished = 0;
	let isCrowded = false;
	let finishedAt = performance.now();
	let waiters: { remaining: number; wake: () => void }[] = [];

	function finish(): void {
		unfinished--;
		finishedAt = performance.now();
		const ready = waiters.filter(({ remaining }) => unfinished <= remaining);
		if (ready.length === 0) return;
		waiters = waiters.filter(({ remaining }) => unfinished > remaining);
		for (const { wake } of ready) wake();
	}

	async function trackHandling(handling: unknown): Promise<void> {
		try {
			await handling;
		} catch (error) {
			options.onUnfinished(error);
		} finally {
			finish();
		}
	}

	return {
		received(message) {
			if (!isCounted(message)) return;
			queued++;
			unfinished++;
			if (!isCrowded && queued >= crowdedMessages) {
				isCrowded = true;
				options.onCrowded();
			}
		},
		strategy: {
			handleMessage(message, next) {
				if (!isCounted(message)) return next(message);
				queued--;
				if (isCrowded && queued <= clearMessages) {
					isCrowded = false;
					options.onClear();
				}
				return trackHandling(next(message));
			},
		},
		get unfinished() {
			return unfinished;
		},
		idleFor: () => (unfinished > 0 ? 0 : performance.now() - finishedAt),
		settled(remaining) {
			if (unfinished <= remaining) return Promise.resolve();
			return new Promise((wake) => {
				waiters.push({ remaining, wake });
			});
		},
	};
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
export function createInFlight(): InFlight {
	const unanswered = new Map<string, UnansweredRequest>();
	const awaited = new Set<string | number>();
	return {
		received(message) {
			if (Message.isRequest(message)) {
				const key = String(message.id);
				if (unanswered.has(key)) {
					return `id: a request with the id ${shown(message.id)} is still unanswered`;
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
