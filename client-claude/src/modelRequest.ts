/** Parses Claude Code's requests to models, and recognizes which of them continue a conversation. */

import type { BlockMessage } from '../../kit/index.ts';
import { type Fields, isFields, tryParseJson } from '../../server/core/shape.ts';
import type { ModelRequest } from '../../server/protocol/conversation.ts';
import type { HttpInit } from './host.ts';

/** A request that continues a conversation. */
export interface ConversationRequest {
	/** Claude Code's id of the session. */
	session: string;
	/** The id of a subagent; absent for the main conversation. */
	agent?: string;
	/** Whether Claude Code asks for a summary: the last message then does not belong to the conversation. */
	isSummary: boolean;
	model: string;
	body: Fields;
	messages: readonly BlockMessage[];
}

/** Matches the instruction to write a summary, which Claude Code puts at the end of the newest message. */
const summaryInstructionPattern =
	/^\s*CRITICAL: Respond with TEXT ONLY[\s\S]*create a detailed summary of the conversation/;

/**
 * Parses a request to a model. Returns undefined for requests that continue no conversation (such as requests for titles and token
 * counts), for signed requests, and for unknown forms.
 */
export function parseModelRequest(url: string, init: HttpInit): ConversationRequest | undefined {
	if (!/\/v1\/messages(?:\?|$)/.test(url) || typeof init.body !== 'string') return undefined;
	const body = tryParseJson(init.body)?.value;
	if (!isFields(body) || !Array.isArray(body.tools) || body.tools.length === 0) return undefined;
	const { messages, model } = body;
	const session = readSessionId(body);
	if (session === undefined || typeof model !== 'string' || !isMessageList(messages)) return undefined;
	const agent = init.headers?.['x-claude-code-agent-id'];
	return {
		session,
		...(agent !== undefined && { agent }),
		isSummary: asksForSummary(messages.at(-1)),
		model,
		body,
		messages,
	};
}

/** Returns a request's body as JSON, with other messages instead of its own. */
export function serializeWithMessages(
	{ body }: ConversationRequest,
	messages: readonly BlockMessage[],
): string {
	return JSON.stringify({ ...body, messages });
}

/** Returns a request without its messages, in the daemon's form. */
export function omitMessages({ body }: ConversationRequest): ModelRequest {
	const { system, tools } = body;
	const blocks = Array.isArray(system) ? system.filter(isFields).map(({ text }) => text) : [system];
	return {
		systemPrompt: blocks.filter((text) => typeof text === 'string').join('\n'),
		toolDefinitions: Array.isArray(tools) ? tools : [],
	};
}

/** Whether a request asks the provider to cache it for an hour, as with subscriptions. The usage in Claude Code's hooks omits this. */
export function isCachedForHour({ body: { system } }: ConversationRequest): boolean {
	return (
		Array.isArray(system) &&
		system.some(
			(block) => isFields(block) && isFields(block.cache_control) && block.cache_control.ttl === '1h',
		)
	);
}

function isMessageList(value: unknown): value is BlockMessage[] {
	return (
		Array.isArray(value) &&
		value.length > 0 &&
		value.every(
			(message) => isFields(message) && typeof message.role === 'string' && isContent(message.content),
		)
	);
}

function isContent(content: unknown): boolean {
	return typeof content === 'string' || (Array.isArray(content) && content.every(isFields));
}

function readSessionId({ metadata }: Fields): string | undefined {
	if (!isFields(metadata) || typeof metadata.user_id !== 'string') return undefined;
	const user = tryParseJson(metadata.user_id)?.value;
	return isFields(user) && typeof user.session_id === 'string' ? user.session_id : undefined;
}

function asksForSummary(message: BlockMessage | undefined): boolean {
	const content: unknown = message?.content;
	if (typeof content === 'string') return summaryInstructionPattern.test(content);
	const lastBlock: unknown = Array.isArray(content) ? content.at(-1) : undefined;
	return (
		isFields(lastBlock) &&
		typeof lastBlock.text === 'string' &&
		summaryInstructionPattern.test(lastBlock.text)
	);
}
