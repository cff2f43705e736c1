import type { ChatMessage, ContentPart } from '../../../protocol/conversation.ts';
import { toContentParts } from '../../format/wire/content.ts';
import type { Fields } from '../../shape.ts';
import { type NewSession, recordTime } from './session.ts';

/** Version of pi's session format. */
const formatVersion = 3;

/**
 * Returns the records of a pi session file with these messages, which pi continues with `pi --session
 * FILE`. System messages are omitted, because pi uses its own system prompt.
 */
export function piRecords(messages: readonly ChatMessage[], session: NewSession): Fields[] {
	let parentId: string | null = null;
	const header = {
		type: 'session',
		version: formatVersion,
		id: session.sessionId,
		timestamp: recordTime(session, 0),
		cwd: session.cwd,
	};
	const entries = messages
		.filter(({ role }) => role !== 'system')
		.map((message, index) => {
			const id = session.newId().replaceAll('-', '').slice(-8);
			const entry = {
				type: 'message',
				id,
				parentId,
				timestamp: recordTime(session, index + 1),
				message: { ...piMessage(message, session), timestamp: session.startedAt + index + 1 },
			};
			parentId = id;
			return entry;
		});
	return [header, ...entries];
}

/** Figures of an answer whose provider is not known here; pi's footer adds up all of them. */
const noTokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

function piMessage(message: ChatMessage, { provider, model }: NewSession): Fields {
	const content = toContentParts(message.content).flatMap(piPart);
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
		usage: { ...noTokens, totalTokens: 0, cost: { ...noTokens, total: 0 } },
		stopReason: calls.length > 0 ? 'toolUse' : 'stop',
	};
}

function piPart(part: ContentPart): Fields[] {
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
