import { type Fields, isFields, textOrEmpty } from '../../shape.ts';
import { flatMapInSlices, type SlicedTask } from '../../slices.ts';
import { isOwnCall } from '../aiSdk/parts.ts';
import { checkPairs, convertToFields, createMessageRule, type FormatRule, type PairStep } from './rule.ts';

function listParts({ content }: Fields): Fields[] {
	return Array.isArray(content) ? content.filter(isFields) : [];
}

function listResults(message: Fields): Fields[] {
	return message.role === 'tool' ? listParts(message).filter(({ type }) => type === 'tool-result') : [];
}

function listCalls(message: Fields): Fields[] {
	return message.role === 'assistant' ? listParts(message).filter(isOwnCall) : [];
}

function* listPairSteps(messages: readonly unknown[]): SlicedTask<PairStep[]> {
	return yield* flatMapInSlices(yield* convertToFields(messages), (message, index): PairStep[] => {
		const step = (kind: PairStep['kind'], part: Fields): PairStep => ({
			kind,
			id: textOrEmpty(part.toolCallId),
			index,
		});
		if (message.role === 'tool') return listResults(message).map((part) => step('result', part));
		return [{ kind: 'other', id: '', index }, ...listCalls(message).map((part) => step('call', part))];
	});
}

/** Rules of the AI SDK. */
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
		if (listCalls(message).some(({ toolCallId }) => textOrEmpty(toolCallId) === ''))
			report('a call has no id');
	}),
	{ name: 'pairs', check: (messages, report) => checkPairs(listPairSteps(messages), report) },
];
