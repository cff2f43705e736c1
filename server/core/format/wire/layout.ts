import type { ChatMessage, ContentPart, ToolCall } from '../../../protocol/conversation.ts';
import { getOrInsert } from '../../getOrInsert.ts';
import { isSamePart, toContentParts } from './content.ts';

/** Meaning of a wire block in the neutral message. */
export type BlockMeaning = { part: ContentPart } | { call: ToolCall };

/** Writes the parts and calls of a message; undefined for one that the format cannot express. */
export interface BlockWriter {
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
	writer: BlockWriter,
): unknown[] {
	const parts = toContentParts(message.content);
	const calls = new ValueQueues(message.toolCalls ?? [], (call) => call.id);
	const orderedBlocks: unknown[] = [];
	let nextPart = 0;
	let firstCall: number | undefined;
	for (const block of blocks) {
		const meaning = readMeaning(block);
		if ('part' in meaning) {
			const part = parts[nextPart];
			if (part?.type !== meaning.part.type) continue;
			nextPart += 1;
			orderedBlocks.push(isSamePart(meaning.part, part) ? block : writer.writePart(part));
			continue;
		}
		const call = calls.takeNext(meaning.call.id);
		if (!call) continue;
		firstCall ??= orderedBlocks.length;
		orderedBlocks.push(isSameCall(meaning.call, call) ? block : writer.writeCall(call));
	}
	const addedBlocks = parts.slice(nextPart).map((part) => writer.writePart(part));
	const index = firstCall ?? orderedBlocks.length;
	const allBlocks = [
		...orderedBlocks.slice(0, index),
		...addedBlocks,
		...orderedBlocks.slice(index),
		...calls.listRemaining().map((call) => writer.writeCall(call)),
	];
	return allBlocks.filter((block) => block !== undefined);
}

/** Values grouped into one queue per key. All operations together take linear time. */
export class ValueQueues<T> {
	readonly #values: readonly T[];
	/** Indexes of the values of each key, last first. */
	readonly #indexes = new Map<string, number[]>();
	readonly #takenIndexes = new Set<number>();

	constructor(values: readonly T[], getKey: (value: T) => string) {
		this.#values = values;
		for (let index = values.length - 1; index >= 0; index--)
			getOrInsert(this.#indexes, getKey(values[index]!), () => []).push(index);
	}

	/** Returns the next value of a key, each value once. */
	takeNext(key: string): T | undefined {
		const index = this.#indexes.get(key)?.pop();
		if (index === undefined) return undefined;
		this.#takenIndexes.add(index);
		return this.#values[index];
	}

	/** Returns the values that `takeNext` did not return yet, in order. */
	listRemaining(): T[] {
		return this.#values.filter((_, index) => !this.#takenIndexes.has(index));
	}
}
