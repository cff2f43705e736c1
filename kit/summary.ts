/** A daemon's view as one text, for hosts that keep a text in the place of their own messages. */

import type { ChatMessage } from '../server/protocol/conversation.ts';
import { saidText } from './dialects/dialect.ts';
import { placeOf } from './fingerprint.ts';

/** A history in two parts. */
export interface Summary {
	/** What is told of everything before the kept messages. */
	text: string;
	/** The same with the kept messages told too. */
	whole: string;
	/** The host's first message that is kept as it is, as an index of its list; its length where none is. */
	keptFrom: number;
}

const speakers: Readonly<Record<ChatMessage['role'], string>> = {
	system: 'System',
	user: 'User',
	assistant: 'Assistant',
	tool: 'Result',
};

function told(message: ChatMessage): string {
	const calls = (message.toolCalls ?? []).map(({ name, args }) => `${name}(${JSON.stringify(args)})`);
	const text = [saidText(message), ...calls].filter((one) => one !== '').join('\n');
	if (placeOf(message.id ?? '') === undefined) return text;
	return text === '' ? '' : `[${speakers[message.role]}] ${text}`;
}

function textOf(messages: readonly ChatMessage[]): string {
	return messages
		.map(told)
		.filter((text) => text !== '')
		.join('\n\n');
}

/** Where the messages begin that stand whole and in a row up to the end of the host's list. */
function tailStart(view: readonly ChatMessage[], ids: readonly string[]): { inView: number; inList: number } {
	let inView = view.length;
	let inList = ids.length;
	for (let index = view.length - 1; index >= 0; index--) {
		const place = placeOf(view[index]?.id ?? '');
		const isWhole = place !== undefined && view[index]?.metadata?.truncated !== true;
		const native = isWhole ? ids.indexOf(place.chainId) : -1;
		if (native !== inList && native !== inList - 1) break;
		inList = native;
		inView = index;
	}
	return { inView, inList };
}

/**
 * Tells a view as a text.
 * @param ids the chain ids of the host's list that it stands for
 * @param sent results as the model was sent them, by their calls: the daemon has them whole
 */
export function summaryIn(
	messages: readonly ChatMessage[],
	ids: readonly string[],
	sent: ReadonlyMap<string, string>,
): Summary {
	const view = messages.map((message): ChatMessage => {
		const text = message.metadata?.truncated === true ? undefined : sent.get(message.toolCallId ?? '');
		return text === undefined ? message : { ...message, content: text };
	});
	let { inView, inList } = tailStart(view, ids);
	// A result is told with its call, or not at all.
	while (view[inView]?.role === 'tool') {
		const place = placeOf(view[inView]?.id ?? '');
		inView++;
		const next = placeOf(view[inView]?.id ?? '');
		if (next?.chainId !== place?.chainId) inList++;
	}
	return { text: textOf(view.slice(0, inView)), whole: textOf(view), keptFrom: inList };
}
