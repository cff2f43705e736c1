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
	isOf,
	isProtected,
	kind,
	originalOf,
	type Shown,
	shorten,
	tokensOf,
	unitOf,
	walk,
	weightAt,
} from '../draft.ts';
import { coveredNote, repeatedNote } from '../placeholders.ts';

/** A saving below this share of what it touches is not worth a change of the history. */
const worthwhileShare = 0.3;

/** Shorter results are not worth the words that would replace them. UTF-16 units. */
const shortestRepeat = 200;

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
	digests: Set<string>;
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

function note(later: Later, row: Row): void {
	for (const touch of row.touches ?? []) {
		if (touch.kind === 'edit' && !later.failed.has(touch.callId)) remember(later, touch);
	}
	if (later.failed.size > 0) for (const call of row.calls ?? []) later.failed.delete(call.id);
	if (row.role !== 'tool') return;
	if (row.isError && row.answers !== undefined) later.failed.add(row.answers);
	if (row.made) return;
	if (showsFileAlone(row)) for (const touch of row.shows ?? []) remember(later, touch);
	if (row.chars >= shortestRepeat) later.digests.add(row.digest);
}

/** The duplicates of a history, oldest first. */
export async function duplicatesOf(draft: Draft, { pause }: Pick<Effects, 'pause'>): Promise<Duplicate[]> {
	const later: Later = { files: new Map(), digests: new Set(), failed: new Set() };
	const found: Duplicate[] = [];
	for (let item = draft.view.length - 1; item >= 0; item--) {
		if (item % walk === 0) await pause();
		// Words alone are no duplicate of anything; calls take failures back that were seen behind them.
		if (isHidden(draft, item)) continue;
		if (later.failed.size === 0 && !isOf(draft, item, kind.result | kind.files)) continue;
		const { row } = unitOf(draft, item);
		const duplicate =
			row.role === 'tool' && !row.made && !isProtected(draft, item) && duplicateOf(row, later);
		if (duplicate) found.push({ item, ...duplicate });
		note(later, row);
	}
	return found.reverse();
}

/** What is said in the place of a result; undefined where nothing later stands for it. */
function duplicateOf(row: Row, later: Later): Pick<Duplicate, 'path'> | undefined {
	const touches = showsFileAlone(row) ? (row.shows ?? []) : [];
	if (touches.length > 0 && touches.every((touch) => isSuperseded(touch, later))) {
		return { path: touches.map((touch) => touch.path).join(', ') };
	}
	return row.chars >= shortestRepeat && later.digests.has(row.digest) ? {} : undefined;
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
	const touched = duplicates.reduce((sum, { item }) => sum + tokensOf(draft, item), 0);
	let left = 0;
	for (const [position, duplicate] of duplicates.entries()) {
		if (position % notes === notes - 1) await effects.pause();
		left += noteTokens(draft, duplicate, effects);
	}
	if (touched - left < worthwhileShare * touched) return 0;
	const files = new Set<string>();
	for (const [position, duplicate] of duplicates.entries()) {
		if (position % notes === notes - 1) await effects.pause();
		if (draft.tokens <= draft.target) break;
		const { item, path } = duplicate;
		if (shorten(draft, item, noteFor(draft, duplicate, effects)))
			files.add(path ?? unitOf(draft, item).row.digest);
	}
	return files.size;
}

/** Tokens that the words in a duplicate's place take, about. */
function noteTokens(draft: Draft, { item, path }: Duplicate, effects: Effects): number {
	const { row, from } = unitOf(draft, item);
	return effects.countText(noteOf(path, row.id)) * weightAt(draft, from);
}

/** What stands in the place of a duplicate. */
function noteFor(draft: Draft, { item, path }: Duplicate, effects: Effects): Shown {
	const { id, counts } = originalOf(draft, item);
	const message: IdentifiedMessage = { id, role: 'tool', content: noteOf(path, id) };
	const { text, images } = effects.countMessage(message);
	return {
		stage: 'deduplicate',
		message,
		counts: { text, calls: counts.calls, images },
		made: 'deduplicated',
		isNote: true,
	};
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

function noteOf(path: string | undefined, messageId: string): string {
	return path === undefined ? repeatedNote(messageId) : coveredNote(path, messageId);
}

function withNote(original: IdentifiedMessage, { content }: IdentifiedMessage): IdentifiedMessage {
	return { ...original, content, tokens: undefined, metadata: { ...original.metadata, truncated: true } };
}
