import { isFields } from '../../shape.ts';
import { type CallIds, callIds, hashedId, type IdRule } from '../wire/callIds.ts';
import { runsOfRole } from '../wire/grouping.ts';

/** A wire message in the making: the raw one as long as nothing had to change in it. */
export interface Turn {
	role: 'user' | 'assistant';
	blocks: unknown[];
	raw?: unknown;
}

/** Said by the user where a history begins with the model, which the API refuses. */
const bootstrap = '(conversation continues)';

function typeOf(block: unknown): unknown {
	return isFields(block) ? block.type : undefined;
}

function isEmptyText(block: unknown): boolean {
	return (
		isFields(block) && block.type === 'text' && typeof block.text === 'string' && block.text.trim() === ''
	);
}

/** The text blocks that say nothing are refused, inside tool results too. */
function withoutEmptyText(blocks: unknown[]): unknown[] {
	const kept = blocks.map((block) => {
		if (!isFields(block) || block.type !== 'tool_result' || !Array.isArray(block.content)) return block;
		if (!block.content.some(isEmptyText)) return block;
		return { ...block, content: block.content.filter((inner) => !isEmptyText(inner)) };
	});
	return kept.filter((block) => !isEmptyText(block));
}

function isThinking(block: unknown): boolean {
	const type = typeOf(block);
	return type === 'thinking' || type === 'redacted_thinking';
}

/** An answer must not end in thinking: what nothing follows is dropped whole. */
function withoutTrailingThinking(blocks: unknown[]): unknown[] {
	const end = blocks.findLastIndex((block) => !isThinking(block)) + 1;
	return end === blocks.length ? blocks : blocks.slice(0, end);
}

function resultsFirst(blocks: unknown[]): unknown[] {
	const isResult = (block: unknown) => typeOf(block) === 'tool_result';
	const firstOther = blocks.findIndex((block) => !isResult(block));
	if (firstOther < 0 || !blocks.slice(firstOther).some(isResult)) return blocks;
	return [...blocks.filter(isResult), ...blocks.filter((block) => !isResult(block))];
}

function sameBlocks(left: readonly unknown[], right: readonly unknown[]): boolean {
	return left.length === right.length && left.every((block, index) => block === right[index]);
}

function withBlocks(turn: Turn, blocks: unknown[]): Turn {
	if (sameBlocks(turn.blocks, blocks)) return turn;
	const raw = isFields(turn.raw) ? { ...turn.raw, content: blocks } : undefined;
	return { role: turn.role, blocks, raw };
}

/** Runs of one role as one turn each, with the fields of all of them, the first one's first. */
function alternating(turns: readonly Turn[]): Turn[] {
	return runsOfRole(turns).map((run) => {
		const { role } = run[0]!;
		if (run.length === 1) return run[0]!;
		const blocks = run.flatMap((turn) => turn.blocks);
		const fields = Object.assign({}, ...run.toReversed().map((turn) => turn.raw));
		return { role, blocks, raw: { ...fields, role, content: blocks } };
	});
}

const idRule: IdRule = {
	unique: 'request',
	allowed: /^[a-zA-Z0-9_-]{1,128}$/,
	make: (text: string) => `toolu_${hashedId(text, 13)}`,
};

function withIds(turn: Turn, ids: CallIds): Turn {
	if (turn.role === 'assistant') ids.endBatch();
	const blocks = turn.blocks.map((block) => {
		if (!isFields(block)) return block;
		if (block.type === 'tool_use' && typeof block.id === 'string') {
			const id = ids.call(block.id);
			return id === block.id ? block : { ...block, id };
		}
		if (block.type === 'tool_result' && typeof block.tool_use_id === 'string') {
			const id = ids.result(block.tool_use_id);
			return id === block.tool_use_id ? block : { ...block, tool_use_id: id };
		}
		return block;
	});
	return withBlocks(turn, blocks);
}

/**
 * The turns as the Messages API takes them: roles alternate, the user begins, results stand first, call ids
 * are unique and well-formed, no text is empty and no answer ends in thinking. A turn that is so already is
 * handed on as it is.
 */
export function settle(turns: readonly Turn[]): Turn[] {
	const cleaned = turns
		.map((turn) => withBlocks(turn, withoutEmptyText(turn.blocks)))
		.filter((turn) => turn.blocks.length > 0);
	const trimmed = alternating(cleaned).map((turn) =>
		turn.role === 'assistant' ? withBlocks(turn, withoutTrailingThinking(turn.blocks)) : turn,
	);
	const kept = alternating(trimmed.filter((turn) => turn.blocks.length > 0));
	const ids = callIds(idRule);
	const settled = kept.map((turn) =>
		withIds(turn.role === 'user' ? withBlocks(turn, resultsFirst(turn.blocks)) : turn, ids),
	);
	if (settled[0]?.role !== 'assistant') return settled;
	return [{ role: 'user', blocks: [{ type: 'text', text: bootstrap }] }, ...settled];
}
