/** Reads Claude Code's requests to models, and recognizes those that continue a conversation. */

import type { BlockMessage } from '../../kit/index.ts';
import { type Fields, isFields } from '../../server/core/shape.ts';
import type { ModelRequest } from '../../server/protocol/conversation.ts';
import type { HttpInit } from './host.ts';

/** A request that continues a conversation. */
export interface ConversationRequest {
	/** Claude Code's own id of the session. */
	session: string;
	/** The id of a subagent; absent for the main conversation. */
	agent?: string;
	/** Whether Claude Code asks for a summary: the last message then does not belong to the conversation. */
	isSummary: boolean;
	model: string;
	body: Fields;
	messages: readonly BlockMessage[];
}

/** Claude Code's instruction to write a summary, at the end of the newest message. */
const summaryOrder =
	/^\s*CRITICAL: Respond with TEXT ONLY[\s\S]*create a detailed summary of the conversation/;

/**
 * Parses a request to a model. Returns undefined for requests that continue no conversation, such as those for titles and
 * token counts, for signed ones, and for unknown forms.
 */
export function parseModelRequest(url: string, init: HttpInit): ConversationRequest | undefined {
	if (!/\/v1\/messages(?:\?|$)/.test(url) || typeof init.body !== 'string') return undefined;
	const body = parsed(init.body);
	if (!isFields(body) || !Array.isArray(body.tools) || body.tools.length === 0) return undefined;
	const { messages, model } = body;
	const session = sessionOf(body);
	if (session === undefined || typeof model !== 'string' || !isMessageList(messages)) return undefined;
	const agent = init.headers?.['x-claude-code-agent-id'];
	return {
		session,
		...(agent !== undefined && { agent }),
		isSummary: isSummaryOrder(messages.at(-1)),
		model,
		body,
		messages,
	};
}

/** Returns the request's body with other messages. */
export function bodyWithMessages({ body }: ConversationRequest, messages: readonly BlockMessage[]): string {
	return JSON.stringify({ ...body, messages });
}

/** Returns the rest of a request besides its messages, as the daemon counts it. */
export function restOfRequest({ body }: ConversationRequest): ModelRequest {
	const { system, tools } = body;
	const blocks = Array.isArray(system) ? system.filter(isFields).map(({ text }) => text) : [system];
	return {
		systemPrompt: blocks.filter((text) => typeof text === 'string').join('\n'),
		toolDefinitions: Array.isArray(tools) ? tools : [],
	};
}

/** Whether a request asks the provider to cache it for an hour, as with subscriptions; the usage in Claude Code's hooks omits it. */
export function isCachedForHour({ body: { system } }: ConversationRequest): boolean {
	return (
		Array.isArray(system) &&
		system.some(
			(block) => isFields(block) && isFields(block.cache_control) && block.cache_control.ttl === '1h',
		)
	);
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}

function isMessageList(value: unknown): value is BlockMessage[] {
	return (
		Array.isArray(value) &&
		value.length > 0 &&
		value.every((one) => isFields(one) && typeof one.role === 'string' && isContent(one.content))
	);
}

function isContent(content: unknown): boolean {
	return typeof content === 'string' || (Array.isArray(content) && content.every(isFields));
}

function sessionOf({ metadata }: Fields): string | undefined {
	const user =
		isFields(metadata) && typeof metadata.user_id === 'string' ? parsed(metadata.user_id) : undefined;
	return isFields(user) && typeof user.session_id === 'string' ? user.session_id : undefined;
}

function isSummaryOrder(message: BlockMessage | undefined): boolean {
	const content: unknown = message?.content;
	if (typeof content === 'string') return summaryOrder.test(content);
	const last: unknown = Array.isArray(content) ? content.at(-1) : undefined;
	return isFields(last) && typeof last.text === 'string' && summaryOrder.test(last.text);
}
