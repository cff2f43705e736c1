import type { ChatMessage, ContentPart } from '../../../protocol/conversation.ts';
import { formatArgumentsJson } from '../../format/wire/arguments.ts';
import { createImageUrl, joinPlainText, toContentParts } from '../../format/wire/content.ts';
import type { Fields } from '../../shape.ts';
import { formatRecordTime, type NewSession } from './session.ts';

/** The Codex version whose records these are; later versions read them too. */
const formatVersion = '0.169.0';

/**
 * Returns the records of a Codex rollout with these messages, which `codex resume ID` continues. Codex uses its own
 * instructions, model, and sandbox. The messages must be portable (`makePortable`).
 */
export function createCodexRecords(messages: readonly ChatMessage[], session: NewSession): Fields[] {
	const { sessionId: id, cwd, agentProvider = 'openai' } = session;
	const meta = {
		id,
		session_id: id,
		timestamp: formatRecordTime(session, 0),
		cwd,
		originator: 'contextd',
		cli_version: formatVersion,
		source: 'cli',
		// Codex does not open a session without a provider.
		model_provider: agentProvider,
	};
	return [
		{ type: 'session_meta', payload: meta },
		...messages.flatMap((message) => [
			...createItems(message).map((payload) => ({ type: 'response_item', payload })),
			...createShownEvents(message),
		]),
	].map((record, index) => ({ timestamp: formatRecordTime(session, index), ...record }));
}

/** Returns the items that the model gets for a message. */
function createItems(message: ChatMessage): Fields[] {
	const parts = toContentParts(message.content);
	if (message.role === 'tool') {
		const isText = parts.every((part) => part.type === 'text');
		const output = isText ? joinPlainText(parts) : parts.flatMap(createInputPart);
		return [{ type: 'function_call_output', call_id: message.toolCallId, output }];
	}
	if (message.role !== 'assistant')
		return [{ type: 'message', role: 'user', content: parts.flatMap(createInputPart) }];
	const content = parts.flatMap((part) =>
		part.type === 'text' ? [{ type: 'output_text', text: part.text }] : [],
	);
	const calls = (message.toolCalls ?? []).map(({ id, name, args }) => ({
		type: 'function_call',
		name,
		arguments: formatArgumentsJson(args),
		call_id: id,
	}));
	return [...(content.length > 0 ? [{ type: 'message', role: 'assistant', content }] : []), ...calls];
}

/** Returns the events from which Codex displays the conversation and takes the session's first prompt. */
function createShownEvents({ role, content, metadata }: ChatMessage): Fields[] {
	const message = joinPlainText(content);
	if (role === 'tool' || metadata?.injected === true || message === '') return [];
	const type = role === 'assistant' ? 'agent_message' : 'user_message';
	return [{ type: 'event_msg', payload: { type, message } }];
}

function createInputPart(part: ContentPart): Fields[] {
	if (part.type === 'text') return [{ type: 'input_text', text: part.text }];
	const url = part.type === 'image' ? createImageUrl(part) : undefined;
	return url === undefined ? [] : [{ type: 'input_image', image_url: url }];
}
