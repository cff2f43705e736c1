import { type Fields, isFields } from '../../shape.ts';
import type { RenderEntry, Rendered } from '../wire/adapter.ts';
import { segments, sourceIn } from '../wire/grouping.ts';
import { layOut } from '../wire/layout.ts';
import { collectLosses, type Losses } from '../wire/warnings.ts';
import { type Piece, readBlock, splitMessage } from './blocks.ts';
import { settle, type Turn } from './turns.ts';
import { blockWriter, resultBlock } from './write.ts';

/** The pieces of raw bodies by their key: a body is taken apart once, however many of its results stand alone. */
type Pieces = Map<string, Piece[]>;

function blocksOfSource(entry: RenderEntry, pieces: Pieces): unknown[] | undefined {
	const source = sourceIn('anthropic', entry);
	if (!source) return undefined;
	const split = pieces.get(source.key) ?? splitMessage(source.raw as Fields);
	pieces.set(source.key, split);
	return split[source.part]?.blocks;
}

function blocksOfEntry(entry: RenderEntry, pieces: Pieces, losses: Losses): unknown[] {
	const { message, touched } = entry;
	const before = blocksOfSource(entry, pieces);
	if (before && !touched) return before;
	const blocks = before ?? [];
	const write = blockWriter(entry, blocks, losses);
	if (message.role === 'tool') return [resultBlock(message, blocks[0], write)];
	return layOut(message, blocks, (block) => readBlock(block, 'content'), write);
}

/** The role and blocks of a raw message that is whole. */
function wholeTurn(raw: Fields): Turn | unknown[] {
	const { content, role } = raw;
	const blocks = Array.isArray(content) ? content : content === '' ? [] : [{ type: 'text', text: content }];
	return role === 'system' ? blocks : { role: role === 'assistant' ? 'assistant' : 'user', blocks, raw };
}

/** The history as Messages API messages, its system messages as `system` blocks outside. */
export function render(entries: readonly RenderEntry[]): Rendered {
	const losses = collectLosses('anthropic');
	const system: unknown[] = [];
	const turns: Turn[] = [];
	const pieces: Pieces = new Map();
	for (const segment of segments('anthropic', entries)) {
		if (segment.kind === 'whole') {
			const whole = wholeTurn(segment.raw as Fields);
			if (Array.isArray(whole)) system.push(...whole);
			else turns.push(whole);
			continue;
		}
		const blocks = blocksOfEntry(segment.entry, pieces, losses);
		const { role } = segment.entry.message;
		if (role === 'system') system.push(...blocks);
		else turns.push({ role: role === 'assistant' ? 'assistant' : 'user', blocks });
	}
	const messages = settle(turns).map((turn) => turn.raw ?? plainMessage(turn));
	return {
		messages,
		...(system.length > 0 ? { system } : {}),
		warnings: losses.sentences(),
	};
}

/** A turn that was made here; one plain text goes as a string, the shortest form. */
function plainMessage(turn: Turn): unknown {
	const [only, ...others] = turn.blocks;
	const isPlain =
		others.length === 0 && isFields(only) && only.type === 'text' && Object.keys(only).length === 2;
	return { role: turn.role, content: isPlain ? only.text : turn.blocks };
}
