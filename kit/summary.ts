/** The daemon's view as one text, for hosts that replace their own messages by a text. */

import type { ChatMessage } from '../server/protocol/conversation.ts';
import { joinTextParts } from './dialects/dialect.ts';
import { messageLocationOf } from './fingerprint.ts';

/** A history as a text, with the newest messages apart. */
export interface HostSummary {
	/** Everything before the kept messages. */
	text: string;
	/** The whole history as a text, including the kept messages. */
	whole: string;
	/** Index of the first message in the host's list that is kept unchanged; the list's length if none is. */
	keptFrom: number;
}

const speakers: Readonly<Record<ChatMessage['role'], string>> = {
	system: 'System',
	user: 'User',
	assistant: 'Assistant',
	tool: 'Result',
};

function describeMessage(message: ChatMessage): string {
	const calls = (message.toolCalls ?? []).map(({ name, args }) => `${name}(${JSON.stringify(args)})`);
	const text = [joinTextParts(message), ...calls].filter((one) => one !== '').join('\n');
	if (messageLocationOf(message.id ?? '') === undefined) return text;
	return text === '' ? '' : `[${speakers[message.role]}] ${text}`;
}

function textOf(messages: readonly ChatMessage[]): string {
	return messages
		.map(describeMessage)
		.filter((text) => text !== '')
		.join('\n\n');
}

/** Returns where the tail begins: the unchanged messages at the end of the view that also end the host's list. */
function tailStart(view: readonly ChatMessage[], ids: readonly string[]): { inView: number; inList: number } {
	let inView = view.length;
	let inList = ids.length;
	for (let index = view.length - 1; index >= 0; index--) {
		const place = messageLocationOf(view[index]?.id ?? '');
		const isWhole = place !== undefined && view[index]?.metadata?.truncated !== true;
		const listIndex = isWhole ? ids.indexOf(place.chainId) : -1;
		if (listIndex !== inList && listIndex !== inList - 1) break;
		inList = listIndex;
		inView = index;
	}
	return { inView, inList };
}

/**
 * Returns a view as a text.
 * @param ids the chain ids of the host's list that the view replaces
 * @param sent results as the model was sent them, by the ids of their calls: the daemon has them in full
 */
export function summaryOf(
	messages: readonly ChatMessage[],
	ids: readonly string[],
	sent: ReadonlyMap<string, string>,
): HostSummary {
	const view = messages.map((message): ChatMessage => {
		const text = message.metadata?.truncated === true ? undefined : sent.get(message.toolCallId ?? '');
		return text === undefined ? message : { ...message, content: text };
	});
	let { inView, inList } = tailStart(view, ids);
	// A result is kept with its call, or not at all.
	while (view[inView]?.role === 'tool') {
		const place = messageLocationOf(view[inView]?.id ?? '');
		inView++;
		const next = messageLocationOf(view[inView]?.id ?? '');
		if (next?.chainId !== place?.chainId) inList++;
	}
	return { text: textOf(view.slice(0, inView)), whole: textOf(view), keptFrom: inList };
}
