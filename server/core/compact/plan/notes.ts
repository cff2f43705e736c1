/** What stands in the place of a duplicate. */

import type { IdentifiedMessage } from '../../../protocol/conversation.ts';
import type { Counts } from '../../measure/measure.ts';
import {
	type Draft,
	type Effects,
	type Item,
	isOf,
	originalOf,
	type Shown,
	unitOf,
	weightAt,
} from '../draft.ts';
import { coveredNote, repeatedNote } from '../placeholders.ts';
import { kind, type NoteCounts } from '../rowColumns.ts';

/** Which item goes, and what is said in its place. */
export interface Duplicate {
	item: Item;
	/** Absent: repeated word for word. */
	path?: string;
}

function textOf({ path }: Duplicate, messageId: string): string {
	return path === undefined ? repeatedNote(messageId) : coveredNote(path, messageId);
}

/** The counts of notes that were taken with a measure: a row's note is always the same. */
function countsBy({ columns: { notes, kinds } }: Draft, { countText }: Effects): NoteCounts {
	if (notes.by !== countText || notes.texts.length < 2 * kinds.length) {
		notes.by = countText;
		notes.texts = new Int32Array(2 * kinds.length);
		notes.messages = new Int32Array(2 * kinds.length);
	}
	return notes;
}

/** Where the counts of a duplicate's note are kept; undefined where they are not. */
function placeOf(draft: Draft, { item, path }: Duplicate): number | undefined {
	if (!isOf(draft, item, kind.inPlace)) return undefined;
	return 2 * (draft.froms[item] ?? 0) + (path === undefined ? 1 : 0);
}

/** Tokens that the words in a duplicate's place take, about. */
export function noteTokens(draft: Draft, duplicate: Duplicate, effects: Effects): number {
	const { texts } = countsBy(draft, effects);
	const place = placeOf(draft, duplicate);
	const { item } = duplicate;
	let count = (place === undefined ? 0 : (texts[place] ?? 0)) - 1;
	if (count < 0) {
		count = effects.countText(textOf(duplicate, unitOf(draft, item).row.id));
		if (place !== undefined) texts[place] = count + 1;
	}
	return count * weightAt(draft, draft.froms[item] ?? 0);
}

/** What stands in the place of a duplicate. */
export function noteFor(draft: Draft, duplicate: Duplicate, effects: Effects): Shown {
	const { id, counts } = originalOf(draft, duplicate.item);
	const message: IdentifiedMessage = { id, role: 'tool', content: textOf(duplicate, id) };
	const { text, images } = countsOf(draft, duplicate, message, effects);
	return {
		stage: 'deduplicate',
		message,
		counts: { text, calls: counts.calls, images },
		made: 'deduplicated',
		isNote: true,
	};
}

function countsOf(
	draft: Draft,
	duplicate: Duplicate,
	message: IdentifiedMessage,
	effects: Effects,
): Pick<Counts, 'text' | 'images'> {
	const { messages } = countsBy(draft, effects);
	const place = placeOf(draft, duplicate);
	const known = (place === undefined ? 0 : (messages[place] ?? 0)) - 1;
	if (known >= 0) return { text: known, images: 0 };
	const counts = effects.countMessage(message);
	if (place !== undefined && counts.images === 0) messages[place] = counts.text + 1;
	return counts;
}
