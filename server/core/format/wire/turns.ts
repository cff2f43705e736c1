/** Turns of blocks, for providers whose users and models speak in alternation, results in the user's turns. */

import { isFields } from '../../shape.ts';
import { filterInSlices, mapInSlices, type Slices } from '../../slices.ts';
import { type CallIds, callIds, type IdRule } from './callIds.ts';
import { runsOfRole } from './grouping.ts';

/** A wire message in the making: the raw one as long as nothing had to change in it. */
export interface Turn {
	role: 'user' | 'assistant';
	blocks: unknown[];
	raw?: unknown;
}

/** What a format calls its blocks. */
export interface BlockKinds {
	isEmptyText(block: unknown): boolean;
	isThinking(block: unknown): boolean;
	isResult(block: unknown): boolean;
	/** The blocks inside a result; undefined where the block is no result or holds none. */
	insideResult(block: unknown): unknown[] | undefined;
	/** The result with other blocks inside. */
	withInside(result: unknown, blocks: unknown[]): unknown;
	/** The id of a call; undefined where the block is none. */
	callId(block: unknown): string | undefined;
	withCallId(call: unknown, id: string): unknown;
	/** The id of the call that a result answers; undefined where the block is no result. */
	answeredId(block: unknown): string | undefined;
	withAnsweredId(result: unknown, id: string): unknown;
	ids: IdRule;
	/** A block that says a text. */
	text(text: string): unknown;
}

/** Said by the user where a history begins with the model, which is refused. */
const bootstrap = '(conversation continues)';

/** The text blocks that say nothing are refused, inside results too. */
function withoutEmptyText(blocks: unknown[], kinds: BlockKinds): unknown[] {
	const kept = blocks.map((block) => {
		const inside = kinds.insideResult(block);
		if (!inside?.some(kinds.isEmptyText)) return block;
		return kinds.withInside(
			block,
			inside.filter((inner) => !kinds.isEmptyText(inner)),
		);
	});
	return kept.filter((block) => !kinds.isEmptyText(block));
}

/** An answer must not end in thinking: what nothing follows is dropped whole. */
function withoutTrailingThinking(blocks: unknown[], kinds: BlockKinds): unknown[] {
	const end = blocks.findLastIndex((block) => !kinds.isThinking(block)) + 1;
	return end === blocks.length ? blocks : blocks.slice(0, end);
}

function resultsFirst(blocks: unknown[], { isResult }: BlockKinds): unknown[] {
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
function* alternating(turns: readonly Turn[]): Slices<Turn[]> {
	return yield* mapInSlices(yield* runsOfRole(turns), (run) => {
		const { role } = run[0]!;
		if (run.length === 1) return run[0]!;
		const blocks = run.flatMap((turn) => turn.blocks);
		const fields = Object.assign({}, ...run.toReversed().map((turn) => turn.raw));
		return { role, blocks, raw: { ...fields, role, content: blocks } };
	});
}

function withIds(turn: Turn, ids: CallIds, kinds: BlockKinds): Turn {
	if (turn.role === 'assistant') ids.endBatch();
	const blocks = turn.blocks.map((block) => {
		const called = kinds.callId(block);
		if (called !== undefined) {
			const id = ids.call(called);
			return id === called ? block : kinds.withCallId(block, id);
		}
		const answered = kinds.answeredId(block);
		if (answered === undefined) return block;
		const id = ids.result(answered);
		return id === answered ? block : kinds.withAnsweredId(block, id);
	});
	return withBlocks(turn, blocks);
}

/**
 * The turns as such a provider takes them: roles alternate, the user begins, results stand first, call ids are unique
 * and well-formed, no text is empty and no answer ends in thinking. A turn that is so already is handed on as it is.
 */
export function* settleTurns(turns: readonly Turn[], kinds: BlockKinds): Slices<Turn[]> {
	const saysSomething = (turn: Turn): boolean => turn.blocks.length > 0;
	const cleaned = yield* mapInSlices(turns, (turn) => withBlocks(turn, withoutEmptyText(turn.blocks, kinds)));
	const apart = yield* alternating(yield* filterInSlices(cleaned, saysSomething));
	const trimmed = yield* mapInSlices(apart, (turn) =>
		turn.role === 'assistant' ? withBlocks(turn, withoutTrailingThinking(turn.blocks, kinds)) : turn,
	);
	const kept = yield* alternating(yield* filterInSlices(trimmed, saysSomething));
	const ids = callIds(kinds.ids);
	const settled = yield* mapInSlices(kept, (turn) =>
		withIds(turn.role === 'user' ? withBlocks(turn, resultsFirst(turn.blocks, kinds)) : turn, ids, kinds),
	);
	if (settled[0]?.role !== 'assistant') return settled;
	return [{ role: 'user', blocks: [kinds.text(bootstrap)] }, ...settled];
}
