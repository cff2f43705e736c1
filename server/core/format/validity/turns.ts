/** Rules of providers with alternating turns of blocks, in which results belong to the user's turns. */

import { type Fields, isFields, textOrEmpty } from '../../shape.ts';
import { flatMapInSlices, forEachInSlices, type SlicedTask } from '../../slices.ts';
import { anthropicBlockAccess } from '../anthropic/blocks.ts';
import { bedrockBlockAccess, getBlockMember } from '../bedrock/blocks.ts';
import type { BlockAccess } from '../wire/turns.ts';
import { checkPairs, convertToFields, createMessageRule, type FormatRule, type PairStep } from './rule.ts';

/** Access to the messages of one format, for the rules. */
export interface TurnReader {
	blockAccess: Pick<BlockAccess, 'isEmptyText' | 'isThinking' | 'isResult' | 'getInnerBlocks'>;
	listBlocks(message: Fields): Fields[];
	/** The id and input of a call; undefined if the block is not a call. */
	readCall(block: Fields): { id: unknown; input: unknown } | undefined;
	/** The id of the call that a result answers. */
	readAnsweredId(block: Fields): unknown;
	allowedIdPattern: RegExp;
}

function* listPairSteps(
	messages: readonly unknown[],
	{ blockAccess, listBlocks, readCall, readAnsweredId }: TurnReader,
): SlicedTask<PairStep[]> {
	return yield* flatMapInSlices(yield* convertToFields(messages), (message, index): PairStep[] => {
		const endStep: PairStep = { kind: 'other', id: '', index };
		if (message.role !== 'assistant') {
			return listBlocks(message).map((block) =>
				blockAccess.isResult(block)
					? { kind: 'result', id: textOrEmpty(readAnsweredId(block)), index }
					: endStep,
			);
		}
		const calls = listBlocks(message).flatMap((block) => readCall(block) ?? []);
		return [endStep, ...calls.map(({ id }): PairStep => ({ kind: 'call', id: textOrEmpty(id), index }))];
	});
}

export function createTurnRules(reader: TurnReader): FormatRule[] {
	const { blockAccess, listBlocks, readCall, allowedIdPattern } = reader;
	const listCalls = (message: Fields) => listBlocks(message).flatMap((block) => readCall(block) ?? []);
	return [
		createMessageRule('roles', ({ role }, report, index, messages) => {
			if (role !== 'user' && role !== 'assistant') report(`role is ${JSON.stringify(role)}`);
			if (index === 0 && role === 'assistant') report('the first message is not from the user');
			if (index > 0 && role === messages[index - 1]?.role)
				report('the role repeats that of the previous message');
		}),
		createMessageRule('content', (message, report) => {
			const blocks = listBlocks(message);
			if (blocks.length === 0) report('there is no content');
			const innerBlocks = blocks.flatMap((block): unknown[] => blockAccess.getInnerBlocks(block) ?? []);
			if ([...blocks, ...innerBlocks].some(blockAccess.isEmptyText)) report('a text is empty');
		}),
		createMessageRule('results-first', (message, report) => {
			const isResult = listBlocks(message).map(blockAccess.isResult);
			if (isResult.lastIndexOf(true) > isResult.indexOf(false) && isResult.includes(false))
				report('a tool result follows another block');
		}),
		{ name: 'pairs', check: (messages, report) => checkPairs(listPairSteps(messages, reader), report) },
		{
			name: 'call-ids',
			*check(messages, report) {
				const seenIds = new Set<unknown>();
				yield* forEachInSlices(yield* convertToFields(messages), (message, index) => {
					for (const { id } of listCalls(message)) {
						if (typeof id !== 'string' || !allowedIdPattern.test(id))
							report(index, `invalid call id ${JSON.stringify(id)}`);
						if (seenIds.has(id)) report(index, `duplicate call id ${JSON.stringify(id)}`);
						seenIds.add(id);
					}
				});
			},
		},
		createMessageRule('call-input', (message, report) => {
			if (listCalls(message).some(({ input }) => !isFields(input)))
				report('the input of a call is not an object');
		}),
		createMessageRule('thinking', (message, report) => {
			if (blockAccess.isThinking(listBlocks(message).at(-1))) report('the message ends in thinking');
		}),
	];
}

/** Rules of the Messages API. */
export const anthropicRules: readonly FormatRule[] = createTurnRules({
	blockAccess: {
		...anthropicBlockAccess,
		isEmptyText: (block) =>
			isFields(block) && block.type === 'text' && textOrEmpty(block.text ?? '').trim() === '',
	},
	listBlocks({ content }) {
		if (typeof content === 'string') return [{ type: 'text', text: content }];
		return Array.isArray(content) ? content.filter(isFields) : [];
	},
	readCall: ({ type, id, input }) => (type === 'tool_use' ? { id, input } : undefined),
	readAnsweredId: ({ tool_use_id }) => tool_use_id,
	allowedIdPattern: /^[a-zA-Z0-9_-]+$/,
});

/** Rules of the Converse API. */
export const bedrockRules: readonly FormatRule[] = createTurnRules({
	blockAccess: bedrockBlockAccess,
	listBlocks: ({ content }) => (Array.isArray(content) ? content.filter(isFields) : []),
	readCall(block) {
		const call = getBlockMember(block, 'toolUse');
		return call && { id: call.toolUseId, input: call.input };
	},
	readAnsweredId: (block) => getBlockMember(block, 'toolResult')?.toolUseId,
	allowedIdPattern: bedrockBlockAccess.idRule.allowedPattern,
});
