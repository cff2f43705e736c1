/**
 * The tags under which hidden messages are shown: a summary's group or a truncation marker's group. They are
 * worked out from the sheets in force, never stored, so that none can dangle.
 */

import { type Slices, sliceLength } from '../slices.ts';
import type { Seq } from './record.ts';
import { type Row, standsForSeveral, type Unit } from './row.ts';
import { isInPlace } from './seen.ts';
import type { Patch, Sheet, State } from './state.ts';
import { sheetsInForce } from './view.ts';

/** One message of the full history. */
export interface TaggedRow {
	row: Row;
	hidden: boolean;
	/** Of a hidden one: it is visible all the same, cut or cleared. */
	isShortened?: true;
	/** Of a summary: the group that it stands for; of a shortened message: the step that shortened it. */
	condenseId?: string;
	/** Of a message behind a summary: that summary's group; of the original of a shortened one: that step. */
	condenseParent?: string;
	truncationId?: string;
	truncationParent?: string;
	/** Of a message that a rewind or rollback cut off: that step. */
	cutBy?: string;
}

type Tags = Pick<TaggedRow, 'condenseParent' | 'truncationParent' | 'cutBy'>;

/** What is read of a state before the first wait. */
interface Seen extends Pick<State, 'rows' | 'view'> {
	sheets: readonly Sheet[];
	/** The step that laid each sheet. */
	stepIds: ReadonlyMap<number, string>;
}

function seenOf(state: State): Seen {
	const stepIds = new Map<number, string>();
	for (const step of state.steps) if (step.sheet) stepIds.set(step.sheet.no, step.id);
	return { rows: [...state.rows], view: [...state.view], sheets: sheetsInForce(state), stepIds };
}

function tagOf(patch: Patch, id: string, lossy: boolean): Tags {
	if (!lossy) return { cutBy: id };
	return patch.behind === 'marker' ? { truncationParent: id } : { condenseParent: id };
}

/** The lowest sheet in force that hides each row; sheets that only change its look do not count. */
function* hiders({ rows, sheets, stepIds }: Seen): Slices<(Tags | undefined)[]> {
	const tags: (Tags | undefined)[] = new Array(rows.length).fill(undefined);
	let done = 0;
	for (const sheet of sheets) {
		for (const patch of sheet.patches) {
			if (++done % sliceLength === 0) yield;
			if (isInPlace(patch, rows)) continue;
			const tag = tagOf(patch, stepIds.get(sheet.no) ?? '', sheet.lossy);
			for (let seq = patch.from; seq < patch.to; seq++) {
				tags[seq] ??= tag;
				if (++done % sliceLength === 0) yield;
			}
		}
	}
	return tags;
}

/** Summaries and markers in force, by the row that they stand at, lowest sheet first. */
function* standIns(
	{ rows, sheets, stepIds }: Seen,
	visible: ReadonlySet<Row>,
): Slices<Map<Seq, TaggedRow[]>> {
	const found = new Map<Seq, TaggedRow[]>();
	for (const [index, sheet] of sheets.entries()) {
		yield;
		for (const patch of sheet.patches) {
			if (!patch.show || isInPlace(patch, rows)) continue;
			const id = stepIds.get(sheet.no) ?? '';
			const own = patch.behind === 'marker' ? { truncationId: id } : { condenseId: id };
			const over = sheets
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

/** A row that was appended, and what is visible of it where that is shorter. */
function taggedRow(
	row: Row,
	shown: Unit | undefined,
	tags: Tags | undefined,
	ids: ReadonlyMap<number, string>,
): TaggedRow[] {
	if (!shown) return [{ row, hidden: true, ...tags }];
	if (shown.row === row) return [{ row, hidden: false }];
	const id = ids.get(shown.sheet) ?? '';
	return [
		{ row, hidden: true, isShortened: true, condenseParent: id },
		{ row: shown.row, hidden: false, condenseId: id },
	];
}

/**
 * Every message of a session in order, hidden ones with the tags that say behind what. O(rows), in slices; the state is
 * read in the first.
 */
export function* taggedRows(state: State): Slices<TaggedRow[]> {
	const seen = seenOf(state);
	const tags = yield* hiders(seen);
	const visible = new Set<Row>();
	/** What shows each row in its own place. */
	const looks: (Unit | undefined)[] = new Array(seen.rows.length).fill(undefined);
	for (const [index, unit] of seen.view.entries()) {
		if (index % sliceLength === sliceLength - 1) yield;
		visible.add(unit.row);
		if (!standsForSeveral(unit.row)) looks[unit.from] = unit;
	}
	const stand = yield* standIns(seen, visible);
	const tagged: TaggedRow[] = [];
	for (const row of seen.rows) {
		if (row.seq % sliceLength === sliceLength - 1) yield;
		tagged.push(...(stand.get(row.seq) ?? []));
		tagged.push(...taggedRow(row, looks[row.seq], tags[row.seq], seen.stepIds));
	}
	return tagged;
}
