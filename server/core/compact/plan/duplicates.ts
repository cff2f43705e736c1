/**
 * Stage "deduplicate": an earlier read of a file goes where a later visible read shows all its lines, or where
 * its lines were edited since and a later read exists; so does a result that a later one repeats word for word.
 */

import type { IdentifiedMessage } from '../../../protocol/conversation.ts';
import { covers, overlaps } from '../../files/touches/lineRange.ts';
import type { RowTouch } from '../../history/record.ts';
import type { Row } from '../../history/row.ts';
import {
	type Draft,
	type Effects,
	type Item,
	isHidden,
	isProtected,
	originalOf,
	shorten,
	tokensOf,
	unitOf,
	walk,
} from '../draft.ts';
import { kind, none } from '../rowColumns.ts';
import { noteFor, noteTokens } from './notes.ts';

/** A saving below this share of what it touches is not worth a change of the history. */
const worthwhileShare = 0.3;

/** How many notes are counted before others may work. */
const notes = 5000;

/** How many originals are read at a time. */
const slice = 64;

/** Which item goes, and what is said in its place. */
export interface Duplicate {
	item: Item;
	/** Absent: repeated word for word. */
	path?: string;
}

function showsFileAlone({ shows = [], isError, made }: Row): boolean {
	return shows.length > 0 && shows.every((touch) => !touch.mixed) && !isError && !made;
}

/** What becomes of one file behind an item. */
interface FileLater {
	reads: RowTouch[];
	edits: RowTouch[];
	/** The whole of it, or some part that is not told, is edited. */
	editedWhole: boolean;
}

/** What lies behind an item, gathered from the end of the history. */
interface Later {
	files: Map<string, FileLater>;
	/** By number: 1 where a result says that. */
	digests: Uint8Array;
	/** Calls whose results say that they failed: they changed nothing. */
	failed: Set<string>;
}

/** So many reads and edits of one file are compared with an earlier one: the newest. */
const mostPlaces = 256;

function isSuperseded(touch: RowTouch, { files }: Later): boolean {
	const file = files.get(touch.path);
	if (!file || file.reads.length === 0) return false;
	if (file.editedWhole && touch.kind === 'read') return true;
	for (const read of file.reads) if (covers(read, touch)) return true;
	for (const edit of file.edits) if (overlaps(edit, touch)) return true;
	return false;
}

function isWhole(touch: RowTouch): boolean {
	return touch.from === undefined && touch.to === undefined && touch.lastLines === undefined;
}

function isWithin(inner: RowTouch, outer: RowTouch): boolean {
	return isWhole(outer) || (inner.kind === 'read' && outer.kind === 'read' && covers(outer, inner));
}

function remember({ files }: Later, touch: RowTouch): void {
	let file = files.get(touch.path);
	if (!file) {
		file = { reads: [], edits: [], editedWhole: false };
		files.set(touch.path, file);
	}
	// Once all of a file is edited and then read, every earlier read is superseded, whatever else is known.
	if (file.editedWhole && file.reads.length > 0) return;
	const known = touch.kind === 'edit' ? file.edits : file.reads;
	if (known.length >= mostPlaces) return;
	for (const one of known) if (isWithin(touch, one)) return;
	known.push(touch);
	if (touch.kind === 'edit' && isWhole(touch)) file.editedWhole = true;
}

function note(later: Later, row: Row, digest: number): void {
	for (const touch of row.touches ?? []) {
		if (touch.kind === 'edit' && !later.failed.has(touch.callId)) remember(later, touch);
	}
	if (later.failed.size > 0) for (const call of row.calls ?? []) later.failed.delete(call.id);
	if (row.role !== 'tool') return;
	if (row.isError && row.answers !== undefined) later.failed.add(row.answers);
	if (row.made) return;
	if (showsFileAlone(row)) for (const touch of row.shows ?? []) remember(later, touch);
	if (digest !== none) later.digests[digest] = 1;
}

/** What is said of a result by more than its words: such a row is looked at itself. */
const telling = kind.files | kind.failed | kind.made;

