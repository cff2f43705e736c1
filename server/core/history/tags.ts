/**
 * Tags each hidden message with the summary or truncation marker that hides it. Tags are computed from the active layers
 * and never stored, so no tag can name something that does not exist.
 */

import { getOrInsert } from '../getOrInsert.ts';
import { flatMapInSlices, forEachInSlices, itemsPerSlice, type SlicedTask } from '../slices.ts';
import type { Seq } from './record.ts';
import { type Row, replacesSeveralRows, type Unit } from './row.ts';
import type { Layer, Patch, State } from './state.ts';
import { isInPlace } from './unitLookup.ts';
import { listActiveLayers } from './view.ts';

/** One message of the full history. */
export interface TaggedRow {
	row: Row;
	isHidden: boolean;
	/** Set for a hidden message if its shortened or cleared form is visible. */
	isShortened?: true;
	/** For a summary: the group that it replaces. For a shortened message: the step that shortened it. */
	condenseId?: string;
	/** The group of the summary that replaces this message, or the step that shortened it, if this is an original. */
	condenseParent?: string;
	truncationId?: string;
	truncationParent?: string;
	/** The rewind or rollback that removed the message. */
	cutBy?: string;
}

type Tags = Pick<TaggedRow, 'condenseParent' | 'truncationParent' | 'cutBy'>;

/** The part of a state that tagging reads before its first yield. */
interface TagSnapshot extends Pick<State, 'rows' | 'view'> {
	layers: readonly Layer[];
	/** The step that added each layer. */
	stepIds: ReadonlyMap<number, string>;
}

function createTagSnapshot(state: State): TagSnapshot {
	const stepIds = new Map<number, string>();
	for (const step of state.steps) if (step.sheet) stepIds.set(step.sheet.no, step.id);
	return { rows: [...state.rows], view: [...state.view], layers: listActiveLayers(state), stepIds };
}

/** Returns the tag of the rows that a patch of a layer hides. */
function createTag(patch: Patch, layer: Layer, stepIds: TagSnapshot['stepIds']): Tags {
	const id = stepIds.get(layer.no) ?? '';
	if (!layer.lossy) return { cutBy: id };
	return patch.behind === 'marker' ? { truncationParent: id } : { condenseParent: id };
}

/** Tags each row by the lowest active layer that hides it. A layer that only shortens a row does not hide it. */
function* tagHiddenRows({ rows, layers, stepIds }: TagSnapshot): SlicedTask<(Tags | undefined)[]> {
	const tags: (Tags | undefined)[] = new Array(rows.length).fill(undefined);
	let visitedCount = 0;
	for (const layer of layers) {
		for (const patch of layer.patches) {
			if (++visitedCount % itemsPerSlice === 0) yield;
			if (isInPlace(patch, rows)) continue;
			const tag = createTag(patch, layer, stepIds);
			for (let seq = patch.from; seq < patch.to; seq++) {
				tags[seq] ??= tag;
				if (++visitedCount % itemsPerSlice === 0) yield;
			}
		}
	}
	return tags;
}

/** Returns the active summaries and markers by the row at which they appear, lowest layer first. */
function* findReplacementsByRow(
	{ rows, layers, stepIds }: TagSnapshot,
	visibleRows: ReadonlySet<Row>,
): SlicedTask<Map<Seq, TaggedRow[]>> {
	const rowsBySeq = new Map<Seq, TaggedRow[]>();
	for (const [index, layer] of layers.entries()) {
		yield;
		for (const patch of layer.patches) {
			if (!patch.show || isInPlace(patch, rows)) continue;
			const id = stepIds.get(layer.no) ?? '';
			const replacementTag = patch.behind === 'marker' ? { truncationId: id } : { condenseId: id };
			const covers = ({ from, to }: Patch): boolean => from <= patch.from && patch.from < to;
			const hidingLayer = layers.slice(index + 1).find(({ patches }) => patches.some(covers));
			const hidingPatch = hidingLayer?.patches.find(covers);
			const parentTag = hidingLayer && hidingPatch && createTag(hidingPatch, hidingLayer, stepIds);
			const tags = { isHidden: !visibleRows.has(patch.show), ...replacementTag, ...parentTag };
			getOrInsert(rowsBySeq, patch.from, () => []).push({ row: patch.show, ...tags });
		}
	}
	return rowsBySeq;
}

/** Returns the tagged row of an appended message, and its shortened form if that is visible. */
function listTaggedRows(
	row: Row,
	shownUnit: Unit | undefined,
	tags: Tags | undefined,
	ids: ReadonlyMap<number, string>,
): TaggedRow[] {
	if (!shownUnit) return [{ row, isHidden: true, ...tags }];
	if (shownUnit.row === row) return [{ row, isHidden: false }];
	const id = ids.get(shownUnit.layer) ?? '';
	return [
		{ row, isHidden: true, isShortened: true, condenseParent: id },
		{ row: shownUnit.row, isHidden: false, condenseId: id },
	];
}

/**
 * Returns every message of a session in order; hidden messages have tags that name what hides them. O(rows), in slices;
 * the state is read in the first slice.
 */
export function* tagRows(state: State): SlicedTask<TaggedRow[]> {
	const snapshot = createTagSnapshot(state);
	const tags = yield* tagHiddenRows(snapshot);
	const visibleRows = new Set<Row>();
	/** By row: the unit that shows it, whole or shortened. */
	const unitsInPlace: (Unit | undefined)[] = new Array(snapshot.rows.length).fill(undefined);
	yield* forEachInSlices(snapshot.view, (unit) => {
		visibleRows.add(unit.row);
		if (!replacesSeveralRows(unit.row)) unitsInPlace[unit.from] = unit;
	});
	const replacements = yield* findReplacementsByRow(snapshot, visibleRows);
	return yield* flatMapInSlices(snapshot.rows, (row) => [
		...(replacements.get(row.seq) ?? []),
		...listTaggedRows(row, unitsInPlace[row.seq], tags[row.seq], snapshot.stepIds),
	]);
}
