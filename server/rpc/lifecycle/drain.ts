import { Message, type MessageStrategy } from 'vscode-jsonrpc/node';
import { cancelRequest } from '../../protocol/lifecycle.ts';
import { shown } from '../wire/shown.ts';

/** Counts what was read and is not done with: requests until their reply is written, notifications too. */
export interface Drain {
	/** To be told of each message as it is read. */
	received(message: Message): void;
	/** For the connection: counts messages out once they are handled. */
	readonly strategy: MessageStrategy;
	/** How many messages were read and are not done with. */
	readonly unfinished: number;
	/** Milliseconds since the last message was done with; 0 while any is not. */
	idleFor(): number;
	/** Resolves when at most `remaining` messages are unfinished. */
	settled(remaining: number): Promise<void>;
}

export interface DrainOptions {
	/** More messages wait for their turn than should; the input is to be held back. */
	onCrowded(): void;
	/** The queue is short again. */
	onClear(): void;
	/** A message could not be brought to its end, which means that its reply could not be written. */
	onUnfinished(error: unknown): void;
}

const crowdedMessages = 1000;
const clearMessages = 100;

/** Cancellations and responses take effect as they are read, so they are never waited for. */
function isCounted(message: Message): boolean {
	if (Message.isRequest(message)) return true;
	return Message.isNotification(message) && message.method !== cancelRequest.method;
}

/**
 * Makes an exact drain possible: the connection reports its end before the requests it has queued are even
 * started, so who left then would lose their answers.
 */
export function createDrain(options: DrainOptions): Drain {
	let queued = 0;
	let unfinished = 0;
	let isCrowded = false;
	let finishedAt = performance.now();
	let waiters: { remaining: number; wake: () => void }[] = [];

	function finished(): void {
		unfinished--;
		finishedAt = performance.now();
		const ready = waiters.filter(({ remaining }) => unfinished <= remaining);
		if (ready.length === 0) return;
		waiters = waiters.filter(({ remaining }) => unfinished > remaining);
		for (const { wake } of ready) wake();
	}

	async function follow(handling: unknown): Promise<void> {
		try {
			await handling;
		} catch (error) {
			options.onUnfinished(error);
		} finally {
			finished();
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
				return follow(next(message));
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

/** A request that was received and not answered yet. */
export interface UnansweredRequest {
	id: string | number | null;
	method: string;
}

/** The ids of what is unanswered, in both directions. */
interface InFlight {
	/** Takes note of a message that came in; a text refuses it, and says why. */
	received(message: Message): string | undefined;
	/** Takes note of a message that is about to be sent. */
	sending(message: Message): void;
	/** The requests of the other side that are not answered yet, oldest first. */
	unanswered(): readonly UnansweredRequest[];
	/** Whether a request of ours with that id is unanswered. */
	isAwaited(id: string | number): boolean;
}

/**
 * Refuses a request whose id another one still carries: the connection keys its queue by the id's text, so
 * the first would vanish without an answer (1 and "1" are one id to it).
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
