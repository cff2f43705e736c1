import type { ChatMessage } from '../../../protocol/conversation.ts';
import { Failure } from '../../failure.ts';
import { type Fields, isFields, textOrEmpty } from '../../shape.ts';
import { flatMapInSlices, forEachInSlices, type SlicedTask } from '../../slices.ts';
import { contextdFormat } from '../contextd.ts';
import { checkPairs, convertToFields, createMessageRule, type FormatRule, type PairStep } from './rule.ts';

/**
 * Lists the calls and results of messages. Consecutive calls belong to one answer, because some formats put each call
 * into its own message. A result without an id answers the first waiting call.
 */
function listPairSteps(messages: readonly ChatMessage[]): SlicedTask<PairStep[]> {
	let waitingIds: string[] = [];
	/** Ids of consecutive calls. */
	let calledIds = new Set<string>();
	return flatMapInSlices(messages, (message, index): PairStep[] => {
		const endStep: PairStep = { kind: 'other', id: '', index };
		if (message?.role === 'tool') {
			const id = textOrEmpty(message.toolCallId) || (waitingIds[0] ?? '');
			const position = waitingIds.indexOf(id);
			if (position >= 0) waitingIds.splice(position, 1);
			calledIds = new Set();
			return [{ kind: 'result', id, index }];
		}
		const calls = Array.isArray(message?.toolCalls) ? message.toolCalls : [];
		if (message?.role !== 'assistant' || calls.length === 0) {
			calledIds = new Set();
			return [endStep];
		}
		const ids = calls.map((call) => textOrEmpty(call?.id));
		// If an id repeats, the results of two messages cannot be told apart, so a new answer begins.
		const continuesAnswer =
			calledIds.size > 0 && !ids.some((id) => calledIds.has(id)) && new Set(ids).size === ids.length;
		if (!continuesAnswer) {
			waitingIds = [];
			calledIds = new Set();
		}
		waitingIds.push(...ids);
		for (const id of ids) calledIds.add(id);
		const steps = ids.map((id): PairStep => ({ kind: 'call', id, index }));
		return continuesAnswer ? steps : [endStep, ...steps];
	});
}

/** Rules that every history must follow, whatever API receives it. */
export const neutralRules: readonly FormatRule[] = [
	{
		name: 'shape',
		check(messages, report) {
			return forEachInSlices(messages, (message, index) => {
				try {
					contextdFormat.parse(message);
				} catch (error) {
					if (!(error instanceof Failure)) throw error;
					report(index, error.message);
				}
			});
		},
	},
	{
		name: 'unique-ids',
		*check(messages, report) {
			const seenIds = new Set<string>();
			yield* forEachInSlices(yield* convertToFields(messages), ({ id }, index) => {
				if (typeof id !== 'string') return;
				if (seenIds.has(id)) report(index, `duplicate id "${id}"`);
				seenIds.add(id);
			});
		},
	},
	createMessageRule('call-ids', ({ toolCalls }, report) => {
		const calls = Array.isArray(toolCalls) ? toolCalls : [];
		if (calls.some((call) => call?.id === '')) report('a call has an empty id');
	}),
	{
		name: 'pairs',
		check: (messages, report) => checkPairs(listPairSteps(messages as ChatMessage[]), report),
	},
];

const stepKindByRole: Record<string, PairStep['kind']> = { tool_call: 'call', tool_result: 'result' };

function readCallId(message: Fields): string {
	const metadata = isFields(message.metadata) ? message.metadata : {};
	return textOrEmpty(message.toolCallId ?? metadata.toolCallId ?? `call_${textOrEmpty(message.tool)}`);
}

export const neurolinkRules: readonly FormatRule[] = [
	createMessageRule('roles', ({ role }, report) => {
		const isKnown = ['user', 'assistant', 'system', 'tool_call', 'tool_result'].includes(textOrEmpty(role));
		if (!isKnown) report(`role is ${JSON.stringify(role)}`);
	}),
	{
		name: 'pairs',
		check(messages, report) {
			const steps = flatMapInSlices(messages, (message, index): PairStep[] => {
				if (!isFields(message)) return [];
				const kind = stepKindByRole[textOrEmpty(message.role)];
				if (kind) return [{ kind, id: readCallId(message), index }];
				return message.role === 'assistant' ? [] : [{ kind: 'other', id: '', index }];
			});
			return checkPairs(steps, report);
		},
	},
];
