/** Renders a history as turns of blocks, with system messages next to the turns. */

import type { ChatMessage, FormatName } from '../../../protocol/conversation.ts';
import { getOrInsert } from '../../getOrInsert.ts';
import type { Fields } from '../../shape.ts';
import { forEachInSlices, mapInSlices, type SlicedTask } from '../../slices.ts';
import { type RenderEntry, RenderLosses, type RenderResult } from './adapter.ts';
import { findSourceIn, splitSegments } from './grouping.ts';
import { arrangeBlocks, type BlockMeaning, type BlockWriter } from './layout.ts';
import type { WireSection } from './sections.ts';
import { type BlockAccess, normalizeTurns, type WireTurn } from './turns.ts';

/** A format whose messages are turns of blocks. */
export interface TurnFormat {
	name: FormatName;
	blockAccess: BlockAccess;
	/** Splits a wire message that was already validated. */
	split(raw: Fields): WireSection[];
	readBlock(block: unknown, field: string): BlockMeaning;
	/** Returns a writer for the blocks of a message. */
	createWriter(entry: RenderEntry, originalBlocks: readonly unknown[], losses: RenderLosses): BlockWriter;
	/** Writes a tool message as a block; keeps the fields of the original block. */
	writeResult(message: ChatMessage, raw: unknown, write: BlockWriter): unknown;
	/** Writes a new turn as a wire message. */
	createMessage(turn: WireTurn): unknown;
}

/** Sections of raw bodies by key, so that each body is split only once. */
type SectionsByKey = Map<string, WireSection[]>;

function writeEntryBlocks(
	entry: RenderEntry,
	sections: SectionsByKey,
	losses: RenderLosses,
	format: TurnFormat,
): unknown[] {
	const { message, isChanged } = entry;
	const source = findSourceIn(format.name, entry);
	const split = (): WireSection[] => format.split(source?.raw as Fields);
	const originalBlocks = source && getOrInsert(sections, source.key, split)[source.partIndex]?.blocks;
	if (originalBlocks && !isChanged) return originalBlocks;
	const blocks = originalBlocks ?? [];
	const write = format.createWriter(entry, blocks, losses);
	if (message.role === 'tool') return [format.writeResult(message, blocks[0], write)];
	return arrangeBlocks(message, blocks, (block) => format.readBlock(block, 'content'), write);
}

/** Returns the role and blocks of a complete raw message; only the blocks if it is a system message. */
function readWholeTurn(raw: Fields, blockAccess: BlockAccess): WireTurn | unknown[] {
	const { content, role } = raw;
	const blocks = Array.isArray(content)
		? content
		: content === ''
			? []
			: [blockAccess.createText(content as string)];
	return role === 'system' ? blocks : { role: role === 'assistant' ? 'assistant' : 'user', blocks, raw };
}

/** Renders the history as messages of the format, with system messages as `system` blocks next to them. */
export function* renderTurns(format: TurnFormat, entries: readonly RenderEntry[]): SlicedTask<RenderResult> {
	const losses = new RenderLosses(format.name);
	const system: unknown[] = [];
	const turns: WireTurn[] = [];
	const sections: SectionsByKey = new Map();
	yield* forEachInSlices(yield* splitSegments(format.name, entries), (segment) => {
		if (segment.kind === 'whole') {
			const turn = readWholeTurn(segment.raw as Fields, format.blockAccess);
			if (Array.isArray(turn)) system.push(...turn);
			else turns.push(turn);
			return;
		}
		const blocks = writeEntryBlocks(segment.entry, sections, losses, format);
		const { role } = segment.entry.message;
		if (role === 'system') system.push(...blocks);
		else turns.push({ role: role === 'assistant' ? 'assistant' : 'user', blocks });
	});
	const normalizedTurns = yield* normalizeTurns(turns, format.blockAccess);
	const messages = yield* mapInSlices(normalizedTurns, (turn) => turn.raw ?? format.createMessage(turn));
	return {
		messages,
		...(system.length > 0 ? { system } : {}),
		warnings: losses.listSentences(),
	};
}
