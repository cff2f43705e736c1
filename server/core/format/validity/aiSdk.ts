import { type Fields, isFields, textOrEmpty } from '../../shape.ts';
import { flatMapInSlices, type SlicedTask } from '../../slices.ts';
import { isOwnCall } from '../aiSdk/parts.ts';
import { checkPairs, type FormatRule, messagesAsFields, type PairStep, ruleForEachMessage } from './rule.ts';

function partsOf({ content }: Fields): Fields[] {
	return Array.isArray(content) ? content.filter(isFields) : [];
}

function resultsOf(message: Fields): Fields[] {
	return message.role === 'tool' ? partsOf(message).filter(({ type }) => type === 'tool-result') : [];
}

function callsOf(message: Fields): Fields[] {
	return message.role === 'assistant' ? partsOf(message).filter(isOwnCall) : [];
}

function* stepsOf(messages: readonly unknown[]): SlicedTask<PairStep[]> {
	return yield* flatMapInSlices(yield* messagesAsFields(messages), (message, index): PairStep[] => {
		const step = (kind: PairStep['kind'], part: Fields): PairStep => ({
			kind,
			id: textOrEmpty(part.toolCallId),
			index,
		});
		if (message.role === 'tool') return resultsOf(message).map((part) => step('result', part));
		return [{ kind: 'other', id: '', index }, ...callsOf(message).map((part) => step('call', part))];
	});
}

/** Rules of the AI SDK. */
export const aiSdkRules: readonly FormatRule[] = [
	ruleForEachMessage('roles', ({ role }, report) => {
		if (!['system', 'user', 'assistant', 'tool'].includes(textOrEmpty(role)))
			report(`role is ${JSON.stringify(role)}`);
	}),
	ruleForEachMessage('content', ({ role, content }, report) => {
		const isText = typeof content === 'string';
		if (role === 'system' && !isText) report('the content is not a string');
		if (role === 'tool' && isText) report('the content of a tool message is a string');
		if (!isText && !(Array.isArray(content) && content.length > 0)) report('there is no content');
	}),
	ruleForEachMessage('results', (message, report) => {
		for (const { toolName, output } of resultsOf(message)) {
			if (textOrEmpty(toolName) === '') report('a result names no tool');
			if (!isFields(output) || typeof output.type !== 'string') report('a result has no output');
		}
	}),
	ruleForEachMessage('call-ids', (message, report) => {
		if (callsOf(message).some(({ toolCallId }) => textOrEmpty(toolCallId) === '')) report('a call has no id');
	}),
	{ name: 'pairs', check: (messages, report) => checkPairs(stepsOf(messages), report) },
];
