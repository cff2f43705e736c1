import { getOrInsert } from '../../getOrInsert.ts';
import { type Fields, textOrEmpty } from '../../shape.ts';
import { forEachInSlices } from '../../slices.ts';
import { callOutputTypes, clientCallKinds } from '../responses/items.ts';
import { convertToFields, createMessageRule, type FormatRule } from './rule.ts';

function readType(item: Fields | undefined): string {
	return textOrEmpty(item?.type ?? (item?.role === undefined ? '' : 'message'));
}

export const responsesRules: readonly FormatRule[] = [
	createMessageRule('items', (item, report) => {
		if (readType(item) === '') report('an item without type or role');
		const isEmpty = item.content === undefined || item.content === null || item.content === '';
		if (readType(item) === 'message' && item.role === 'assistant' && isEmpty) report('an empty answer');
	}),
	{
		name: 'pairs',
		*check(messages, report) {
			const openCalls = new Map<string, number[]>();
			yield* forEachInSlices(yield* convertToFields(messages), (item, index) => {
				const id = textOrEmpty(item.call_id ?? item.id);
				if (clientCallKinds.has(readType(item))) getOrInsert(openCalls, id, () => []).push(index);
				if (!callOutputTypes.has(readType(item))) return;
				if (openCalls.get(id)?.shift() === undefined) report(index, `no call precedes output "${id}"`);
			});
			for (const [id, indexes] of openCalls) {
				for (const index of indexes) report(index, `call "${id}" has no output`);
			}
		},
	},
	createMessageRule('call-ids', (item, report) => {
		if (typeof item.call_id === 'string' && !/^.{1,64}$/s.test(item.call_id))
			report(`call id "${item.call_id}" must have 1 to 64 characters`);
	}),
	createMessageRule('reasoning', (item, report, index, messages) => {
		if (readType(item) !== 'reasoning') return;
		const nextItem = messages[index + 1];
		const isAnswer = readType(nextItem) !== 'message' || nextItem?.role === 'assistant';
		if (!nextItem || callOutputTypes.has(readType(nextItem)) || !isAnswer)
			report('no item of the answer follows the reasoning');
	}),
];
