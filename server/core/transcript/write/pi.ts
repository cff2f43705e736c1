import type { ChatMessage, ContentPart } from '../../../protocol/conversation.ts';
import { toContentParts } from '../../format/wire/content.ts';
import type { Fields } from '../../shape.ts';
import { formatRecordTime, type NewSession } from './session.ts';

/** Version of pi's session format. */
const formatVersion = 3;

/**
 * Returns the records of a pi session file with these messages, which pi continues with `pi --session
 * FILE`. System messages are omitted, because pi uses its own system prompt.
 */
export function createPiRecords(messages: readonly ChatMessage[], session: NewSession): Fields[] {
	let parentId: string | null = null;
	const header = {
		type: 'session',
		version: formatVersion,
		id: session.sessionId,
		timestamp: formatRecordTime(session, 0),
		cwd: session.cwd,
	};
	const entries = messages
		.filter(({ role }) => role !== 'system')
		.map((message, index) => {
			const id = session.createId().replaceAll('-', '').slice(-8);
			const entry = {
				type: 'message',
				id,
				parentId,
				timestamp: formatRecordTime(session, index + 1),
				message: { ...createPiMessage(message, session), timestamp: session.startedAt + index + 1 },
			};
			parentId = id;
			return entry;
		});
	return [header, ...entries];
}

/** Usage of a copied answer. It is zero, because its figures are unknown and pi's footer adds up all figures. */
const zeroUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

function createPiMessage(message: ChatMessage, { provider, model }: NewSession): Fields {
	const content = toContentParts(message.content).flatMap(createPiPart);
	if (message.role === 'tool') {
		return {
			role: 'toolResult',
			toolCallId: message.toolCallId,
			toolName: message.toolName ?? 'unknown',
			content,
			isError: message.isError ?? false,
		};
	}
	if (message.role !== 'assistant') return { role: 'user', content };
	const calls = (message.toolCalls ?? []).map(({ id, name, args }) => ({
		type: 'toolCall',
		id,
		name,
		arguments: args,
	}));
	return {
		role: 'assistant',
		content: [...content, ...calls],
		provider,
		model,
		usage: { ...zeroUsage, totalTokens: 0, cost: { ...zeroUsage, total: 0 } },
		stopReason: calls.length > 0 ? 'toolUse' : 'stop',
	};
}

function createPiPart(part: ContentPart): Fields[] {
	switch (part.type) {
		case 'text':
			return [{ type: 'text', text: part.text }];
		case 'reasoning':
			return [
				{
					type: 'thinking',
					thinking: part.text,
					...(part.signature && { thinkingSignature: part.signature }),
				},
			];
		case 'image':
			return part.data === undefined ? [] : [{ type: 'image', data: part.data, mimeType: part.mediaType }];
		case 'opaque':
			return [];
	}
}
