/**
 * Stage "deduplicate": an earlier read of a file goes where a later visible read shows all its lines, or where
 * its lines were edited since and a later read exists; so does a result that a later one repeats word for word.
 */

import type { IdentifiedMessage } from '../../../protocol/conversation.ts';
import { covers, overlaps } from '../../files/touches/lineRange.ts';
import type { RowTouch } from '../../history/record.ts';
import {
	type Draft,
	type Effects,
	type Item,
	originalOf,
	type Shown,
	shorten,
	walk,
	weightAt,
} from '../draft.ts';
import { coveredNote, repeatedNote } from '../placeholders.ts';

/** A saving below this share of what it touches is not worth a change of the history. */
const worthwhileShare = 0.3;

/** Shorter results are not worth the words that would replace them. UTF-16 units. */
const shortestRepeat = 200;

/** How many notes are counted before others may work. */
const notes = 10_000;

/** How many results are replaced before others may work. */
const slice = 64;

/** Which item goes, and what is said in its place. */
export interface Duplicate {
	item: Item;
	/** Absent: repeated word for word. */
	path?: string;
}

function showsFileAlone(item: Item): boolean {
	const { row } = item.unit;
	const shows = row.shows ?? [];
	return shows.length > 0 && shows.every((touch) => !touch.mixed) && !row.isError && !row.made;
}

/** What lies behind an item, gathered from the end of the history. */
interface Later {
	reads: Map<string, RowTouch[]>;
	edits: Map<string, RowTouch[]>;
	digests: Set<string>;
	/** Calls whose results say that they failed: they changed nothing. */
	failed: Set<string>;
}

/** So many reads and edits of one file are compared with an earlier one: the newest. */
const mostPlaces = 256;

function isSuperseded(touch: RowTouch, later: Later): boolean {
	const reads = later.reads.get(touch.path) ?? [];
	if (reads.length === 0) return false;
	if (reads.some((read) => covers(read, touch))) return true;
	return (later.edits.get(touch.path) ?? []).some((edit) => overlaps(edit, touch));
}

function remember(map: Map<string, RowTouch[]>, touch: RowTouch): void {
	const known = map.get(touch.path);
	if (!known) map.set(touch.path, [touch]);
	else if (known.length < mostPlaces && !known.some((one) => isWithin(touch, one))) known.push(touch);
}

function isWithin(inner: RowTouch, outer: RowTouch): boolean {
	if (outer.from === undefined && outer.to === undefined && outer.lastLines === undefined) return true;
	return inner.kind === 'read' && outer.kind === 'read' && covers(outer, inner);
}

function note(later: Later, item: Item): void {
	const { row } = item.unit;
	for (const touch of row.touches ?? []) {
		if (touch.kind === 'edit' && !later.failed.has(touch.callId)) remember(later.edits, touch);
	}
	if (later.failed.size > 0) for (const call of row.calls ?? []) later.failed.delete(call.id);
	if (row.role !== 'tool') return;
	if (row.isError && row.answers !== undefined) later.failed.add(row.answers);
	if (row.made) return;
	if (showsFileAlone(item)) for (const touch of row.shows ?? []) remember(later.reads, touch);
	if (row.chars >= shortestRepeat) later.digests.add(row.digest);
}

/** The duplicates of a history, oldest first. */
export async function duplicatesOf(
	items: readonly Item[],
	{ pause }: Pick<Effects, 'pause'>,
): Promise<Duplicate[]> {
	const later: Later = { reads: new Map(), edits: new Map(), digests: new Set(), failed: new Set() };
	const found: Duplicate[] = [];
	for (let index = items.length - 1; index >= 0; index--) {
		if (index % walk === 0) await pause();
		const item = items[index];
		if (!item || item.hidden) continue;
		const { row } = item.unit;
		if (row.role === 'tool' && !row.made && !item.protected) {
			const touches = showsFileAlone(item) ? (row.shows ?? []) : [];
			if (touches.length > 0 && touches.every((touch) => isSuperseded(touch, later))) {
				found.push({ item, path: touches.map((touch) => touch.path).join(', ') });
			} else if (row.chars >= shortestRepeat && later.digests.has(row.digest)) found.push({ item });
		}
		note(later, item);
	}
	return found.reverse();
}

/** Replaces duplicates until the target is met; gives how many distinct files they were of. */
export async function replaceDuplicates(
	draft: Draft,
	duplicates: readonly Duplicate[],
	effects: Effects,
): Promise<number> {
	const touched = duplicates.reduce((sum, { item }) => sum + item.tokens, 0);
	let left = 0;
	for (const [position, duplicate] of duplicates.entries()) {
		if (position % notes === notes - 1) await effects.pause();
		left += noteTokens(draft, duplicate, effects);
	}
	if (touched - left < worthwhileShare * touched) return 0;
	const files = new Set<string>();
	for (let position = 0; position < duplicates.length && draft.tokens > draft.target; position += slice) {
		const part = duplicates.slice(position, position + slice);
		const messages = await effects.read(part.map(({ item }) => originalOf(draft, item)));
		for (const [index, { item, path }] of part.entries()) {
			const original = messages[index];
			if (!original || draft.tokens <= draft.target) break;
			if (shorten(draft, item, standIn(original, path, effects))) files.add(path ?? item.unit.row.digest);
		}
		await effects.pause();
	}
	return files.size;
}

/** Tokens that the words in a duplicate's place take, about. */
function noteTokens(draft: Draft, { item, path }: Duplicate, effects: Effects): number {
	const note = noteOf(path, item.unit.row.id);
	return effects.countText(note) * weightAt(draft, item.unit.from);
}

function noteOf(path: string | undefined, messageId: string): string {
	return path === undefined ? repeatedNote(messageId) : coveredNote(path, messageId);
}

function standIn(original: IdentifiedMessage, path: string | undefined, effects: Effects): Shown {
	const message: IdentifiedMessage = {
		...original,
		content: noteOf(path, original.id),
		tokens: undefined,
		metadata: { ...original.metadata, truncated: true },
	};
	return { stage: 'deduplicate', message, counts: effects.countMessage(message), made: 'deduplicated' };
}
