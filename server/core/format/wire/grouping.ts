import type { FormatName } from '../../../protocol/conversation.ts';
import { mapInSlices, type Slices, sliceLength } from '../../slices.ts';
import type { MessageSource, RenderEntry } from './adapter.ts';

/** A stretch of a history: a raw body that is whole and untouched, or one entry by itself. */
export type Segment =
	| { kind: 'whole'; raw: unknown; id: string; cut?: RenderEntry['cut'] }
	| { kind: 'single'; entry: RenderEntry };

/** Its source, where that is of the format asked for. */
export function sourceIn(format: FormatName, entry: RenderEntry): MessageSource | undefined {
	return entry.source?.format === format ? entry.source : undefined;
}

function isWhole(format: FormatName, entries: readonly RenderEntry[], start: number, parts: number): boolean {
	const key = entries[start]?.source?.key;
	for (let part = 0; part < parts; part++) {
		const entry = entries[start + part];
		if (!entry || entry.touched) return false;
		const source = sourceIn(format, entry);
		if (!source || source.key !== key || source.part !== part) return false;
	}
	return true;
}

/** The history as raw bodies where all their messages stand untouched and in order, single entries elsewhere. */
export function* segments(format: FormatName, entries: readonly RenderEntry[]): Slices<Segment[]> {
	const found: Segment[] = [];
	for (let index = 0; index < entries.length; ) {
		if (found.length % sliceLength === sliceLength - 1) yield;
		const entry = entries[index]!;
		const source = sourceIn(format, entry);
		if (source && source.parts > 0 && isWhole(format, entries, index, source.parts)) {
			found.push({ kind: 'whole', raw: source.raw, id: entry.message.id, cut: entry.cut });
			index += source.parts;
		} else {
			found.push({ kind: 'single', entry });
			index += 1;
		}
	}
	return found;
}

/** The tools that one call id was used for, and how many of its calls have their result. */
interface Called {
	tools: string[];
	answered: number;
}

/**
 * The entries, in which every result bears the name of a tool: the stated one, else that of the call it answers.
 * Of calls with one id the first takes the first result; a result beyond them is taken for one of the last.
 */
export function withToolNames(entries: readonly RenderEntry[]): Slices<RenderEntry[]> {
	const uses = new Map<string, Called>();
	return mapInSlices(entries, (entry) => {
		const { message } = entry;
		for (const { id, name } of message.toolCalls ?? []) {
			const called = uses.get(id);
			if (called) called.tools.push(name);
			else uses.set(id, { tools: [name], answered: 0 });
		}
		const called = message.role === 'tool' ? uses.get(message.toolCallId ?? '') : undefined;
		if (!called) return entry;
		const toolName = message.toolName ?? called.tools[called.answered] ?? called.tools.at(-1);
		called.answered = Math.min(called.answered + 1, called.tools.length);
		return toolName === undefined ? entry : { ...entry, message: { ...message, toolName } };
	});
}

/** The turns in order, each run of one role gathered. */
export function* runsOfRole<Turn extends { role: unknown }>(turns: readonly Turn[]): Slices<Turn[][]> {
	const runs: Turn[][] = [];
	for (const [index, turn] of turns.entries()) {
		if (index % sliceLength === sliceLength - 1) yield;
		const run = runs.at(-1);
		if (run !== undefined && run[0]?.role === turn.role) run.push(turn);
		else runs.push([turn]);
	}
	return runs;
}
