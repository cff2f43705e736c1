import type { ChatMessage, ContentPart, ToolCall } from '../../../protocol/conversation.ts';
import { isSamePart, toContentParts } from './content.ts';

/** Meaning of a wire block in the neutral message. */
export type BlockMeaning = { part: ContentPart } | { call: ToolCall };

/** Writes the pieces of a message; undefined if the format cannot express one. */
export interface ContentWriter {
	writePart(part: ContentPart): unknown;
	writeCall(call: ToolCall): unknown;
}

function isSameCall(left: ToolCall, right: ToolCall): boolean {
	return left.name === right.name && JSON.stringify(left.args) === JSON.stringify(right.args);
}

/**
 * Returns the blocks of a changed message, in the order of its original blocks. Signed thinking keeps
 * its position among the calls, and unchanged blocks are reused. Additional parts go before the first call,
 * additional calls to the end.
 */
export function arrangeBlocks(
	message: ChatMessage,
	blocks: readonly unknown[],
	readMeaning: (block: unknown) => BlockMeaning,
	write: ContentWriter,
): unknown[] {
	const parts = toContentParts(message.content);
	const calls = groupIntoQueues(message.toolCalls ?? [], (call) => call.id);
	const ordered: unknown[] = [];
	let next = 0;
	let firstCall: number | undefined;
	for (const block of blocks) {
		const meaning = readMeaning(block);
		if ('part' in meaning) {
			const part = parts[next];
			if (part?.type !== meaning.part.type) continue;
			next += 1;
			ordered.push(isSamePart(meaning.part, part) ? block : write.writePart(part));
			continue;
		}
		const call = calls.takeNext(meaning.call.id);
		if (!call) continue;
		firstCall ??= ordered.length;
		ordered.push(isSameCall(meaning.call, call) ? block : write.writeCall(call));
	}
	const rest = parts.slice(next).map((part) => write.writePart(part));
	const index = firstCall ?? ordered.length;
	const all = [
		...ordered.slice(0, index),
		...rest,
		...ordered.slice(index),
		...calls.listRemaining().map((call) => write.writeCall(call)),
	];
	return all.filter((block) => block !== undefined);
}

/** Values grouped by key. `takeNext` returns the values of a key in order, each once. */
interface ValueQueues<T> {
	takeNext(key: string): T | undefined;
	/** Returns the values that `takeNext` did not return yet, in order. */
	listRemaining(): T[];
}

/** Groups values into one queue per key. All operations together take linear time. */
export function groupIntoQueues<T>(values: readonly T[], getKey: (value: T) => string): ValueQueues<T> {
	const indexes = new Map<string, number[]>();
	for (let index = values.length - 1; index >= 0; index--) {
		const key = getKey(values[index]!);
		const queue = indexes.get(key);
		if (queue) queue.push(index);
		else indexes.set(key, [index]);
	}
	const takenIndexes = new Set<number>();
	return {
		takeNext(key) {
			const index = indexes.get(key)?.pop();
			if (index === undefined) return undefined;
			takenIndexes.add(index);
			return values[index];
		},
		listRemaining: () => values.filter((_, index) => !takenIndexes.has(index)),
	};
}
