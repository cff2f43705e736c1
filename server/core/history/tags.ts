/**
 * The tags of hidden messages: the summary or truncation marker that hides each. They are computed
 * from the active layers and never stored, so none can dangle.
 */

import { itemsPerSlice, type SlicedTask } from '../slices.ts';
import type { Seq } from './record.ts';
import { type Row, replacesSeveralRows, type Unit } from './row.ts';
import type { Layer, Patch, State } from './state.ts';
import { isInPlace } from './unitLookup.ts';
import { activeLayers } from './view.ts';

/** One message of the full history. */
export interface TaggedRow {
	row: Row;
	hidden: boolean;
	/** For a hidden message: a shortened or cleared form of it is visible. */
	isShortened?: true;
	/** For a summary: the group that it replaces. For a shortened message: the step that shortened it. */
	condenseId?: string;
	/**
	 * For a message behind a summary: that summary's group. For the original of a shortened message: that
	 * step.
	 */
	condenseParent?: string;
	truncationId?: string;
	truncationParent?: string;
	/** The rewind or rollback that removed the message. */
	cutBy?: string;
}

type Tags = Pick<TaggedRow, 'condenseParent' | 'truncationParent' | 'cutBy'>;

/** The part of a state that is read before the first yield. */
interface Seen extends Pick<State, 'rows' | 'view'> {
	layers: readonly Layer[];
	/** The step that added each layer. */
	stepIds: ReadonlyMap<number, string>;
}

function seenOf(state: State): Seen {
	const stepIds = new Map<number, string>();
	for (const step of state.steps) if (step.sheet) stepIds.set(step.sheet.no, step.id);
	return { rows: [...state.rows], view: [...state.view], layers: activeLayers(state), stepIds };
}

function tagOf(patch: Patch, id: string, lossy: boolean): Tags {
	if (!lossy) return { cutBy: id };
	return patch.behind === 'marker' ? { truncationParent: id } : { condenseParent: id };
}

/**
 * Tags of each row by the lowest active layer that hides it. Layers that only change its look do not
 * count.
 */
function* tagHiddenRows({ rows, layers, stepIds }: Seen): SlicedTask<(Tags | undefined)[]> {
	const tags: (Tags | undefined)[] = new Array(rows.length).fill(undefined);
	let done = 0;
	for (const layer of layers) {
		for (const patch of layer.patches) {
			if (++done % itemsPerSlice === 0) yield;
			if (isInPlace(patch, rows)) continue;
			const tag = tagOf(patch, stepIds.get(layer.no) ?? '', layer.lossy);
			for (let seq = patch.from; seq < patch.to; seq++) {
				tags[seq] ??= tag;
				if (++done % itemsPerSlice === 0) yield;
			}
		}
	}
	return tags;
}

/** Active summaries and markers by the row at which they appear, lowest layer first. */
function* replacementsByRow(
	{ rows, layers, stepIds }: Seen,
	visible: ReadonlySet<Row>,
): SlicedTask<Map<Seq, TaggedRow[]>> {
	const found = new Map<Seq, TaggedRow[]>();
	for (const [index, layer] of layers.entries()) {
		yield;
		for (const patch of layer.patches) {
			if (!patch.show || isInPlace(patch, rows)) continue;
			const id = stepIds.get(layer.no) ?? '';
			const own = patch.behind === 'marker' ? { truncationId: id } : { condenseId: id };
			const over = layers
				.slice(index + 1)
				.flatMap((later) => later.patches.map((one) => ({ later, one })))
				.find(({ one }) => one.from <= patch.from && patch.from < one.to);
			const parent = over && tagOf(over.one, stepIds.get(over.later.no) ?? '', over.later.lossy);
			const tagged: TaggedRow = { row: patch.show, hidden: !visible.has(patch.show), ...own, ...parent };
			found.set(patch.from, [...(found.get(patch.from) ?? []), tagged]);
		}
	}
	return found;
}

/** The entries of an appended row: the row, and its shortened form if that is visible. */
function taggedRow(
	row: Row,
	shown: Unit | undefined,
	tags: Tags | undefined,
	ids: ReadonlyMap<number, string>,
): TaggedRow[] {
	if (!shown) return [{ row, hidden: true, ...tags }];
	if (shown.row === row) return [{ row, hidden: false }];
	const id = ids.get(shown.layer) ?? '';
	return [
		{ row, hidden: true, isShortened: true, condenseParent: id },
		{ row: shown.row, hidden: false, condenseId: id },
	];
}

/**
 * Returns every message of a session in order; hidden ones carry tags that name what hides them.
 * O(rows), in slices; the state is read in the first slice.
 */
export function* tagRows(state: State): SlicedTask<TaggedRow[]> {
	const seen = seenOf(state);
	const tags = yield* tagHiddenRows(seen);
	const visible = new Set<Row>();
	/** The unit that shows each row in its own place. */
	const unitsInPlace: (Unit | undefined)[] = new Array(seen.rows.length).fill(undefined);
	for (const [index, unit] of seen.view.entries()) {
		if (index % itemsPerSlice === itemsPerSlice - 1) yield;
		visible.add(unit.row);
		if (!replacesSeveralRows(unit.row)) unitsInPlace[unit.from] = unit;
	}
	const replacements = yield* replacementsByRow(seen, visible);
	const tagged: TaggedRow[] = [];
	for (const row of seen.rows) {
		if (row.seq % itemsPerSlice === itemsPerSlice - 1) yield;
		tagged.push(...(replacements.get(row.seq) ?? []));
		tagged.push(...taggedRow(row, unitsInPlace[row.seq], tags[row.seq], seen.stepIds));
	}
	return tagged;
}
