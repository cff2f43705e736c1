import type { ChatMessage } from '../../../protocol/conversation.ts';
import { joinPlainText, toContentParts } from '../../format/wire/content.ts';
import type { Fields } from '../../shape.ts';
import { formatRecordTime, type NewSession } from './session.ts';

/** Version of Copilot CLI's events. */
const formatVersion = 1;

/**
 * Returns the events of a Copilot CLI session with these messages, which `copilot --resume=ID` continues. Copilot CLI
 * uses its own instructions and model. The messages must be portable (`makePortable`).
 */
export function createCopilotCliRecords(messages: readonly ChatMessage[], session: NewSession): Fields[] {
	const { sessionId, cwd, createId } = session;
	const start = {
		type: 'session.start',
		data: {
			sessionId,
			version: formatVersion,
			producer: 'contextd',
			copilotVersion: '1.0.102',
			startTime: formatRecordTime(session, 0),
			context: { cwd },
		},
	};
	let parentId: string | null = null;
	return [start, ...messages.flatMap((message) => createEvents(message, createId))].map((event, index) => {
		const id = createId();
		const record = { ...event, id, timestamp: formatRecordTime(session, index), parentId };
		parentId = id;
		return record;
	});
}

function createEvents(message: ChatMessage, createId: () => string): Fields[] {
	const content = joinPlainText(message.content);
	if (message.role === 'tool') {
		const { toolCallId, isError = false } = message;
		const binaryResultsForLlm = listImages(message, 'image');
		const result = { content, ...(binaryResultsForLlm.length > 0 && { binaryResultsForLlm }) };
		const outcome = isError ? { error: { message: content } } : { result };
		return [{ type: 'tool.execution_complete', data: { toolCallId, success: !isError, ...outcome } }];
	}
	if (message.role !== 'assistant') {
		const attachments = listImages(message, 'blob');
		const data = {
			content,
			...(attachments.length > 0 && { attachments }),
			...(message.metadata?.injected === true && { source: 'system' }),
		};
		return [{ type: 'user.message', data }];
	}
	const calls = message.toolCalls ?? [];
	const toolRequests = calls.map(({ id, name, args }) => ({
		toolCallId: id,
		name,
		arguments: args,
		type: 'function',
	}));
	const starts = calls.map(({ id, name, args }) => ({
		type: 'tool.execution_start',
		data: { toolCallId: id, toolName: name, arguments: args },
	}));
	return [{ type: 'assistant.message', data: { messageId: createId(), content, toolRequests } }, ...starts];
}

function listImages({ content }: ChatMessage, type: 'image' | 'blob'): Fields[] {
	return toContentParts(content).flatMap((part) =>
		part.type === 'image' ? [{ type, data: part.data, mimeType: part.mediaType }] : [],
	);
}
