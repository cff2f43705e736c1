import type { ChatMessage, ContentPart } from '../../../protocol/conversation.ts';
import { argumentsToJson } from '../../format/wire/arguments.ts';
import { plainText, toContentParts, urlOfImage } from '../../format/wire/content.ts';
import type { Fields } from '../../shape.ts';
import { type NewSession, recordTime } from './session.ts';

/** The Codex version whose records these are; later versions read them too. */
const formatVersion = '0.169.0';

/**
 * Returns the records of a Codex rollout with these messages, which `codex resume ID` continues. Codex uses its own
 * instructions, model, and sandbox. The messages must be portable (`portableHistory`).
 */
export function codexRecords(messages: readonly ChatMessage[], session: NewSession): Fields[] {
	const { sessionId: id, cwd, agentProvider = 'openai' } = session;
	const meta = {
		id,
		session_id: id,
		timestamp: recordTime(session, 0),
		cwd,
		originator: 'contextd',
		cli_version: formatVersion,
		source: 'cli',
		// Codex opens no session without it.
		model_provider: agentProvider,
	};
	return [
		{ type: 'session_meta', payload: meta },
		...messages.flatMap((message) => [
			...itemsOf(message).map((payload) => ({ type: 'response_item', payload })),
			...shownEvents(message),
		]),
	].map((record, index) => ({ timestamp: recordTime(session, index), ...record }));
}

/** The items of a message that the model gets. */
function itemsOf(message: ChatMessage): Fields[] {
	const parts = toContentParts(message.content);
	if (message.role === 'tool') {
		const isText = parts.every((part) => part.type === 'text');
		const output = isText ? parts.map((part) => part.text).join('\n') : parts.flatMap(inputPart);
		return [{ type: 'function_call_output', call_id: message.toolCallId, output }];
	}
	if (message.role !== 'assistant') {
		return [{ type: 'message', role: 'user', content: parts.flatMap(inputPart) }];
	}
	const content = parts.flatMap((part) =>
		part.type === 'text' ? [{ type: 'output_text', text: part.text }] : [],
	);
	const calls = (message.toolCalls ?? []).map(({ id, name, args }) => ({
		type: 'function_call',
		name,
		arguments: argumentsToJson(args),
		call_id: id,
	}));
	return [...(content.length > 0 ? [{ type: 'message', role: 'assistant', content }] : []), ...calls];
}

/** The events from which Codex draws the conversation, and finds its first prompt: what people and the model said. */
function shownEvents({ role, content, metadata }: ChatMessage): Fields[] {
	const message = plainText(content);
	if (role === 'tool' || metadata?.injected === true || message === '') return [];
	const type = role === 'assistant' ? 'agent_message' : 'user_message';
	return [{ type: 'event_msg', payload: { type, message } }];
}

function inputPart(part: ContentPart): Fields[] {
	if (part.type === 'text') return [{ type: 'input_text', text: part.text }];
	const url = part.type === 'image' ? urlOfImage(part) : undefined;
	return url === undefined ? [] : [{ type: 'input_image', image_url: url }];
}
