import { Message } from 'vscode-jsonrpc/node';
import { shown } from '../wire/shown.ts';

/** The ids of what is unanswered, in both directions. */
export interface InFlight {
	/** Takes note of a message that came in; a text refuses it, and says why. */
	received(message: Message): string | undefined;
	/** Takes note of a message that is about to be sent. */
	sending(message: Message): void;
	/** Whether a request of ours with that id is unanswered. */
	isAwaited(id: string | number): boolean;
}

/**
 * Refuses a request whose id another one still carries: the connection keys its queue by the id's text, so
 * the first would vanish without an answer (1 and "1" are one id to it).
 */
export function createInFlight(): InFlight {
	const unanswered = new Set<string>();
	const awaited = new Set<string | number>();
	return {
		received(message) {
			if (Message.isRequest(message)) {
				const key = String(message.id);
				if (unanswered.has(key)) {
					return `id: a request with the id ${shown(message.id)} is still unanswered`;
				}
				unanswered.add(key);
			} else if (Message.isResponse(message) && message.id !== null) {
				awaited.delete(message.id);
			}
			return undefined;
		},
		sending(message) {
			if (Message.isRequest(message) && message.id !== null) awaited.add(message.id);
			else if (Message.isResponse(message)) unanswered.delete(String(message.id));
		},
		isAwaited: (id) => awaited.has(id),
	};
}
