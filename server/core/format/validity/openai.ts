import { type Fields, isFields, textOrEmpty } from '../../shape.ts';
import { flatMapInSlices, forEachInSlices, type SlicedTask } from '../../slices.ts';
import { checkPairs, type FormatRule, messagesAsFields, type PairStep, ruleForEachMessage } from './rule.ts';

function callIdsOf(message: Fields): string[] {
	const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
	return calls.map((call) => textOrEmpty(isFields(call) ? call.id : call));
}

function* stepsOf(messages: readonly unknown[]): SlicedTask<PairStep[]> {
	return yield* flatMapInSlices(yield* messagesAsFields(messages), (message, index): PairStep[] => {
		if (message.role === 'tool') return [{ kind: 'result', id: textOrEmpty(message.tool_call_id), index }];
		const calls = callIdsOf(message).map((id): PairStep => ({ kind: 'call', id, index }));
		return [{ kind: 'other', id: '', index }, ...calls];
	});
}

const roles = ['system', 'developer', 'user', 'assistant', 'tool', 'function'];

function everyCallId(pattern: RegExp, wanted: string): FormatRule {
	return ruleForEachMessage('call-ids', (message, report) => {
		const bad = callIdsOf(message).find((id) => !pattern.test(id));
		if (bad !== undefined) report(`call id "${bad}" must have ${wanted}`);
	});
}

const commonRules: readonly FormatRule[] = [
	ruleForEachMessage('roles', ({ role }, report) => {
		if (!roles.includes(textOrEmpty(role))) report(`role is ${JSON.stringify(role)}`);
	}),
	ruleForEachMessage('content', (message, report) => {
		const { role, content } = message;
		const isEmpty = content === null || content === undefined;
		const saysElse =
			callIdsOf(message).length > 0 || message.function_call || message.refusal || message.audio;
		if (isEmpty && !(role === 'assistant' && saysElse)) report('there is no content');
	}),
	ruleForEachMessage('images', ({ role, content }, report) => {
		const parts = Array.isArray(content) ? content.filter(isFields) : [];
		if (role !== 'user' && parts.some((part) => part.type === 'image_url')) {
			report('an image outside a user message');
		}
	}),
	{ name: 'pairs', check: (messages, report) => checkPairs(stepsOf(messages), report) },
];

/** Rules of Chat Completions. */
export const openaiRules: readonly FormatRule[] = [
	...commonRules,
	everyCallId(/^.{1,40}$/s, '1 to 40 characters'),
];

/** Rules of Mistral, in addition to those of Chat Completions. */
export const mistralRules: readonly FormatRule[] = [
	...commonRules,
	everyCallId(/^[a-zA-Z0-9]{9}$/, 'nine letters and digits'),
	ruleForEachMessage('user-after-tool', (message, report, index, messages) => {
		if (message.role === 'user' && messages[index - 1]?.role === 'tool')
			report('a user message follows a tool message');
	}),
	ruleForEachMessage('system-after-answer', ({ role }, report, index, messages) => {
		const before = messages[index - 1]?.role;
		if (role === 'system' && (before === 'assistant' || before === 'tool'))
			report(`a system message follows the role "${before}"`);
	}),
];

/** Rules of DeepSeek, in addition to those of Chat Completions. */
export const deepseekRules: readonly FormatRule[] = [
	...openaiRules,
	{
		name: 'earlier-reasoning',
		*check(messages, report) {
			const all = yield* messagesAsFields(messages);
			const lastUser = all.findLastIndex((message) => message.role === 'user');
			yield* forEachInSlices(all.slice(0, lastUser + 1), (message, index) => {
				if (message.reasoning_content !== undefined) report(index, 'reasoning of an earlier turn');
			});
		},
	},
];
