import type { ChatMessage } from '../../../protocol/conversation.ts';
import { Failure } from '../../failure.ts';
import { type Fields, isFields, wordOf } from '../../shape.ts';
import { contextd } from '../contextd.ts';
import { type Batch, checkPairs, type Rule } from './rule.ts';

/**
 * Messages in a row of one assistant are one answer: some formats have each call in a message of its own. A result
 * without an id answers the call that waits.
 */
function stepsOf(messages: readonly ChatMessage[]): Batch[] {
	const waiting: string[] = [];
	return messages.flatMap((message, index): Batch[] => {
		if (message?.role === 'tool') {
			const id = message.toolCallId || (waiting[0] ?? '');
			if (waiting.includes(id)) waiting.splice(waiting.indexOf(id), 1);
			return [{ kind: 'result', id, index }];
		}
		const calls = Array.isArray(message?.toolCalls) ? message.toolCalls : [];
		if (message?.role === 'assistant' && calls.length > 0) {
			if (messages[index - 1]?.role !== 'assistant') waiting.length = 0;
			waiting.push(...calls.map((call) => wordOf(call?.id)));
			return calls.map((call) => ({ kind: 'call', id: wordOf(call?.id), index }));
		}
		const continues = message?.role === 'assistant' && messages[index - 1]?.role === 'assistant';
		return continues ? [] : [{ kind: 'other', id: '', index }];
	});
}

/** What every history keeps, whoever reads it. */
export const NEUTRAL: readonly Rule[] = [
	{
		name: 'shape',
		check(messages, report) {
			messages.forEach((message, index) => {
				try {
					contextd.parse(message);
				} catch (error) {
					if (!(error instanceof Failure)) throw error;
					report(index, error.message);
				}
			});
		},
	},
	{
		name: 'unique-ids',
		check(messages, report) {
			const seen = new Set<string>();
			(messages as ChatMessage[]).forEach((message, index) => {
				const id = message?.id;
				if (id === undefined) return;
				if (seen.has(id)) report(index, `id "${id}" stands twice`);
				seen.add(id);
			});
		},
	},
	{
		name: 'pairs',
		check: (messages, report) => checkPairs(stepsOf(messages as ChatMessage[]), report),
	},
];

const KINDS: Record<string, Batch['kind']> = { tool_call: 'call', tool_result: 'result' };

function idOf(message: Fields): string {
	const metadata = isFields(message.metadata) ? message.metadata : {};
	return wordOf(message.toolCallId ?? metadata.toolCallId ?? `call_${wordOf(message.tool)}`);
}

/** What the NeuroLink SDK expects of its messages. */
export const NEUROLINK: readonly Rule[] = [
	{
		name: 'roles',
		check(messages, report) {
			messages.forEach((message, index) => {
				const role = isFields(message) ? message.role : undefined;
				const isKnown = ['user', 'assistant', 'system', 'tool_call', 'tool_result'].includes(wordOf(role));
				if (!isKnown) report(index, `role is ${JSON.stringify(role)}`);
			});
		},
	},
	{
		name: 'pairs',
		check(messages, report) {
			const steps = messages.flatMap((message, index): Batch[] => {
				if (!isFields(message)) return [];
				const kind = KINDS[wordOf(message.role)];
				if (kind) return [{ kind, id: idOf(message), index }];
				return message.role === 'assistant' ? [] : [{ kind: 'other', id: '', index }];
			});
			checkPairs(steps, report);
		},
	},
];
