/** A history as turns of blocks, its system messages outside. */

import type { ChatMessage, FormatName } from '../../../protocol/conversation.ts';
import { getOrInsert } from '../../getOrInsert.ts';
import type { Fields } from '../../shape.ts';
import { mapInSlices, type Slices, sliceLength } from '../../slices.ts';
import type { RenderEntry, Rendered } from './adapter.ts';
import { segments, sourceIn } from './grouping.ts';
import { type BlockMeaning, layOut, type PieceWriter } from './layout.ts';
import type { Piece } from './pieces.ts';
import { type BlockKinds, settleTurns, type Turn } from './turns.ts';
import { collectLosses, type Losses } from './warnings.ts';

/** A format whose messages are turns of blocks. */
export interface TurnFormat {
	name: FormatName;
	kinds: BlockKinds;
	/** The pieces of a wire message that was parsed before. */
	split(raw: Fields): Piece[];
	readBlock(block: unknown, field: string): BlockMeaning;
	/** How the pieces of a message become blocks; `before` are those that it came with. */
	writer(entry: RenderEntry, before: readonly unknown[], losses: Losses): PieceWriter;
	/** A tool message as a block; the fields of the one it came with are kept. */
	resultBlock(message: ChatMessage, raw: unknown, write: PieceWriter): unknown;
	/** A turn that was made here, as a wire message. */
	message(turn: Turn): unknown;
}

/** The pieces of raw bodies by their key: a body is taken apart once, however many of its results stand alone. */
type Pieces = Map<string, Piece[]>;

function blocksOfSource(entry: RenderEntry, pieces: Pieces, format: TurnFormat): unknown[] | undefined {
	const source = sourceIn(format.name, entry);
	if (!source) return undefined;
	return getOrInsert(pieces, source.key, () => format.split(source.raw as Fields))[source.part]?.blocks;
}

function blocksOfEntry(entry: RenderEntry, pieces: Pieces, losses: Losses, format: TurnFormat): unknown[] {
	const { message, touched } = entry;
	const before = blocksOfSource(entry, pieces, format);
	if (before && !touched) return before;
	const blocks = before ?? [];
	const write = format.writer(entry, blocks, losses);
	if (message.role === 'tool') return [format.resultBlock(message, blocks[0], write)];
	return layOut(message, blocks, (block) => format.readBlock(block, 'content'), write);
}

/** The role and blocks of a raw message that is whole; the blocks alone where it is the system's. */
function wholeTurn(raw: Fields, kinds: BlockKinds): Turn | unknown[] {
	const { content, role } = raw;
	const blocks = Array.isArray(content) ? content : content === '' ? [] : [kinds.text(content as string)];
	return role === 'system' ? blocks : { role: role === 'assistant' ? 'assistant' : 'user', blocks, raw };
}

/** The history as messages of the format, its system messages as `system` blocks outside. */
export function* renderTurns(format: TurnFormat, entries: readonly RenderEntry[]): Slices<Rendered> {
	const losses = collectLosses(format.name);
	const system: unknown[] = [];
	const turns: Turn[] = [];
	const pieces: Pieces = new Map();
	for (const [index, segment] of (yield* segments(format.name, entries)).entries()) {
		if (index % sliceLength === sliceLength - 1) yield;
		if (segment.kind === 'whole') {
			const whole = wholeTurn(segment.raw as Fields, format.kinds);
			if (Array.isArray(whole)) system.push(...whole);
			else turns.push(whole);
			continue;
		}
		const blocks = blocksOfEntry(segment.entry, pieces, losses, format);
		const { role } = segment.entry.message;
		if (role === 'system') system.push(...blocks);
		else turns.push({ role: role === 'assistant' ? 'assistant' : 'user', blocks });
	}
	const settled = yield* settleTurns(turns, format.kinds);
	const messages = yield* mapInSlices(settled, (turn) => turn.raw ?? format.message(turn));
	return {
		messages,
		...(system.length > 0 ? { system } : {}),
		warnings: losses.sentences(),
	};
}
