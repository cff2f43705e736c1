/** Baselines that a compaction must beat: views of a history in a given number of characters, made by a few lines of code. */

import type { ChatMessage } from '../../server/protocol/conversation.ts';
import { messageText } from './messageText.ts';

/** Returns messages that together have at most this number of characters. */
type Baseline = (history: readonly ChatMessage[], characters: number) => ChatMessage[];

/** The newest messages that fit. */
const newest: Baseline = (history, characters) => {
	let left = characters;
	const first = history.findLastIndex((message) => {
		left -= messageText(message).length + 1;
		return left < 0;
	});
	return history.slice(first + 1);
};

/** The system messages and the first user message, then the newest messages that fit. */
const newestAndFirst: Baseline = (history, characters) => {
	const head = history.slice(0, history.findIndex(({ role }) => role === 'user') + 1);
	return [...head, ...newest(history.slice(head.length), characters - lengthOf(head))];
};

/** The oldest and the newest messages that fit, half of the characters each. */
const truncatedMiddle: Baseline = (history, characters) => {
	const tail = newest(history, characters / 2);
	const head: ChatMessage[] = [];
	let left = characters / 2;
	for (const message of history.slice(0, history.length - tail.length)) {
		left -= messageText(message).length + 1;
		if (left < 0) break;
		head.push(message);
	}
	return [...head, ...tail];
};

/** Every message; messages above a common limit lose their middle. */
const shortenedAlike: Baseline = (history, characters) => {
	const shorten = (limit: number) => history.map((message) => shortened(message, limit));
	let [low, high] = [0, Math.max(0, ...history.map((message) => messageText(message).length))];
	while (low < high) {
		const limit = Math.ceil((low + high) / 2);
		if (lengthOf(shorten(limit)) <= characters) low = limit;
		else high = limit - 1;
	}
	return newest(shorten(low), characters);
};

function shortened(message: ChatMessage, limit: number): ChatMessage {
	const text = messageText(message);
	if (text.length <= limit) return message;
	const { role, id } = message;
	const head = Math.ceil(limit / 2);
	return { role, id, content: `${text.slice(0, head)}…${text.slice(text.length - (limit - head))}` };
}

function lengthOf(messages: readonly ChatMessage[]): number {
	return messages.reduce((sum, message) => sum + messageText(message).length + 1, 0);
}

export const baselines: Readonly<Record<string, Baseline>> = {
	newest,
	'newest + first': newestAndFirst,
	'middle dropped': truncatedMiddle,
	'shortened alike': shortenedAlike,
};
