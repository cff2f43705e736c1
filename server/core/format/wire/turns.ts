/** Turns of blocks, for providers with alternating roles and results in the user's turns. */

import { isFields } from '../../shape.ts';
import { filterInSlices, forEachInSlices, mapInSlices, type SlicedTask } from '../../slices.ts';
import { CallIds, type IdRule } from './callIds.ts';

/** A wire message under construction. `raw` is the message to send; absent if it must be built from the blocks. */
export interface WireTurn<Role = 'user' | 'assistant', Block = unknown> {
	role: Role;
	blocks: Block[];
	raw?: unknown;
}

/** Returns the member of a wire message that contains its blocks. */
type CreateBlockMember<Block> = (blocks: Block[]) => object;

const createContent: CreateBlockMember<unknown> = (content) => ({ content });

export interface BlockAccess {
	isEmptyText(block: unknown): boolean;
	isThinking(block: unknown): boolean;
	isResult(block: unknown): boolean;
	/** The blocks inside a result; undefined if the block is not a result or contains no blocks. */
	getInnerBlocks(block: unknown): unknown[] | undefined;
	/** Returns a copy of a result with these blocks inside. */
	replaceInnerBlocks(result: unknown, blocks: unknown[]): unknown;
	/** The id of a call; undefined if the block is not a call. */
	getCallId(block: unknown): string | undefined;
	withCallId(call: unknown, id: string): unknown;
	/** The id of the call that a result answers; undefined if the block is not a result. */
	getAnsweredId(block: unknown): string | undefined;
	withAnsweredId(result: unknown, id: string): unknown;
	idRule: IdRule;
	createText(text: string): unknown;
}

/** Inserted as the user's first turn if a history begins with the model, which providers refuse. */
const openingTurnText = '(conversation continues)';

/** Removes empty text blocks, which providers refuse, also inside results. */
function removeEmptyTexts(blocks: unknown[], access: BlockAccess): unknown[] {
	const keptBlocks = blocks.map((block) => {
		const innerBlocks = access.getInnerBlocks(block);
		if (!innerBlocks?.some(access.isEmptyText)) return block;
		return access.replaceInnerBlocks(
			block,
			innerBlocks.filter((inner) => !access.isEmptyText(inner)),
		);
	});
	return keptBlocks.filter((block) => !access.isEmptyText(block));
}

/** Removes thinking at the end of an answer, which providers refuse. */
function removeTrailingThinking(blocks: unknown[], access: BlockAccess): unknown[] {
	const end = blocks.findLastIndex((block) => !access.isThinking(block)) + 1;
	return end === blocks.length ? blocks : blocks.slice(0, end);
}

function moveResultsFirst(blocks: unknown[], { isResult }: BlockAccess): unknown[] {
	const firstOther = blocks.findIndex((block) => !isResult(block));
	if (firstOther < 0 || !blocks.slice(firstOther).some(isResult)) return blocks;
	return [...blocks.filter(isResult), ...blocks.filter((block) => !isResult(block))];
}

/** Returns a turn with these blocks in place of its own; the same turn if the blocks are the same. */
export function setBlocks<Role, Block>(
	turn: WireTurn<Role, Block>,
	blocks: Block[],
	createMember: CreateBlockMember<Block> = createContent,
): WireTurn<Role, Block> {
	const isSame =
		turn.blocks.length === blocks.length && blocks.every((block, index) => block === turn.blocks[index]);
	if (isSame) return turn;
	const raw = isFields(turn.raw) ? { ...turn.raw, ...createMember(blocks) } : undefined;
	return { role: turn.role, blocks, raw };
}

/** Merges consecutive turns of one role. The merged turn has the fields of all turns; earlier turns win. */
export function* mergeTurnsOfRole<Role, Block>(
	turns: readonly WireTurn<Role, Block>[],
	createMember: CreateBlockMember<Block> = createContent,
): SlicedTask<WireTurn<Role, Block>[]> {
	const runs: WireTurn<Role, Block>[][] = [];
	yield* forEachInSlices(turns, (turn) => {
		const run = runs.at(-1);
		if (run?.[0]?.role === turn.role) run.push(turn);
		else runs.push([turn]);
	});
	return yield* mapInSlices(runs, (run) => {
		const { role } = run[0]!;
		if (run.length === 1) return run[0]!;
		const blocks = run.flatMap((turn) => turn.blocks);
		const fields = Object.assign({}, ...run.toReversed().map((turn) => turn.raw));
		return { role, blocks, raw: { ...fields, role, ...createMember(blocks) } };
	});
}

function assignWireIds(turn: WireTurn, callIds: CallIds, access: BlockAccess): WireTurn {
	if (turn.role === 'assistant') callIds.endBatch();
	const blocks = turn.blocks.map((block) => {
		const callId = access.getCallId(block);
		if (callId !== undefined) {
			const id = callIds.assignCallId(callId);
			return id === callId ? block : access.withCallId(block, id);
		}
		const answeredId = access.getAnsweredId(block);
		if (answeredId === undefined) return block;
		const id = callIds.findResultId(answeredId);
		return id === answeredId ? block : access.withAnsweredId(block, id);
	});
	return setBlocks(turn, blocks);
}

/**
 * Adjusts turns to what providers with turns require: alternating roles, the user first, results first, unique valid
 * call ids, no empty texts, no thinking at the end of an answer. Turns that already comply are unchanged.
 */
export function* normalizeTurns(turns: readonly WireTurn[], access: BlockAccess): SlicedTask<WireTurn[]> {
	const hasBlocks = (turn: WireTurn): boolean => turn.blocks.length > 0;
	const cleanedTurns = yield* mapInSlices(turns, (turn) =>
		setBlocks(turn, removeEmptyTexts(turn.blocks, access)),
	);
	const mergedTurns = yield* mergeTurnsOfRole(yield* filterInSlices(cleanedTurns, hasBlocks));
	const trimmedTurns = yield* mapInSlices(mergedTurns, (turn) =>
		turn.role === 'assistant' ? setBlocks(turn, removeTrailingThinking(turn.blocks, access)) : turn,
	);
	const keptTurns = yield* mergeTurnsOfRole(yield* filterInSlices(trimmedTurns, hasBlocks));
	const callIds = new CallIds(access.idRule);
	const renamedTurns = yield* mapInSlices(keptTurns, (turn) =>
		assignWireIds(
			turn.role === 'user' ? setBlocks(turn, moveResultsFirst(turn.blocks, access)) : turn,
			callIds,
			access,
		),
	);
	if (renamedTurns[0]?.role !== 'assistant') return renamedTurns;
	return [{ role: 'user', blocks: [access.createText(openingTurnText)] }, ...renamedTurns];
}
