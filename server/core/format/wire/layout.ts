import type { ChatMessage, ContentPart, ToolCall } from '../../../protocol/conversation.ts';
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

/**
 * The blocks of a message that was changed, in the order of the blocks it came with: signed thinking stays
 * where it stood among the calls, and a block whose meaning did not change is handed on as it is. What the
 * message has beyond those blocks: parts before its first call, calls at the end.
 */
export function layOut(
	message: ChatMessage,
	blocks: readonly unknown[],
	meaning: (block: unknown) => BlockMeaning,
	write: PieceWriter,
): unknown[] {
	const parts = partsOf(message.content);
	const calls = queueBy(message.toolCalls ?? [], (call) => call.id);
	const laid: unknown[] = [];
	let next = 0;
	let firstCall: number | undefined;
	for (const block of blocks) {
		const means = meaning(block);
		if ('part' in means) {
			const part = parts[next];
			if (part?.type !== means.part.type) continue;
			next += 1;
			laid.push(samePart(means.part, part) ? block : write.part(part));
			continue;
		}
		const call = calls.take(means.call.id);
		if (!call) continue;
		firstCall ??= laid.length;
		laid.push(sameCall(means.call, call) ? block : write.call(call));
	}
	const rest = parts.slice(next).map((part) => write.part(part));
	const index = firstCall ?? laid.length;
	const all = [
		...laid.slice(0, index),
		...rest,
		...laid.slice(index),
		...calls.rest().map((call) => write.call(call)),
	];
	return all.filter((block) => block !== undefined);
}

/** Hands out the values of a key in their order, each once. */
interface Queues<T> {
	take(key: string): T | undefined;
	/** What was not handed out, in its order. */
	rest(): T[];
}

/** The values queued by their keys; linear in all. */
export function queueBy<T>(values: readonly T[], keyOf: (value: T) => string): Queues<T> {
	const indexes = new Map<string, number[]>();
	for (let index = values.length - 1; index >= 0; index--) {
		const key = keyOf(values[index]!);
		const queue = indexes.get(key);
		if (queue) queue.push(index);
		else indexes.set(key, [index]);
	}
	const taken = new Set<number>();
	return {
		take(key) {
			const index = indexes.get(key)?.pop();
			if (index === undefined) return undefined;
			taken.add(index);
			return values[index];
		},
		rest: () => values.filter((_, index) => !taken.has(index)),
	};
}
