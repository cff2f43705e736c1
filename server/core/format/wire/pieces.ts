/** Wire messages that hold several neutral ones: results stand in the user's messages. */

import type { ChatMessage, ContentPart, ToolCall, Usage } from '../../../protocol/conversation.ts';
import { present } from '../../shape.ts';
import type { BlockMeaning } from './layout.ts';

/** One neutral message of a wire message, with the wire blocks that it stands for. */
export interface Piece {
	message: ChatMessage;
	blocks: unknown[];
}

/** The neutral words for why an answer ended, by those of Anthropic's Messages API, which Bedrock took over. */
export const blockStopReasons: Readonly<Record<string, string>> = {
	end_turn: 'stop',
	stop_sequence: 'stop',
	max_tokens: 'length',
	tool_use: 'tool',
};

/**
 * The messages of a wire message. What stands beside its content goes with the first, where that is the model's: usage,
 * and the reason for its end in the neutral word, where there is one.
 */
export function withFigures(
	pieces: readonly Piece[],
	usage: Usage | undefined,
	stopReason: unknown,
	words: Readonly<Record<string, string>>,
): ChatMessage[] {
	const messages = pieces.map((piece) => piece.message);
	const [first] = messages;
	if (first?.role !== 'assistant') return messages;
	if (usage) first.usage = usage;
	if (typeof stopReason === 'string') first.stopReason = words[stopReason] ?? stopReason;
	return messages;
}

/** The messages of one body with ids: the body's own for the first, numbered for the others, none without one. */
export function withIds(pieces: Piece[], id: unknown): Piece[] {
	if (typeof id !== 'string' || id === '') return pieces;
	for (const [part, { message }] of pieces.entries()) message.id = part === 0 ? id : `${id}#${part + 1}`;
	return pieces;
}

/** How a format reads its blocks; each throws `InvalidParams` naming the field. */
export interface BlockReader {
	isResult(block: unknown): boolean;
	readBlock(block: unknown, field: string): BlockMeaning;
	readResult(block: unknown, field: string): ChatMessage;
}

/**
 * What blocks say that are no results, as a message of this role.
 * @param list the member of the wire message that holds the blocks
 */
export function readSaid(
	role: 'assistant' | 'system',
	blocks: readonly unknown[],
	{ readBlock }: Pick<BlockReader, 'readBlock'>,
	list = 'content',
): ChatMessage {
	const content: ContentPart[] = [];
	const calls: ToolCall[] = [];
	blocks.forEach((block, index) => {
		const means = readBlock(block, `${list}[${index}]`);
		if ('part' in means) content.push(means.part);
		else calls.push(means.call);
	});
	return present({ role, content, toolCalls: calls.length > 0 ? calls : undefined });
}

/** A user's blocks: the results first, a message each, then what else the user said. */
export function readUser(blocks: readonly unknown[], reader: BlockReader): Piece[] {
	const results: Piece[] = [];
	const rest: unknown[] = [];
	const content: ContentPart[] = [];
	blocks.forEach((block, index) => {
		const field = `content[${index}]`;
		if (reader.isResult(block)) {
			results.push({ message: reader.readResult(block, field), blocks: [block] });
			return;
		}
		const means = reader.readBlock(block, field);
		rest.push(block);
		content.push('part' in means ? means.part : { type: 'opaque', value: block });
	});
	if (rest.length === 0 && results.length > 0) return results;
	return [...results, { message: { role: 'user', content }, blocks: rest }];
}
