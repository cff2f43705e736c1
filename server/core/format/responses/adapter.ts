import { isFields } from '../../shape.ts';
import { flatMapInSlices, forEachInSlices, mapInSlices, type SlicedTask } from '../../slices.ts';
import { type FormatAdapter, type RenderEntry, RenderLosses, type RenderResult } from '../wire/adapter.ts';
import { CallIds, createHashedId, type IdRule } from '../wire/callIds.ts';
import { splitSegments } from '../wire/grouping.ts';
import { callOutputTypes, clientCallKinds, readItemType } from './items.ts';
import { parseResponsesItem } from './parse.ts';
import { writeResponsesItems } from './write.ts';

interface WireItem {
	value: unknown;
	messageId: string;
	cut?: RenderEntry['cut'];
}

function getRenderedType(item: WireItem | undefined): string {
	return item && isFields(item.value) ? readItemType(item.value) : '';
}

/** Whether an item is input to the model and ends the model's answer: a tool output, or a message of another role. */
function isModelInput(item: WireItem): boolean {
	if (callOutputTypes.has(getRenderedType(item))) return true;
	return getRenderedType(item) === 'message' && isFields(item.value) && item.value.role !== 'assistant';
}

/** Whether an item belongs to the same answer as the item before it. */
function continuesAnswer(item: WireItem | undefined): boolean {
	if (!item || isModelInput(item)) return false;
	return item.cut !== 'before' && item.cut !== 'within its answer';
}

/** Removes reasoning at the end of an answer: the API refuses reasoning unless another item follows. */
function* removeStrayReasoning(items: readonly WireItem[], losses: RenderLosses): SlicedTask<WireItem[]> {
	const keptItems: WireItem[] = [];
	yield* forEachInSlices(items.toReversed(), (item) => {
		if (getRenderedType(item) === 'reasoning' && !continuesAnswer(keptItems.at(-1))) {
			losses.add('reasoning whose answer is gone', item.messageId);
		} else keptItems.push(item);
	});
	return keptItems.reverse();
}

/** Returns an item without its API id; undefined if its type requires one. */
function removeItemId({ value, ...item }: WireItem): WireItem | undefined {
	if (!isFields(value) || typeof value.id !== 'string') return { ...item, value };
	const { id: _, ...rest } = value;
	const isIdOptional = readItemType(value) === 'message' || value.call_id !== undefined;
	return isIdOptional ? { ...item, value: rest } : undefined;
}

/**
 * Removes item ids from an answer whose start was removed. The API refuses an item with an id if the
 * reasoning before the item is missing.
 */
function removeSeveredIds(items: readonly WireItem[], losses: RenderLosses): SlicedTask<WireItem[]> {
	let hasReasoning = false;
	return flatMapInSlices(items, (item) => {
		if (item.cut === 'within its answer') hasReasoning = false;
		if (getRenderedType(item) === 'reasoning') hasReasoning = true;
		const isSevered = item.cut === 'within its answer' || item.cut === 'earlier in its answer';
		// An item that the API compacted replaces more than its own answer.
		if (!isSevered || hasReasoning || getRenderedType(item) === 'compaction') return [item];
		const itemWithoutId = removeItemId(item);
		if (!itemWithoutId) losses.add(`a "${getRenderedType(item)}" whose reasoning is gone`, item.messageId);
		return itemWithoutId ? [itemWithoutId] : [];
	});
}

const idRule: IdRule = {
	uniqueWithin: 'batch',
	allowedPattern: /^.{1,64}$/s,
	createId: (text) => `call_${createHashedId(text, 13)}`,
};

function assignWireIds(items: readonly WireItem[]): SlicedTask<unknown[]> {
	const ids = new CallIds(idRule);
	let isAnswering = false;
	return mapInSlices(items, ({ value }) => {
		if (!isFields(value) || typeof value.call_id !== 'string') return value;
		const type = readItemType(value);
		const isCall = clientCallKinds.has(type);
		if (!isCall && !callOutputTypes.has(type)) return value;
		if (isCall && isAnswering) ids.endBatch();
		isAnswering = !isCall;
		const callId = isCall ? ids.assignCallId(value.call_id) : ids.findResultId(value.call_id);
		return callId === value.call_id ? value : { ...value, call_id: callId };
	});
}

function* render(entries: readonly RenderEntry[]): SlicedTask<RenderResult> {
	const losses = new RenderLosses('openai-responses');
	const items = yield* flatMapInSlices(
		yield* splitSegments('openai-responses', entries),
		(segment): WireItem[] => {
			if (segment.kind === 'whole') return [{ value: segment.raw, messageId: segment.id, cut: segment.cut }];
			const { message, cut } = segment.entry;
			return writeResponsesItems(segment.entry, losses).map((value, index) => ({
				value,
				messageId: message.id,
				...(index === 0 && { cut }),
			}));
		},
	);
	const itemsWithoutStrayReasoning = yield* removeStrayReasoning(items, losses);
	const messages = yield* assignWireIds(yield* removeSeveredIds(itemsWithoutStrayReasoning, losses));
	return { messages, warnings: losses.listSentences() };
}

/** Format of the items of OpenAI's Responses API, one message each. */
export const openaiResponsesFormat: FormatAdapter = {
	name: 'openai-responses',
	parse: parseResponsesItem,
	render,
};
