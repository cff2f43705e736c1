import type { FormatAdapter, RenderEntry, Rendered } from '../adapter.ts';
import { callIds, hashedId, type IdRule } from '../callIds.ts';
import { segments } from '../grouping.ts';
import { isFields } from '../shape.ts';
import { collectLosses, type Losses } from '../warnings.ts';
import { CALL_KINDS, OUTPUT_TYPES, typeOfItem } from './items.ts';
import { parse } from './parse.ts';
import { writeItems } from './write.ts';

interface Item {
	value: unknown;
	messageId: string;
}

function typeOf(item: Item | undefined): string {
	return item && isFields(item.value) ? typeOfItem(item.value) : '';
}

function endsAnswer(item: Item | undefined): boolean {
	if (!item || OUTPUT_TYPES.has(typeOf(item))) return true;
	return typeOf(item) === 'message' && isFields(item.value) && item.value.role !== 'assistant';
}

/** Reasoning is refused without the item that it led to: what nothing follows is dropped whole. */
function withoutStrayReasoning(items: readonly Item[], losses: Losses): Item[] {
	const kept: Item[] = [];
	for (const item of items.toReversed()) {
		if (typeOf(item) === 'reasoning' && endsAnswer(kept.at(-1))) {
			losses.add('reasoning whose answer is gone', item.messageId);
		} else kept.push(item);
	}
	return kept.reverse();
}

const ID_RULE: IdRule = {
	unique: 'batch',
	allowed: /^.{1,64}$/s,
	make: (text) => `call_${hashedId(text, 13)}`,
};

function withIds(items: readonly Item[]): unknown[] {
	const ids = callIds(ID_RULE);
	let answering = false;
	return items.map(({ value }) => {
		if (!isFields(value) || typeof value.call_id !== 'string') return value;
		const type = typeOfItem(value);
		const isCall = CALL_KINDS.has(type);
		if (!isCall && !OUTPUT_TYPES.has(type)) return value;
		if (isCall && answering) ids.endBatch();
		answering = !isCall;
		const call_id = isCall ? ids.call(value.call_id) : ids.result(value.call_id);
		return call_id === value.call_id ? value : { ...value, call_id };
	});
}

function render(entries: readonly RenderEntry[]): Rendered {
	const losses = collectLosses('openai-responses');
	const items = segments('openai-responses', entries).flatMap((segment): Item[] => {
		if (segment.kind === 'whole') return [{ value: segment.raw, messageId: segment.id }];
		const messageId = segment.entry.message.id;
		return writeItems(segment.entry, losses).map((value) => ({ value, messageId }));
	});
	const messages = withIds(withoutStrayReasoning(items, losses));
	return { messages, warnings: losses.sentences() };
}

/** The items of OpenAI's Responses API, each of them one message. */
export const openaiResponses: FormatAdapter = { name: 'openai-responses', parse, render };
