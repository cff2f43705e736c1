/** Reads wire messages that contain several neutral messages, such as a user message with tool results. */

import type { ChatMessage, ContentPart, ToolCall, Usage } from '../../../protocol/conversation.ts';
import { pickDefined } from '../../shape.ts';
import type { BlockMeaning } from './layout.ts';

/** A section of a wire message: the blocks that form one neutral message, and that message. */
export interface WireSection {
	message: ChatMessage;
	blocks: unknown[];
}

/** Neutral stop reasons by the stop reasons of Anthropic's Messages API, which Bedrock shares. */
export const blockStops: Readonly<Record<string, string>> = {
	end_turn: 'stop',
	stop_sequence: 'stop',
	max_tokens: 'length',
	tool_use: 'tool',
};

/**
 * Returns the neutral messages of a wire message's sections. An answer of the model also gets the usage, and the stop reason as
 * translated by `neutralReasons`.
 */
export function addWireUsage(
	sections: readonly WireSection[],
	usage: Usage | undefined,
	stopReason: unknown,
	neutralReasons: Readonly<Record<string, string>>,
): ChatMessage[] {
	const messages = sections.map((section) => section.message);
	const [first] = messages;
	if (first?.role !== 'assistant') return messages;
	if (usage) first.usage = usage;
	if (typeof stopReason === 'string') first.stopReason = neutralReasons[stopReason] ?? stopReason;
	return messages;
}

/**
 * Assigns ids to the messages of a body that has an id. The first message gets the body's id, the others get
 * the same id with a number.
 */
export function assignMessageIds(sections: WireSection[], id: unknown): WireSection[] {
	if (typeof id !== 'string' || id === '') return sections;
	for (const [part, { message }] of sections.entries()) message.id = part === 0 ? id : `${id}#${part + 1}`;
	return sections;
}

/** Reads the blocks of a format. Each method throws `InvalidParams` that names the field. */
export interface BlockReader {
	isResult(block: unknown): boolean;
	readBlock(block: unknown, field: string): BlockMeaning;
	readResult(block: unknown, field: string): ChatMessage;
}

/**
 * Splits the blocks of a wire message into neutral messages. A user message becomes one message per result, then one for
 * everything else. Any other message becomes one.
 *
 * @param list the member of the wire message that contains the blocks
 */
export function splitBlocks(
	role: 'user' | 'assistant' | 'system',
	blocks: unknown[],
	reader: BlockReader,
	list = 'content',
): WireSection[] {
	if (role === 'user') return readUserBlocks(blocks, reader, list);
	return [{ message: readBlockMessage(role, blocks, reader, list), blocks }];
}

function readBlockMessage(
	role: 'assistant' | 'system',
	blocks: readonly unknown[],
	{ readBlock }: BlockReader,
	list: string,
): ChatMessage {
	const content: ContentPart[] = [];
	const calls: ToolCall[] = [];
	blocks.forEach((block, index) => {
		const meaning = readBlock(block, `${list}[${index}]`);
		if ('part' in meaning) content.push(meaning.part);
		else calls.push(meaning.call);
	});
	return pickDefined({ role, content, toolCalls: calls.length > 0 ? calls : undefined });
}

function readUserBlocks(blocks: readonly unknown[], reader: BlockReader, list: string): WireSection[] {
	const results: WireSection[] = [];
	const otherBlocks: unknown[] = [];
	const content: ContentPart[] = [];
	blocks.forEach((block, index) => {
		const field = `${list}[${index}]`;
		if (reader.isResult(block)) {
			results.push({ message: reader.readResult(block, field), blocks: [block] });
			return;
		}
		const meaning = reader.readBlock(block, field);
		otherBlocks.push(block);
		content.push('part' in meaning ? meaning.part : { type: 'opaque', value: block });
	});
	if (otherBlocks.length === 0 && results.length > 0) return results;
	return [...results, { message: { role: 'user', content }, blocks: otherBlocks }];
}
