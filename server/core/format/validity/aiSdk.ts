import { type Fields, isFields, wordOf } from '../../shape.ts';
import { isOwnCall } from '../aiSdk/parts.ts';
import { type Batch, checkPairs, type Rule } from './rule.ts';

function fieldsOf(messages: readonly unknown[]): Fields[] {
	return messages.map((message) => (isFields(message) ? message : {}));
}

function partsOf({ content }: Fields): Fields[] {
	return Array.isArray(content) ? content.filter(isFields) : [];
}

function resultsOf(message: Fields): Fields[] {
	return message.role === 'tool' ? partsOf(message).filter(({ type }) => type === 'tool-result') : [];
}

function callsOf(message: Fields): Fields[] {
	return message.role === 'assistant' ? partsOf(message).filter(isOwnCall) : [];
}

function stepsOf(messages: readonly unknown[]): Batch[] {
	return fieldsOf(messages).flatMap((message, index): Batch[] => {
		const step = (kind: Batch['kind'], part: Fields): Batch => ({ kind, id: wordOf(part.toolCallId), index });
		if (message.role === 'tool') return resultsOf(message).map((part) => step('result', part));
		return [{ kind: 'other', id: '', index }, ...callsOf(message).map((part) => step('call', part))];
	});
}

/** What the AI SDK refuses otherwise. */
export const aiSdk: readonly Rule[] = [
	{
		name: 'roles',
		check(messages, report) {
			fieldsOf(messages).forEach(({ role }, index) => {
				if (!['system', 'user', 'assistant', 'tool'].includes(wordOf(role)))
					report(index, `role is ${JSON.stringify(role)}`);
			});
		},
	},
	{
		name: 'content',
		check(messages, report) {
			fieldsOf(messages).forEach(({ role, content }, index) => {
				const isText = typeof content === 'string';
				if (role === 'system' && !isText) report(index, 'the content is no text');
				if (role === 'tool' && isText) report(index, 'the content of a tool message is a text');
				if (!isText && !(Array.isArray(content) && content.length > 0)) report(index, 'there is no content');
			});
		},
	},
	{
		name: 'results',
		check(messages, report) {
			fieldsOf(messages).forEach((message, index) => {
				for (const { toolName, output } of resultsOf(message)) {
					if (wordOf(toolName) === '') report(index, 'a result names no tool');
					if (!isFields(output) || typeof output.type !== 'string') report(index, 'a result has no output');
				}
			});
		},
	},
	{
		name: 'call-ids',
		check(messages, report) {
			fieldsOf(messages).forEach((message, index) => {
				if (callsOf(message).some(({ toolCallId }) => wordOf(toolCallId) === ''))
					report(index, 'a call has no id');
			});
		},
	},
	{ name: 'pairs', check: (messages, report) => checkPairs(stepsOf(messages), report) },
];
