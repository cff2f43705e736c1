import { type Fields, isFields, wordOf } from '../../shape.ts';
import { type Batch, checkPairs, type Rule } from './rule.ts';

function fieldsOf(messages: readonly unknown[]): Fields[] {
	return messages.map((message) => (isFields(message) ? message : {}));
}

function callIdsOf(message: Fields): string[] {
	const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
	return calls.map((call) => wordOf(isFields(call) ? call.id : call));
}

function stepsOf(messages: readonly unknown[]): Batch[] {
	return fieldsOf(messages).flatMap((message, index): Batch[] => {
		if (message.role === 'tool') return [{ kind: 'result', id: wordOf(message.tool_call_id), index }];
		const calls = callIdsOf(message).map((id): Batch => ({ kind: 'call', id, index }));
		return [{ kind: 'other', id: '', index }, ...calls];
	});
}

const roles = ['system', 'developer', 'user', 'assistant', 'tool', 'function'];

function everyCallId(pattern: RegExp, wanted: string): Rule {
	return {
		name: 'call-ids',
		check(messages, report) {
			fieldsOf(messages).forEach((message, index) => {
				const bad = callIdsOf(message).find((id) => !pattern.test(id));
				if (bad !== undefined) report(index, `call id "${bad}" has not ${wanted}`);
			});
		},
	};
}

const common: readonly Rule[] = [
	{
		name: 'roles',
		check(messages, report) {
			fieldsOf(messages).forEach(({ role }, index) => {
				if (!roles.includes(wordOf(role))) report(index, `role is ${JSON.stringify(role)}`);
			});
		},
	},
	{
		name: 'content',
		check(messages, report) {
			fieldsOf(messages).forEach((message, index) => {
				const { role, content } = message;
				const isEmpty = content === null || content === undefined;
				const saysElse =
					callIdsOf(message).length > 0 || message.function_call || message.refusal || message.audio;
				if (isEmpty && !(role === 'assistant' && saysElse)) report(index, 'there is no content');
			});
		},
	},
	{
		name: 'images',
		check(messages, report) {
			fieldsOf(messages).forEach(({ role, content }, index) => {
				const parts = Array.isArray(content) ? content.filter(isFields) : [];
				if (role !== 'user' && parts.some((part) => part.type === 'image_url')) {
					report(index, 'an image outside a user message');
				}
			});
		},
	},
	{ name: 'pairs', check: (messages, report) => checkPairs(stepsOf(messages), report) },
];

/** What Chat Completions refuses otherwise. */
export const openai: readonly Rule[] = [...common, everyCallId(/^.{1,40}$/s, '1 to 40 characters')];

/** What Mistral refuses beyond that. */
export const mistral: readonly Rule[] = [
	...common,
	everyCallId(/^[a-zA-Z0-9]{9}$/, 'nine letters and digits'),
	{
		name: 'user-after-tool',
		check(messages, report) {
			fieldsOf(messages).forEach((message, index, all) => {
				if (message.role === 'user' && all[index - 1]?.role === 'tool')
					report(index, 'a user follows a tool');
			});
		},
	},
];

/** What DeepSeek refuses beyond that. */
export const deepseek: readonly Rule[] = [
	...openai,
	{
		name: 'earlier-reasoning',
		check(messages, report) {
			const all = fieldsOf(messages);
			const lastUser = all.findLastIndex((message) => message.role === 'user');
			all.slice(0, lastUser + 1).forEach((message, index) => {
				if (message.reasoning_content !== undefined) report(index, 'reasoning of an earlier turn');
			});
		},
	},
];
