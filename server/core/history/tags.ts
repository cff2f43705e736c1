/**
 * The tags under which hidden messages are shown: a summary's group or a truncation marker's group. They are
 * worked out from the sheets in force, never stored, so that none can dangle.
 */

import type { Seq } from './record.ts';
import type { Row, Unit } from './row.ts';
import { isInPlace } from './seen.ts';
import type { Patch, State } from './state.ts';
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

function stepIds(state: State): Map<number, string> {
	const ids = new Map<number, string>();
	for (const step of state.steps) if (step.sheet) ids.set(step.sheet.no, step.id);
	return ids;
}

function tagOf(patch: Patch, id: string, lossy: boolean): Tags {
	if (!lossy) return { cutBy: id };
	return patch.behind === 'marker' ? { truncationParent: id } : { condenseParent: id };
}

/** The lowest sheet in force that hides each row; sheets that only change its look do not count. */
function hiders(state: State): (Tags | undefined)[] {
	const ids = stepIds(state);
	const tags: (Tags | undefined)[] = new Array(state.rows.length).fill(undefined);
	for (const sheet of sheetsInForce(state)) {
		for (const patch of sheet.patches) {
			if (isInPlace(patch, state.rows)) continue;
			const tag = tagOf(patch, ids.get(sheet.no) ?? '', sheet.lossy);
			for (let seq = patch.from; seq < patch.to; seq++) tags[seq] ??= tag;
		}
	}
	return tags;
}

/** Summaries and markers in force, by the row that they stand at, lowest sheet first. */
function standIns(state: State): Map<Seq, TaggedRow[]> {
	const ids = stepIds(state);
	const visible = new Set(state.view.map((unit) => unit.row));
	const found = new Map<Seq, TaggedRow[]>();
	const sheets = sheetsInForce(state);
	for (const [index, sheet] of sheets.entries()) {
		for (const patch of sheet.patches) {
			if (!patch.show || isInPlace(patch, state.rows)) continue;
			const id = ids.get(sheet.no) ?? '';
			const own = patch.behind === 'marker' ? { truncationId: id } : { condenseId: id };
			const over = sheets
				.slice(index + 1)
				.flatMap((later) => later.patches.map((one) => ({ later, one })))
				.find(({ one }) => one.from <= patch.from && patch.from < one.to);
			const parent = over && tagOf(over.one, ids.get(over.later.no) ?? '', over.later.lossy);
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

/** Every message of a session in order, hidden ones with the tags that say behind what. O(rows). */
export function taggedRows(state: State): TaggedRow[] {
	const tags = hiders(state);
	const stand = standIns(state);
	const ids = stepIds(state);
	const seen = new Map<Seq, Unit>();
	for (const unit of state.view) {
		if (unit.row.made !== 'summary' && unit.row.made !== 'marker') seen.set(unit.from, unit);
	}
	return state.rows.flatMap((row) => [
		...(stand.get(row.seq) ?? []),
		...taggedRow(row, seen.get(row.seq), tags[row.seq], ids),
	]);
}
