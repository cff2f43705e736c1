/** Rules of providers with alternating turns of blocks, in which results belong to the user's turns. */

import { type Fields, isFields, textOrEmpty } from '../../shape.ts';
import { flatMapInSlices, forEachInSlices, type SlicedTask } from '../../slices.ts';
import { anthropicKinds } from '../anthropic/kinds.ts';
import { blockMemberOf } from '../bedrock/blocks.ts';
import { bedrockKinds } from '../bedrock/kinds.ts';
import type { BlockKinds } from '../wire/turns.ts';
import { checkPairs, type FormatRule, messagesAsFields, type PairStep, ruleForEachMessage } from './rule.ts';

/** Access to the messages of one format, for the rules. */
export interface TurnReader {
	kinds: Pick<BlockKinds, 'isEmptyText' | 'isThinking' | 'isResult' | 'insideResult'>;
	blocksOf(message: Fields): Fields[];
	/** The id and input of a call; undefined if the block is not a call. */
	callOf(block: Fields): { id: unknown; input: unknown } | undefined;
	/** The id of the call that a result answers. */
	answeredId(block: Fields): unknown;
	allowedId: RegExp;
}

function* stepsOf(
	messages: readonly unknown[],
	{ kinds, blocksOf, callOf, answeredId }: TurnReader,
): SlicedTask<PairStep[]> {
	return yield* flatMapInSlices(yield* messagesAsFields(messages), (message, index): PairStep[] => {
		const ended: PairStep = { kind: 'other', id: '', index };
		if (message.role !== 'assistant') {
			return blocksOf(message).map((block) =>
				kinds.isResult(block) ? { kind: 'result', id: textOrEmpty(answeredId(block)), index } : ended,
			);
		}
		const calls = blocksOf(message).flatMap((block) => callOf(block) ?? []);
		return [ended, ...calls.map(({ id }): PairStep => ({ kind: 'call', id: textOrEmpty(id), index }))];
	});
}

/** Creates the rules of turns for one format. */
export function turnRules(reader: TurnReader): FormatRule[] {
	const { kinds, blocksOf, callOf, allowedId } = reader;
	const callsOf = (message: Fields) => blocksOf(message).flatMap((block) => callOf(block) ?? []);
	return [
		ruleForEachMessage('roles', ({ role }, report, index, messages) => {
			if (role !== 'user' && role !== 'assistant') report(`role is ${JSON.stringify(role)}`);
			if (index === 0 && role === 'assistant') report('the first message is not from the user');
			if (index > 0 && role === messages[index - 1]?.role)
				report('the role repeats that of the previous message');
		}),
		ruleForEachMessage('content', (message, report) => {
			const blocks = blocksOf(message);
			if (blocks.length === 0) report('there is no content');
			const inner = blocks.flatMap((block): unknown[] => kinds.insideResult(block) ?? []);
			if ([...blocks, ...inner].some(kinds.isEmptyText)) report('a text is empty');
		}),
		ruleForEachMessage('results-first', (message, report) => {
			const isResult = blocksOf(message).map(kinds.isResult);
			if (isResult.lastIndexOf(true) > isResult.indexOf(false) && isResult.includes(false)) {
				report('a tool result follows another block');
			}
		}),
		{ name: 'pairs', check: (messages, report) => checkPairs(stepsOf(messages, reader), report) },
		{
			name: 'call-ids',
			*check(messages, report) {
				const seen = new Set<unknown>();
				yield* forEachInSlices(yield* messagesAsFields(messages), (message, index) => {
					for (const { id } of callsOf(message)) {
						if (typeof id !== 'string' || !allowedId.test(id))
							report(index, `invalid call id ${JSON.stringify(id)}`);
						if (seen.has(id)) report(index, `duplicate call id ${JSON.stringify(id)}`);
						seen.add(id);
					}
				});
			},
		},
		ruleForEachMessage('call-input', (message, report) => {
			if (callsOf(message).some(({ input }) => !isFields(input)))
				report('the input of a call is not an object');
		}),
		ruleForEachMessage('thinking', (message, report) => {
			if (kinds.isThinking(blocksOf(message).at(-1))) report('the message ends in thinking');
		}),
	];
}

/** Rules of the Messages API. */
export const anthropicRules: readonly FormatRule[] = turnRules({
	kinds: {
		...anthropicKinds,
		isEmptyText: (block) =>
			isFields(block) && block.type === 'text' && textOrEmpty(block.text ?? '').trim() === '',
	},
	blocksOf({ content }) {
		if (typeof content === 'string') return [{ type: 'text', text: content }];
		return Array.isArray(content) ? content.filter(isFields) : [];
	},
	callOf: ({ type, id, input }) => (type === 'tool_use' ? { id, input } : undefined),
	answeredId: ({ tool_use_id }) => tool_use_id,
	allowedId: /^[a-zA-Z0-9_-]+$/,
});

/** Rules of the Converse API. */
export const bedrockRules: readonly FormatRule[] = turnRules({
	kinds: bedrockKinds,
	blocksOf: ({ content }) => (Array.isArray(content) ? content.filter(isFields) : []),
	callOf(block) {
		const call = blockMemberOf(block, 'toolUse');
		return call && { id: call.toolUseId, input: call.input };
	},
	answeredId: (block) => blockMemberOf(block, 'toolResult')?.toolUseId,
	allowedId: bedrockKinds.ids.allowed,
});
