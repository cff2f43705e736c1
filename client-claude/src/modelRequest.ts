/** Which of Claude Code's requests to models belong to a conversation, and what they hold. */

import type { BlockMessage } from '../../kit/index.ts';
import { type Fields, isFields } from '../../server/core/shape.ts';
import type { ModelRequest } from '../../server/protocol/conversation.ts';
import type { HttpInit } from './host.ts';

/** A request that goes on with a conversation. */
export interface ConversationRequest {
	/** Claude Code's own id of the session. */
	session: string;
	/** The id of a subagent; absent for the main conversation. */
	agent?: string;
	/** Whether Claude Code asks for a summary of it: the last message is then none of the conversation. */
	isSummary: boolean;
	model: string;
	body: Fields;
	messages: readonly BlockMessage[];
}

/** Claude Code's order to write a summary, which stands at the end of the newest message. */
const summaryOrder =
	/^\s*CRITICAL: Respond with TEXT ONLY[\s\S]*create a detailed summary of the conversation/;

/**
 * Reads a request to a model; undefined for one that no conversation goes on with, such as one for a title, a count, or
 * one that was signed before it came here, and for whatever is not understood.
 */
export function readRequest(url: string, init: HttpInit): ConversationRequest | undefined {
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

/** The body with other messages, as it is sent. */
export function bodyWith({ body }: ConversationRequest, messages: readonly BlockMessage[]): string {
	return JSON.stringify({ ...body, messages });
}

/** What a request holds beside its messages, as the daemon counts it. */
export function besideMessages({ body }: ConversationRequest): ModelRequest {
	const { system, tools } = body;
	const blocks = Array.isArray(system) ? system.filter(isFields).map(({ text }) => text) : [system];
	return {
		systemPrompt: blocks.filter((text) => typeof text === 'string').join('\n'),
		toolDefinitions: Array.isArray(tools) ? tools : [],
	};
}

/** Whether the provider is asked to cache a request for an hour, as with subscriptions; Claude Code's hooks hide it from usage. */
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
