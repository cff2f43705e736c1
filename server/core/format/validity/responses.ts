import { type Fields, textOrEmpty } from '../../shape.ts';
import { forEachInSlices } from '../../slices.ts';
import { callOutputTypes, clientCallKinds } from '../responses/items.ts';
import { type FormatRule, messagesAsFields, ruleForEachMessage } from './rule.ts';

function typeOf(item: Fields | undefined): string {
	return textOrEmpty(item?.type ?? (item?.role === undefined ? '' : 'message'));
}

function callIdOf(item: Fields): string {
	return textOrEmpty(item.call_id ?? item.id);
}

/** Rules of the Responses API. */
export const responsesRules: readonly FormatRule[] = [
	ruleForEachMessage('items', (item, report) => {
		if (typeOf(item) === '') report('an item without type or role');
		const isEmpty = item.content === undefined || item.content === null || item.content === '';
		if (typeOf(item) === 'message' && item.role === 'assistant' && isEmpty) report('an empty answer');
	}),
	{
		name: 'pairs',
		*check(messages, report) {
			const open = new Map<string, number[]>();
			yield* forEachInSlices(yield* messagesAsFields(messages), (item, index) => {
				const id = callIdOf(item);
				if (clientCallKinds.has(typeOf(item))) open.set(id, [...(open.get(id) ?? []), index]);
				if (!callOutputTypes.has(typeOf(item))) return;
				if (open.get(id)?.shift() === undefined) report(index, `no call precedes output "${id}"`);
			});
			for (const [id, indexes] of open) {
				for (const index of indexes) report(index, `call "${id}" has no output`);
			}
		},
	},
	ruleForEachMessage('call-ids', (item, report) => {
		if (typeof item.call_id === 'string' && !/^.{1,64}$/s.test(item.call_id)) {
			report(`call id "${item.call_id}" must have 1 to 64 characters`);
		}
	}),
	ruleForEachMessage('reasoning', (item, report, index, messages) => {
		if (typeOf(item) !== 'reasoning') return;
		const next = messages[index + 1];
		const isAnswer = typeOf(next) !== 'message' || next?.role === 'assistant';
		if (!next || callOutputTypes.has(typeOf(next)) || !isAnswer)
			report('no item of the answer follows the reasoning');
	}),
];
