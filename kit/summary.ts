/** Converts the daemon's view to one text, for hosts that replace their messages with a text. */

import type { ChatMessage } from '../server/protocol/conversation.ts';
import { joinTextParts } from './dialects/dialect.ts';
import { parseLocation } from './fingerprint.ts';

/** A history as a text for a host that keeps the newest messages unchanged. */
export interface HostSummary {
	/** Text of all messages before the kept ones. */
	text: string;
	/** Text of the whole history, including the kept messages. */
	fullText: string;
	/** Index of the first message of the host's list that is kept unchanged; the list's length if no message is kept. */
	tailStart: number;
}

const speakers: Readonly<Record<ChatMessage['role'], string>> = {
	system: 'System',
	user: 'User',
	assistant: 'Assistant',
	tool: 'Result',
};

function describeMessage(message: ChatMessage): string {
	const calls = (message.toolCalls ?? []).map(({ name, args }) => `${name}(${JSON.stringify(args)})`);
	const text = [joinTextParts(message), ...calls].filter((line) => line !== '').join('\n');
	if (parseLocation(message.id ?? '') === undefined) return text;
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
): { viewIndex: number; hostIndex: number } {
	let viewIndex = view.length;
	let hostIndex = ids.length;
	for (let index = view.length - 1; index >= 0; index--) {
		const location = parseLocation(view[index]?.id ?? '');
		const isWhole = location !== undefined && view[index]?.metadata?.truncated !== true;
		const listIndex = isWhole ? ids.indexOf(location.chainId) : -1;
		if (listIndex !== hostIndex && listIndex !== hostIndex - 1) break;
		hostIndex = listIndex;
		viewIndex = index;
	}
	return { viewIndex, hostIndex };
}

/**
 * Converts a view to a text for the host.
 * @param ids chain ids of the host's list that the view replaces
 * @param sentTexts texts of results that were sent to the model, by call id; the daemon's results are longer
 */
export function summarizeView(
	messages: readonly ChatMessage[],
	ids: readonly string[],
	sentTexts: ReadonlyMap<string, string>,
): HostSummary {
	const view = messages.map((message): ChatMessage => {
		const text = message.metadata?.truncated === true ? undefined : sentTexts.get(message.toolCallId ?? '');
		return text === undefined ? message : { ...message, content: text };
	});
	let { viewIndex, hostIndex } = findUnchangedTail(view, ids);
	// A result is kept with its call, or not at all.
	while (view[viewIndex]?.role === 'tool') {
		const location = parseLocation(view[viewIndex]?.id ?? '');
		viewIndex++;
		const next = parseLocation(view[viewIndex]?.id ?? '');
		if (next?.chainId !== location?.chainId) hostIndex++;
	}
	return { text: joinMessages(view.slice(0, viewIndex)), fullText: joinMessages(view), tailStart: hostIndex };
}
