import { isFields, textOrEmpty } from '../../shape.ts';
import { getFunctionCall, getFunctionResponse } from '../gemini/parts.ts';
import { createMessageRule, type FormatRule } from './rule.ts';

function listParts(content: unknown): unknown[] {
	return isFields(content) && Array.isArray(content.parts) ? content.parts : [];
}

function readRole(content: unknown): unknown {
	if (!isFields(content)) return undefined;
	return content.role === 'function' ? 'user' : content.role;
}

function listNames(content: unknown, getCall: typeof getFunctionCall): string[] {
	return listParts(content).flatMap((part) => {
		const call = getCall(part);
		return call ? [textOrEmpty(call.name)] : [];
	});
}

export const geminiRules: readonly FormatRule[] = [
	createMessageRule('roles', (content, report, index, messages) => {
		const role = readRole(content);
		if (role !== 'user' && role !== 'model') report(`role is ${JSON.stringify(role)}`);
		if (index === 0 && role === 'model') report('the first content is not from the user');
		if (index > 0 && role === readRole(messages[index - 1]))
			report('the role repeats that of the previous content');
	}),
	createMessageRule('parts', (content, report) => {
		const parts = listParts(content);
		if (parts.length === 0) report('there are no parts');
		const isEmpty = (part: unknown) =>
			isFields(part) && part.text === '' && Object.keys(part).every((name) => name === 'text');
		if (parts.some(isEmpty)) report('a text is empty');
		if (parts.some((part) => getFunctionCall(part) && !isFields(getFunctionCall(part)?.args ?? {})))
			report('the arguments of a call are not an object');
	}),
	createMessageRule('responses-first', (content, report) => {
		const isResponse = listParts(content).map((part) => getFunctionResponse(part) !== undefined);
		if (isResponse.includes(false) && isResponse.lastIndexOf(true) > isResponse.indexOf(false))
			report('a function response follows another part');
	}),
	createMessageRule('pairs', (content, report, index, messages) => {
		const calledNames = listNames(content, getFunctionCall);
		const answeredNames = listNames(messages[index + 1], getFunctionResponse);
		if (calledNames.length > 0 && calledNames.join('\n') !== answeredNames.join('\n'))
			report(`calls ${calledNames.join(', ')} are answered by ${answeredNames.join(', ') || 'nothing'}`);
		const previousNames = listNames(messages[index - 1], getFunctionCall);
		const responses = listNames(content, getFunctionResponse);
		if (responses.length > 0 && previousNames.length === 0) report('no call precedes the function responses');
	}),
];
