import { type Fields, isFields, wordOf } from '../../shape.ts';
import { memberOf } from '../bedrock/blocks.ts';
import { kinds } from '../bedrock/kinds.ts';
import { type Batch, checkPairs, eachMessage, type Rule } from './rule.ts';

function roleOf(message: unknown): unknown {
	return isFields(message) ? message.role : undefined;
}

function blocksOf(message: unknown): Fields[] {
	const content = isFields(message) ? message.content : undefined;
	return Array.isArray(content) ? content.filter(isFields) : [];
}

function callsOf(message: unknown): Fields[] {
	return blocksOf(message).flatMap((block): Fields[] => {
		const call = memberOf(block, 'toolUse');
		return call ? [call] : [];
	});
}

function stepsOf(messages: readonly unknown[]): Batch[] {
	return messages.flatMap((message, index): Batch[] => {
		const ended: Batch = { kind: 'other', id: '', index };
		if (roleOf(message) === 'assistant') {
			const calls = callsOf(message).map(({ toolUseId }) => wordOf(toolUseId));
			return [ended, ...calls.map((id): Batch => ({ kind: 'call', id, index }))];
		}
		return blocksOf(message).map((block) => {
			const result = memberOf(block, 'toolResult');
			return result ? { kind: 'result', id: wordOf(result.toolUseId), index } : ended;
		});
	});
}

/** What the Converse API refuses otherwise. */
export const bedrock: readonly Rule[] = [
	eachMessage('roles', (message, report, index, messages) => {
		const role = roleOf(message);
		if (role !== 'user' && role !== 'assistant') report(`role is ${JSON.stringify(role)}`);
		if (index === 0 && role === 'assistant') report('the first message is not the user’s');
		if (index > 0 && role === roleOf(messages[index - 1])) report('the role is that of the message before');
	}),
	eachMessage('content', (message, report) => {
		const blocks = blocksOf(message);
		if (blocks.length === 0) report('there is no content');
		const inner = blocks.flatMap((block): unknown[] => kinds.insideResult(block) ?? []);
		if ([...blocks, ...inner].some(kinds.isEmptyText)) report('a text is empty');
	}),
	eachMessage('results-first', (message, report) => {
		const isResult = blocksOf(message).map(kinds.isResult);
		if (isResult.lastIndexOf(true) > isResult.indexOf(false) && isResult.includes(false)) {
			report('a tool result follows another block');
		}
	}),
	{ name: 'pairs', check: (messages, report) => checkPairs(stepsOf(messages), report) },
	{
		name: 'call-ids',
		check(messages, report) {
			const seen = new Set<unknown>();
			messages.forEach((message, index) => {
				for (const { toolUseId: id } of callsOf(message)) {
					if (typeof id !== 'string' || !kinds.ids.allowed.test(id))
						report(index, `call id ${JSON.stringify(id)}`);
					if (seen.has(id)) report(index, `call id ${JSON.stringify(id)} stands twice`);
					seen.add(id);
				}
			});
		},
	},
	eachMessage('call-input', (message, report) => {
		if (callsOf(message).some(({ input }) => !isFields(input))) report('the input of a call is no object');
	}),
	eachMessage('thinking', (message, report) => {
		if (kinds.isThinking(blocksOf(message).at(-1))) report('the message ends in reasoning');
	}),
];
