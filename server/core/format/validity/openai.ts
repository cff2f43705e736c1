import { type Fields, isFields, textOrEmpty } from '../../shape.ts';
import { forEachInSlices } from '../../slices.ts';
import { convertToFields, createMessageRule, createPairsRule, type FormatRule } from './rule.ts';

function listCallIds(message: Fields): string[] {
	const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
	return calls.map((call) => textOrEmpty(isFields(call) ? call.id : call));
}

const roles = ['system', 'developer', 'user', 'assistant', 'tool', 'function'];

function createCallIdRule(pattern: RegExp, requirement: string): FormatRule {
	return createMessageRule('call-ids', (message, report) => {
		const invalidId = listCallIds(message).find((id) => !pattern.test(id));
		if (invalidId !== undefined) report(`call id "${invalidId}" must have ${requirement}`);
	});
}

const commonRules: readonly FormatRule[] = [
	createMessageRule('roles', ({ role }, report) => {
		if (!roles.includes(textOrEmpty(role))) report(`role is ${JSON.stringify(role)}`);
	}),
	createMessageRule('content', (message, report) => {
		const { role, content } = message;
		const isEmpty = content === null || content === undefined;
		const hasOtherContent =
			listCallIds(message).length > 0 || message.function_call || message.refusal || message.audio;
		if (isEmpty && !(role === 'assistant' && hasOtherContent)) report('there is no content');
	}),
	createMessageRule('images', ({ role, content }, report) => {
		const parts = Array.isArray(content) ? content.filter(isFields) : [];
		if (role !== 'user' && parts.some((part) => part.type === 'image_url'))
			report('an image outside a user message');
	}),
	createPairsRule(listCallIds, (message) => [textOrEmpty(message.tool_call_id)]),
];

/** Rules of Chat Completions. */
export const openaiRules: readonly FormatRule[] = [
	...commonRules,
	createCallIdRule(/^.{1,40}$/s, '1 to 40 characters'),
];

/** Rules of Mistral, in addition to those of Chat Completions. */
export const mistralRules: readonly FormatRule[] = [
	...commonRules,
	createCallIdRule(/^[a-zA-Z0-9]{9}$/, 'nine letters and digits'),
	createMessageRule('user-after-tool', (message, report, index, messages) => {
		if (message.role === 'user' && messages[index - 1]?.role === 'tool')
			report('a user message follows a tool message');
	}),
	createMessageRule('system-after-answer', ({ role }, report, index, messages) => {
		const roleBefore = messages[index - 1]?.role;
		if (role === 'system' && (roleBefore === 'assistant' || roleBefore === 'tool'))
			report(`a system message follows the role "${roleBefore}"`);
	}),
];

/** Rules of DeepSeek, in addition to those of Chat Completions. */
export const deepseekRules: readonly FormatRule[] = [
	...openaiRules,
	{
		name: 'earlier-reasoning',
		*check(messages, report) {
			const allFields = yield* convertToFields(messages);
			const lastUser = allFields.findLastIndex((message) => message.role === 'user');
			yield* forEachInSlices(allFields.slice(0, lastUser + 1), (message, index) => {
				if (message.reasoning_content !== undefined) report(index, 'reasoning of an earlier turn');
			});
		},
	},
];
