import type { ChatMessage, ContentPart, ToolCall } from '../../../protocol/conversation.ts';
import { joinPlainText, toContentParts } from '../../format/wire/content.ts';
import type { Fields } from '../../shape.ts';
import { formatRecordTime, type NewSession } from './session.ts';

/**
 * Returns the records of a Gemini CLI session with these messages, which `gemini --session-file FILE` continues as a
 * session of its own. The messages must be portable (`makePortable`).
 */
export function createGeminiCliRecords(messages: readonly ChatMessage[], session: NewSession): Fields[] {
	const results = new Map(messages.map((message) => [message.toolCallId, message]));
	const startTime = formatRecordTime(session, 0);
	const header = {
		sessionId: session.sessionId,
		// Gemini CLI replaces the hash by that of the folder in which it reads the file.
		projectHash: 'contextd',
		startTime,
		lastUpdated: formatRecordTime(session, messages.length),
		kind: 'main',
		...(session.title !== undefined && { summary: session.title }),
	};
	const turns = messages.flatMap((message, index): Fields[] => {
		if (message.role === 'tool') return [];
		const head = { id: session.createId(), timestamp: formatRecordTime(session, index + 1) };
		if (message.role !== 'assistant') return [{ ...head, type: 'user', content: createUserParts(message) }];
		const calls = message.toolCalls ?? [];
		const toolCalls = calls.map((call) => createCallRecord(call, results.get(call.id), head.timestamp));
		return [
			{
				...head,
				type: 'gemini',
				content: joinPlainText(message.content),
				...(toolCalls.length > 0 && { toolCalls }),
			},
		];
	});
	return [header, ...turns];
}

/** Matches texts that Gemini CLI takes for its own commands and leaves out of the history. */
const commandPattern = /^\s*[/?]/;

function createUserParts({ content }: ChatMessage): Fields[] {
	const parts = toContentParts(content).flatMap(createGeminiPart);
	return commandPattern.test(joinPlainText(content)) ? [{ text: 'User: ' }, ...parts] : parts;
}

/** Returns a call with its result inside. Gemini CLI would send the result twice if it were also a message. */
function createCallRecord(
	{ id, name, args }: ToolCall,
	result: ChatMessage | undefined,
	timestamp: string,
): Fields {
	const { content = '', isError = false } = result ?? {};
	const text = joinPlainText(content);
	const images = toContentParts(content).filter((part) => part.type === 'image');
	const response = isError ? { error: text } : { output: text };
	return {
		id,
		name,
		args,
		result: [{ functionResponse: { id, name, response } }, ...images.flatMap(createGeminiPart)],
		status: isError ? 'error' : 'success',
		timestamp,
	};
}

function createGeminiPart(part: ContentPart): Fields[] {
	if (part.type === 'text') return [{ text: part.text }];
	if (part.type !== 'image' || part.data === undefined) return [];
	return [{ inlineData: { mimeType: part.mediaType, data: part.data } }];
}
