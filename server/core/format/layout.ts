import type { ChatMessage, ContentPart, ToolCall } from '../history/message.ts';
import { partsOf, samePart } from './content.ts';

/** What a wire block stands for in the neutral message. */
export type BlockMeaning = { part: ContentPart } | { call: ToolCall };

/** How a format writes the pieces of a message; undefined where it has no form for one. */
export interface PieceWriter {
	part(part: ContentPart): unknown;
	call(call: ToolCall): unknown;
}

function sameCall(left: ToolCall, right: ToolCall): boolean {
	return left.name === right.name && JSON.stringify(left.args) === JSON.stringify(right.args);
}

function takeCall(calls: ToolCall[], id: string): ToolCall | undefined {
	const at = calls.findIndex((call) => call.id === id);
	return at < 0 ? undefined : calls.splice(at, 1)[0];
}

/**
 * The blocks of a message that was changed, in the order of the blocks it came with: signed thinking stays
 * where it stood among the calls, and a block whose meaning did not change is handed on as it is.
 * Without blocks to go by: content first, then calls.
 */
export function layOut(
	message: ChatMessage,
	blocks: readonly unknown[],
	meaning: (block: unknown) => BlockMeaning,
	write: PieceWriter,
): unknown[] {
	const parts = partsOf(message.content);
	const calls = [...(message.toolCalls ?? [])];
	const slots = blocks.map((block) => ({ block, means: meaning(block) }));
	const partSlots = slots.filter((slot) => 'part' in slot.means).length;
	const laid: unknown[] = [];
	let next = 0;
	if (partSlots === parts.length) {
		for (const { block, means } of slots) {
			if ('part' in means) {
				const part = parts[next++]!;
				laid.push(samePart(means.part, part) ? block : write.part(part));
				continue;
			}
			const call = takeCall(calls, means.call.id);
			if (call) laid.push(sameCall(means.call, call) ? block : write.call(call));
		}
	}
	for (const part of parts.slice(next)) laid.push(write.part(part));
	for (const call of calls) laid.push(write.call(call));
	return laid.filter((block) => block !== undefined);
}