/** The duplicates of a history, oldest first. */
export async function duplicatesOf(draft: Draft, { pause }: Pick<Effects, 'pause'>): Promise<Duplicate[]> {
	const digests = new Uint8Array(draft.columns.numbers.digests.size);
	const later: Later = { files: new Map(), digests, failed: new Set() };
	const found: Duplicate[] = [];
	for (let to = draft.view.length; to > 0; to -= walk) {
		findDuplicates(draft, Math.max(0, to - walk), to, later, found);
		await pause();
	}
	return found.reverse();
}

/** Adds the duplicates among the items [from, to), newest first. */
function findDuplicates(draft: Draft, from: Item, to: Item, later: Later, found: Duplicate[]): void {
	const { kinds, digests } = draft;
	for (let item = to - 1; item >= from; item--) {
		const own = kinds[item] ?? 0;
		// Words alone are no duplicate of anything; calls take failures back that were seen behind them.
		if (later.failed.size === 0 && !(own & (kind.result | kind.files))) continue;
		if (isHidden(draft, item)) continue;
		const digest = digests[item] ?? none;
		if (own & kind.result && !(own & telling)) {
			if (digest === none) continue;
			if (later.digests[digest] === 1 && !(own & kind.protected)) found.push({ item });
			later.digests[digest] = 1;
			continue;
		}
		const { row } = unitOf(draft, item);
		const duplicate =
			row.role === 'tool' && !row.made && !isProtected(draft, item) && duplicateOf(row, later, digest);
		if (duplicate) found.push({ item, ...duplicate });
		note(later, row, digest);
	}
}

/** What is said in the place of a result; undefined where nothing later stands for it. */
function duplicateOf(row: Row, later: Later, digest: number): Pick<Duplicate, 'path'> | undefined {
	const touches = showsFileAlone(row) ? (row.shows ?? []) : [];
	if (touches.length > 0 && touches.every((touch) => isSuperseded(touch, later))) {
		return { path: touches.map((touch) => touch.path).join(', ') };
	}
	return digest !== none && later.digests[digest] === 1 ? {} : undefined;
}

/**
 * Replaces duplicates until the target is met; gives how many distinct files they were of. Nothing is read for it:
 * most of what is replaced may go behind a summary later.
 */
export async function replaceDuplicates(
	draft: Draft,
	duplicates: readonly Duplicate[],
	effects: Effects,
): Promise<number> {
	let touched = 0;
	let left = 0;
	for (let position = 0; position < duplicates.length; position++) {
		if (position % notes === notes - 1) await effects.pause();
		const duplicate = duplicates[position] as Duplicate;
		touched += tokensOf(draft, duplicate.item);
		left += noteTokens(draft, duplicate, effects);
	}
	if (touched - left < worthwhileShare * touched) return 0;
	const files = new Set<string>();
	for (let position = 0; position < duplicates.length && draft.tokens > draft.target; position++) {
		if (position % notes === notes - 1) await effects.pause();
		const duplicate = duplicates[position] as Duplicate;
		const { item, path } = duplicate;
		if (shorten(draft, item, noteFor(draft, duplicate, effects)))
			files.add(path ?? unitOf(draft, item).row.digest);
	}
	return files.size;
}

/** Reads what notes that are seen in the end keep of their originals. */
export async function readNoted(draft: Draft, effects: Effects): Promise<void> {
	const items = [...draft.shown].flatMap(([item, { isNote }]) =>
		isNote && !isHidden(draft, item) ? [item] : [],
	);
	for (let position = 0; position < items.length; position += slice) {
		const part = items.slice(position, position + slice);
		const originals = await effects.read(part.map((item) => originalOf(draft, item)));
		for (const [index, item] of part.entries()) {
			const [original, shown] = [originals[index], draft.shown.get(item)];
			if (original && shown) draft.shown.set(item, { ...shown, message: withNote(original, shown.message) });
		}
		await effects.pause();
	}
}

function withNote(original: IdentifiedMessage, { content }: IdentifiedMessage): IdentifiedMessage {
	return { ...original, content, tokens: undefined, metadata: { ...original.metadata, truncated: true } };
}
