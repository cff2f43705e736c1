import { isFields, textOrEmpty } from '../../shape.ts';
import { functionCallOf, functionResponseOf } from '../gemini/parts.ts';
import { type FormatRule, ruleForEachMessage } from './rule.ts';

function partsOf(content: unknown): unknown[] {
	return isFields(content) && Array.isArray(content.parts) ? content.parts : [];
}

function roleOf(content: unknown): unknown {
	if (!isFields(content)) return undefined;
	return content.role === 'function' ? 'user' : content.role;
}

function namesOf(content: unknown, read: typeof functionCallOf): string[] {
	return partsOf(content).flatMap((part) => {
		const called = read(part);
		return called ? [textOrEmpty(called.name)] : [];
	});
}

/** Rules of the Gemini API. */
export const geminiRules: readonly FormatRule[] = [
	ruleForEachMessage('roles', (content, report, index, messages) => {
		const role = roleOf(content);
		if (role !== 'user' && role !== 'model') report(`role is ${JSON.stringify(role)}`);
		if (index === 0 && role === 'model') report('the first content is not from the user');
		if (index > 0 && role === roleOf(messages[index - 1]))
			report('the role repeats that of the previous content');
	}),
	ruleForEachMessage('parts', (content, report) => {
		const parts = partsOf(content);
		if (parts.length === 0) report('there are no parts');
		const isEmpty = (part: unknown) =>
			isFields(part) && part.text === '' && Object.keys(part).every((name) => name === 'text');
		if (parts.some(isEmpty)) report('a text is empty');
		if (parts.some((part) => functionCallOf(part) && !isFields(functionCallOf(part)?.args ?? {}))) {
			report('the arguments of a call are not an object');
		}
	}),
	ruleForEachMessage('responses-first', (content, report) => {
		const isResponse = partsOf(content).map((part) => functionResponseOf(part) !== undefined);
		if (isResponse.includes(false) && isResponse.lastIndexOf(true) > isResponse.indexOf(false)) {
			report('a function response follows another part');
		}
	}),
	ruleForEachMessage('pairs', (content, report, index, messages) => {
		const called = namesOf(content, functionCallOf);
		const answered = namesOf(messages[index + 1], functionResponseOf);
		if (called.length > 0 && called.join('\n') !== answered.join('\n')) {
			report(`calls ${called.join(', ')} are answered by ${answered.join(', ') || 'nothing'}`);
		}
		const before = namesOf(messages[index - 1], functionCallOf);
		const responses = namesOf(content, functionResponseOf);
		if (responses.length > 0 && before.length === 0) report('no call precedes the function responses');
	}),
];
