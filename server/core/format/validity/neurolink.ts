import { type Fields, isFields, wordOf } from '../wire/shape.ts';
import { type Batch, checkPairs, type Rule } from './rule.ts';

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
