import { isFields } from '../../shape.ts';
import { flatMapInSlices, itemsPerSlice, mapInSlices, type SlicedTask } from '../../slices.ts';
import type { FormatAdapter, RenderEntry, RenderResult } from '../wire/adapter.ts';
import { createCallIds, hashedId, type IdRule } from '../wire/callIds.ts';
import { splitSegments } from '../wire/grouping.ts';
import { collectLosses, type RenderLosses } from '../wire/warnings.ts';
import { callOutputTypes, clientCallKinds, typeOfItem } from './items.ts';
import { parseResponsesItem } from './parse.ts';
import { writeResponsesItems } from './write.ts';

interface Item {
	value: unknown;
	messageId: string;
	cut?: RenderEntry['cut'];
}

function typeOf(item: Item | undefined): string {
	return item && isFields(item.value) ? typeOfItem(item.value) : '';
}

/**
 * Whether an item is input to the model, which ends the model's answer: a tool output, or a message of
 * another role.
 */
function isPrompt(item: Item): boolean {
	if (callOutputTypes.has(typeOf(item))) return true;
	return typeOf(item) === 'message' && isFields(item.value) && item.value.role !== 'assistant';
}

/** Whether an item belongs to the same answer as the item before it. */
function continuesAnswer(item: Item | undefined): boolean {
	if (!item || isPrompt(item)) return false;
	return item.cut !== 'before' && item.cut !== 'within its answer';
}

/** Removes reasoning that no item of its answer follows, because the API refuses it. */
function* withoutStrayReasoning(items: readonly Item[], losses: RenderLosses): SlicedTask<Item[]> {
	const kept: Item[] = [];
	for (const [index, item] of items.toReversed().entries()) {
		if (index % itemsPerSlice === itemsPerSlice - 1) yield;
		if (typeOf(item) === 'reasoning' && !continuesAnswer(kept.at(-1))) {
			losses.add('reasoning whose answer is gone', item.messageId);
		} else kept.push(item);
	}
	return kept.reverse();
}

/** Returns an item without its API id; undefined if its type requires one. */
function withoutId({ value, ...item }: Item): Item | undefined {
	if (!isFields(value) || typeof value.id !== 'string') return { ...item, value };
	const { id: _, ...rest } = value;
	const isTaken = typeOfItem(value) === 'message' || value.call_id !== undefined;
	return isTaken ? { ...item, value: rest } : undefined;
}

/**
 * Removes item ids from an answer whose beginning was removed.
 * The API refuses an item with its id if the reasoning that led to it is missing.
 */
function withoutSeveredIds(items: readonly Item[], losses: RenderLosses): SlicedTask<Item[]> {
	let hasReasoning = false;
	return flatMapInSlices(items, (item) => {
		if (item.cut === 'within its answer') hasReasoning = false;
		if (typeOf(item) === 'reasoning') hasReasoning = true;
		const isSevered = item.cut === 'within its answer' || item.cut === 'earlier in its answer';
		// An item that the API compacted replaces more than its own answer.
		if (!isSevered || hasReasoning || typeOf(item) === 'compaction') return [item];
		const taken = withoutId(item);
		if (!taken) losses.add(`a "${typeOf(item)}" whose reasoning is gone`, item.messageId);
		return taken ? [taken] : [];
	});
}

const idRule: IdRule = {
	unique: 'batch',
	allowed: /^.{1,64}$/s,
	make: (text) => `call_${hashedId(text, 13)}`,
};

function withIds(items: readonly Item[]): SlicedTask<unknown[]> {
	const ids = createCallIds(idRule);
	let answering = false;
	return mapInSlices(items, ({ value }) => {
		if (!isFields(value) || typeof value.call_id !== 'string') return value;
		const type = typeOfItem(value);
		const isCall = clientCallKinds.has(type);
		if (!isCall && !callOutputTypes.has(type)) return value;
		if (isCall && answering) ids.endBatch();
		answering = !isCall;
		const callId = isCall ? ids.call(value.call_id) : ids.result(value.call_id);
		return callId === value.call_id ? value : { ...value, call_id: callId };
	});
}

function* render(entries: readonly RenderEntry[]): SlicedTask<RenderResult> {
	const losses = collectLosses('openai-responses');
	const items = yield* flatMapInSlices(
		yield* splitSegments('openai-responses', entries),
		(segment): Item[] => {
			if (segment.kind === 'whole') return [{ value: segment.raw, messageId: segment.id, cut: segment.cut }];
			const { message, cut } = segment.entry;
			return writeResponsesItems(segment.entry, losses).map((value, index) => ({
				value,
				messageId: message.id,
				...(index === 0 && { cut }),
			}));
		},
	);
	const cleaned = yield* withoutStrayReasoning(items, losses);
	const messages = yield* withIds(yield* withoutSeveredIds(cleaned, losses));
	return { messages, warnings: losses.sentences() };
}

/** Format of the items of OpenAI's Responses API, one message each. */
export const openaiResponsesFormat: FormatAdapter = {
	name: 'openai-responses',
	parse: parseResponsesItem,
	render,
};
