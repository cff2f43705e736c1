/** Prepares a history for an agent, and a provider, that did not write it. */

import type { ChatMessage, ContentPart, ToolCall } from '../../../protocol/conversation.ts';
import { toArgumentsObject } from '../../format/wire/arguments.ts';
import { CallIds, createHashedId, type IdRule } from '../../format/wire/callIds.ts';
import { imagePlaceholder, toContentParts } from '../../format/wire/content.ts';
import { pickDefined } from '../../shape.ts';
import { joinContent } from '../reading/blocks.ts';

/** Ids that every provider accepts: Chat Completions has the shortest, with 40 characters. */
const idRule: IdRule = {
	allowedPattern: /^[a-zA-Z0-9_-]{1,40}$/,
	createId: (text) => `call_${createHashedId(text, 13)}`,
	uniqueWithin: 'request',
};

/** Maximum characters of a tool's name that every provider accepts. */
const maxToolNameLength = 64;
/** Characters that some providers refuse in the name of a tool. */
const refusedNameCharacterPattern = /[^a-zA-Z0-9_-]/g;

/** A history that any agent can resume. */
export interface PortableHistory {
	messages: ChatMessage[];
	/** Kinds of content that were left out, in words. */
	leftOut: string[];
}

/**
 * Returns a history without what only its own agent or provider can read: system messages, reasoning, and opaque
 * blocks. Calls keep their tools, with names and ids that every provider accepts. Messages that become empty are removed.
 */
export function makePortable(messages: readonly ChatMessage[]): PortableHistory {
	const leftOut = new Set<string>();
	const ids = new CallIds(idRule);
	const portableMessages = messages.flatMap((message) => convertMessage(message, ids, leftOut));
	return { messages: portableMessages, leftOut: [...leftOut] };
}

function convertMessage(message: ChatMessage, ids: CallIds, leftOut: Set<string>): ChatMessage[] {
	const { role, toolCallId, toolName, isError, timestamp, metadata } = message;
	if (role === 'system') {
		leftOut.add('system messages');
		return [];
	}
	const content = joinContent(convertParts(message.content, leftOut));
	if (role === 'tool') {
		const wireId = ids.findResultId(toolCallId ?? '');
		const name = toolName === undefined ? undefined : convertToolName(toolName);
		return [pickDefined({ role, content, toolCallId: wireId, toolName: name, isError, timestamp })];
	}
	if (role === 'user') return content === '' ? [] : [pickDefined({ role, content, timestamp, metadata })];
	ids.endBatch();
	const calls = (message.toolCalls ?? []).map((call): ToolCall => convertCall(call, ids));
	const toolCalls = calls.length > 0 ? calls : undefined;
	return content === '' && toolCalls === undefined
		? []
		: [pickDefined({ role, content, toolCalls, timestamp })];
}

function convertCall({ id, name, args }: ToolCall, ids: CallIds): ToolCall {
	return { id: ids.assignCallId(id), name: convertToolName(name), args: toArgumentsObject(args) };
}

function convertToolName(name: string): string {
	return name.replace(refusedNameCharacterPattern, '_').slice(0, maxToolNameLength) || 'unknown';
}

function convertParts(content: string | ContentPart[], leftOut: Set<string>): ContentPart[] {
	return toContentParts(content).flatMap((part): ContentPart[] => {
		if (part.type === 'text') return part.text === '' ? [] : [part];
		if (part.type === 'image') {
			if (part.data !== undefined) return [part];
			leftOut.add('images without data');
			return [{ type: 'text', text: imagePlaceholder }];
		}
		leftOut.add(part.type === 'reasoning' ? 'reasoning' : 'blocks that only one provider has');
		return [];
	});
}
