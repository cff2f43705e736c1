import { isFields } from '../../shape.ts';
import type { Slices } from '../../slices.ts';
import type { RenderEntry, Rendered } from '../wire/adapter.ts';
import { renderTurns, type TurnFormat } from '../wire/renderTurns.ts';
import type { Turn } from '../wire/turns.ts';
import { readBlock, splitMessage } from './blocks.ts';
import { kinds } from './kinds.ts';
import { blockWriter, resultBlock } from './write.ts';

/** A turn that was made here; one plain text goes as a string, the shortest form. */
function plainMessage(turn: Turn): unknown {
	const [only, ...others] = turn.blocks;
	const isPlain =
		others.length === 0 && isFields(only) && only.type === 'text' && Object.keys(only).length === 2;
	return { role: turn.role, content: isPlain ? only.text : turn.blocks };
}

const format: TurnFormat = {
	name: 'anthropic',
	kinds,
	split: splitMessage,
	readBlock,
	writer: blockWriter,
	resultBlock,
	message: plainMessage,
};

/** The history as Messages API messages, its system messages as `system` blocks outside. */
export function render(entries: readonly RenderEntry[]): Slices<Rendered> {
	return renderTurns(format, entries);
}
