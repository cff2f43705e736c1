import { type Fields, isFields, wordOf } from '../../shape.ts';
import { type Batch, checkPairs, eachMessage, type Rule } from './rule.ts';

function blocksOf(message: unknown): Fields[] {
	const content = isFields(message) ? message.content : undefined;
	if (typeof content === 'string') return [{ type: 'text', text: content }];
	return Array.isArray(content) ? content.filter(isFields) : [];
}

function roleOf(message: unknown): unknown {
	return isFields(message) ? message.role : undefined;
}

function isEmptyText(block: Fields): boolean {
	return block.type === 'text' && wordOf(block.text ?? '').trim() === '';
}

function stepsOf(messages: readonly unknown[]): Batch[] {
	return messages.flatMap((message, index): Batch[] => {
		const blocks = blocksOf(message);
		if (roleOf(message) === 'assistant') {
			const calls = blocks.filter((block) => block.type === 'tool_use');
			return [
				{ kind: 'other', id: '', index },
				...calls.map((block): Batch => ({ kind: 'call', id: wordOf(block.id), index })),
			];
		}
		return blocks.map((block) =>
			block.type === 'tool_result'
				? { kind: 'result', id: wordOf(block.tool_use_id), index }
				: { kind: 'other', id: '', index },
		);
	});
}

/** What the Messages API refuses otherwise. */
export const anthropic: readonly Rule[] = [
	eachMessage('roles', (message, report, index, messages) => {
		const role = roleOf(message);
		if (role !== 'user' && role !== 'assistant') report(`role is ${JSON.stringify(role)}`);
		if (index === 0 && role === 'assistant') report('the first message is not the user’s');
		if (index > 0 && role === roleOf(messages[index - 1])) report('the role is that of the message before');
	}),
	eachMessage('content', (message, report) => {
		const blocks = blocksOf(message);
		if (blocks.length === 0) report('there is no content');
		const inner = blocks.flatMap((block) =>
			block.type === 'tool_result' && Array.isArray(block.content) ? block.content.filter(isFields) : [],
		);
		if ([...blocks, ...inner].some(isEmptyText)) report('a text is empty');
	}),
	eachMessage('results-first', (message, report) => {
		const isResult = blocksOf(message).map((block) => block.type === 'tool_result');
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
				for (const { type, id } of blocksOf(message)) {
					if (type !== 'tool_use') continue;
					if (typeof id !== 'string' || !/^[a-zA-Z0-9_-]+$/.test(id))
						report(index, `call id ${JSON.stringify(id)}`);
					if (seen.has(id)) report(index, `call id ${JSON.stringify(id)} stands twice`);
					seen.add(id);
				}
			});
		},
	},
	eachMessage('call-input', (message, report) => {
		const calls = blocksOf(message).filter((block) => block.type === 'tool_use');
		if (calls.some((block) => !isFields(block.input))) report('the input of a call is no object');
	}),
	eachMessage('thinking', (message, report) => {
		const last = blocksOf(message).at(-1)?.type;
		if (last === 'thinking' || last === 'redacted_thinking') report('the message ends in thinking');
	}),
];
