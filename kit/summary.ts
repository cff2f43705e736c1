/** Converts the daemon's view to one text, for hosts that replace their messages with a text. */

import type { ChatMessage } from '../server/protocol/conversation.ts';
import { joinTextParts } from './dialects/dialect.ts';
import { parseMessageLocation } from './fingerprint.ts';

/** A history as a text for a host that keeps the newest messages unchanged. */
export interface HostSummary {
	/** Text of all messages before the kept ones. */
	text: string;
	/** Text of the whole history, including the kept messages. */
	whole: string;
	/** Index of the first message of the host's list that is kept unchanged; the list's length if no message is kept. */
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
	if (parseMessageLocation(message.id ?? '') === undefined) return text;
	return text === '' ? '' : `[${speakers[message.role]}] ${text}`;
}

function joinMessages(messages: readonly ChatMessage[]): string {
	return messages
		.map(describeMessage)
		.filter((text) => text !== '')
		.join('\n\n');
}

/** Finds the unchanged messages that end both the view and the host's list; returns the index of the first in each. */
function findUnchangedTail(
	view: readonly ChatMessage[],
	ids: readonly string[],
): { inView: number; inList: number } {
	let inView = view.length;
	let inList = ids.length;
	for (let index = view.length - 1; index >= 0; index--) {
		const location = parseMessageLocation(view[index]?.id ?? '');
		const isWhole = location !== undefined && view[index]?.metadata?.truncated !== true;
		const listIndex = isWhole ? ids.indexOf(location.chainId) : -1;
		if (listIndex !== inList && listIndex !== inList - 1) break;
		inList = listIndex;
		inView = index;
	}
	return { inView, inList };
}

/**
 * Converts a view to a text for the host.
 * @param ids chain ids of the host's list that the view replaces
 * @param sent texts of results that were sent to the model, by call id; the daemon's results are longer
 */
export function summarizeView(
	messages: readonly ChatMessage[],
	ids: readonly string[],
	sent: ReadonlyMap<string, string>,
): HostSummary {
	const view = messages.map((message): ChatMessage => {
		const text = message.metadata?.truncated === true ? undefined : sent.get(message.toolCallId ?? '');
		return text === undefined ? message : { ...message, content: text };
	});
	let { inView, inList } = findUnchangedTail(view, ids);
	// A result is kept with its call, or not at all.
	while (view[inView]?.role === 'tool') {
		const location = parseMessageLocation(view[inView]?.id ?? '');
		inView++;
		const next = parseMessageLocation(view[inView]?.id ?? '');
		if (next?.chainId !== location?.chainId) inList++;
	}
	return { text: joinMessages(view.slice(0, inView)), whole: joinMessages(view), keptFrom: inList };
}
