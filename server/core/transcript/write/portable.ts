/** Prepares a history for an agent, and a provider, that did not write it. */

import type { ChatMessage, ContentPart, ToolCall } from '../../../protocol/conversation.ts';
import { argumentsToObject } from '../../format/wire/arguments.ts';
import { type CallIds, createCallIds, hashedId, type IdRule } from '../../format/wire/callIds.ts';
import { imagePlaceholder, toContentParts } from '../../format/wire/content.ts';
import { withoutUndefined } from '../../shape.ts';
import { contentOf } from '../reading/blocks.ts';

/** Ids that every provider accepts: Chat Completions has the shortest, with 40 characters. */
const idRule: IdRule = {
	allowed: /^[a-zA-Z0-9_-]{1,40}$/,
	make: (text) => `call_${hashedId(text, 13)}`,
	unique: 'request',
};

/** Characters of a tool's name, and their number, that every provider accepts. */
const maxNameLength = 64;
const refusedInNames = /[^a-zA-Z0-9_-]/g;

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
export function portableHistory(messages: readonly ChatMessage[]): PortableHistory {
	const leftOut = new Set<string>();
	const ids = createCallIds(idRule);
	const portable = messages.flatMap((message) => portableMessage(message, ids, leftOut));
	return { messages: portable, leftOut: [...leftOut] };
}

function portableMessage(message: ChatMessage, ids: CallIds, leftOut: Set<string>): ChatMessage[] {
	const { role, toolCallId, toolName, isError, timestamp, metadata } = message;
	if (role === 'system') {
		leftOut.add('system messages');
		return [];
	}
	const content = contentOf(portableParts(message.content, leftOut));
	if (role === 'tool') {
		const answers = ids.result(toolCallId ?? '');
		const name = toolName === undefined ? undefined : portableName(toolName);
		return [withoutUndefined({ role, content, toolCallId: answers, toolName: name, isError, timestamp })];
	}
	if (role === 'user')
		return content === '' ? [] : [withoutUndefined({ role, content, timestamp, metadata })];
	ids.endBatch();
	const calls = (message.toolCalls ?? []).map((call): ToolCall => portableCall(call, ids));
	const toolCalls = calls.length > 0 ? calls : undefined;
	return content === '' && toolCalls === undefined
		? []
		: [withoutUndefined({ role, content, toolCalls, timestamp })];
}

function portableCall({ id, name, args }: ToolCall, ids: CallIds): ToolCall {
	return { id: ids.call(id), name: portableName(name), args: argumentsToObject(args) };
}

function portableName(name: string): string {
	return name.replace(refusedInNames, '_').slice(0, maxNameLength) || 'unknown';
}

function portableParts(content: string | ContentPart[], leftOut: Set<string>): ContentPart[] {
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
