import { findTitle } from '../../../server/core/transcript/outline.ts';
import type { IdentifiedMessage } from '../../../server/protocol/conversation.ts';
import { allMessages, readTranscript, visibleMessages } from '../../support/transcriptFold.ts';

/**
 * A message in short form: `user: text`, `assistant: text [call name]`, `tool call: text`; `*` if
 * injected.
 */
function short(message: IdentifiedMessage): string {
	const parts =
		typeof message.content === 'string'
			? [message.content]
			: message.content.map((part) =>
					part.type === 'text' ? part.text : part.type === 'reasoning' ? `(${part.text})` : `<${part.type}>`,
				);
	const calls = (message.toolCalls ?? []).map(({ id, name }) => `[${id} ${name}]`);
	const who = message.role === 'tool' ? `tool ${message.toolCallId}` : message.role;
	return `${who}${message.metadata?.injected === true ? '*' : ''}: ${[...parts, ...calls].filter((part) => part !== '').join(' ')}`.trimEnd();
}

/** Reads a file of these records (or of one document) and returns its messages in short form. */
export function read(records: unknown) {
	const text = Array.isArray(records)
		? records.map((one) => JSON.stringify(one)).join('\n')
		: JSON.stringify(records);
	return readText(text);
}

export function readText(text: string) {
	const result = readTranscript(text);
	if (result === undefined) return undefined;
	const { agent, transcript, badLineCount } = result;
	return {
		agent,
		badLineCount,
		all: allMessages(transcript).map(short),
		visible: visibleMessages(transcript).map(short),
		messages: allMessages(transcript),
		info: transcript.info,
		title: findTitle(transcript),
		skipped: Object.fromEntries(transcript.skippedCounts),
	};
}
