import { type Fields, isFields, textOrEmpty } from '../../shape.ts';
import { isOwnCall } from '../aiSdk/parts.ts';
import { createMessageRule, createPairsRule, type FormatRule } from './rule.ts';

function listParts({ content }: Fields): Fields[] {
	return Array.isArray(content) ? content.filter(isFields) : [];
}

function listResults(message: Fields): Fields[] {
	return message.role === 'tool' ? listParts(message).filter(({ type }) => type === 'tool-result') : [];
}

function listCalls(message: Fields): Fields[] {
	return message.role === 'assistant' ? listParts(message).filter(isOwnCall) : [];
}

function listIds(parts: readonly Fields[]): string[] {
	return parts.map(({ toolCallId }) => textOrEmpty(toolCallId));
}

export const aiSdkRules: readonly FormatRule[] = [
	createMessageRule('roles', ({ role }, report) => {
		if (!['system', 'user', 'assistant', 'tool'].includes(textOrEmpty(role)))
			report(`role is ${JSON.stringify(role)}`);
	}),
	createMessageRule('content', ({ role, content }, report) => {
		const isText = typeof content === 'string';
		if (role === 'system' && !isText) report('the content is not a string');
		if (role === 'tool' && isText) report('the content of a tool message is a string');
		if (!isText && !(Array.isArray(content) && content.length > 0)) report('there is no content');
	}),
	createMessageRule('results', (message, report) => {
		for (const { toolName, output } of listResults(message)) {
			if (textOrEmpty(toolName) === '') report('a result names no tool');
			if (!isFields(output) || typeof output.type !== 'string') report('a result has no output');
		}
	}),
	createMessageRule('call-ids', (message, report) => {
		if (listIds(listCalls(message)).includes('')) report('a call has no id');
	}),
	createPairsRule(
		(message) => listIds(listCalls(message)),
		(message) => listIds(listResults(message)),
	),
];
