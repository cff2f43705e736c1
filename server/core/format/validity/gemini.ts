import { isFields, wordOf } from '../../shape.ts';
import { functionCallOf, functionResponseOf } from '../gemini/parts.ts';
import type { Rule } from './rule.ts';

function partsOf(content: unknown): unknown[] {
	return isFields(content) && Array.isArray(content.parts) ? content.parts : [];
}

function roleOf(content: unknown): unknown {
	if (!isFields(content)) return undefined;
	return content.role === 'function' ? 'user' : content.role;
}

function names(content: unknown, read: typeof functionCallOf): string[] {
	return partsOf(content).flatMap((part) => {
		const called = read(part);
		return called ? [wordOf(called.name)] : [];
	});
}

/** What the Gemini API refuses otherwise. */
export const gemini: readonly Rule[] = [
	{
		name: 'roles',
		check(messages, report) {
			messages.forEach((content, index) => {
				const role = roleOf(content);
				if (role !== 'user' && role !== 'model') report(index, `role is ${JSON.stringify(role)}`);
				if (index === 0 && role === 'model') report(index, 'the first content is not the user’s');
				if (index > 0 && role === roleOf(messages[index - 1]))
					report(index, 'the role is that of the content before');
			});
		},
	},
	{
		name: 'parts',
		check(messages, report) {
			messages.forEach((content, index) => {
				const parts = partsOf(content);
				if (parts.length === 0) report(index, 'there are no parts');
				const isEmpty = (part: unknown) =>
					isFields(part) && part.text === '' && Object.keys(part).every((name) => name === 'text');
				if (parts.some(isEmpty)) report(index, 'a text is empty');
				if (parts.some((part) => functionCallOf(part) && !isFields(functionCallOf(part)?.args ?? {}))) {
					report(index, 'the arguments of a call are no object');
				}
			});
		},
	},
	{
		name: 'responses-first',
		check(messages, report) {
			messages.forEach((content, index) => {
				const isResponse = partsOf(content).map((part) => functionResponseOf(part) !== undefined);
				if (isResponse.includes(false) && isResponse.lastIndexOf(true) > isResponse.indexOf(false)) {
					report(index, 'a function response follows another part');
				}
			});
		},
	},
	{
		name: 'pairs',
		check(messages, report) {
			messages.forEach((content, index) => {
				const called = names(content, functionCallOf);
				const answered = names(messages[index + 1], functionResponseOf);
				if (called.length > 0 && called.join('\n') !== answered.join('\n')) {
					report(index, `calls ${called.join(', ')} are answered by ${answered.join(', ') || 'nothing'}`);
				}
				const before = names(messages[index - 1], functionCallOf);
				const responses = names(content, functionResponseOf);
				if (responses.length > 0 && before.length === 0) report(index, 'function responses follow no call');
			});
		},
	},
];
