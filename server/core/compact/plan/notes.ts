/** The placeholders of duplicates. */

import type { IdentifiedMessage } from '../../../protocol/conversation.ts';
import type { Counts } from '../../measure/measure.ts';
import {
	type Draft,
	type Effects,
	hasKind,
	type Item,
	originalOf,
	type Replacement,
	unitOf,
	weightAt,
} from '../draft.ts';
import { coveredNote, repeatedNote } from '../placeholders.ts';
import { type NoteCounts, rowKind } from '../rowColumns.ts';

/** A duplicate to replace. */
export interface Duplicate {
	item: Item;
	/** The file that a later read covers; absent if a later result repeats the text. */
	path?: string;
}

function textOf({ path }: Duplicate, messageId: string): string {
	return path === undefined ? repeatedNote(messageId) : coveredNote(path, messageId);
}

/** Returns the counts of placeholders, which never change; emptied if another function counted them. */
function countsBy({ columns: { notes, kinds } }: Draft, { countText }: Effects): NoteCounts {
	if (notes.by !== countText || notes.texts.length < 2 * kinds.length) {
		notes.by = countText;
		notes.texts = new Int32Array(2 * kinds.length);
		notes.messages = new Int32Array(2 * kinds.length);
	}
	return notes;
}

/** Returns the index of a duplicate's counts; undefined if they are not cached. */
function placeOf(draft: Draft, { item, path }: Duplicate): number | undefined {
	if (!hasKind(draft, item, rowKind.inPlace)) return undefined;
	return 2 * (draft.froms[item] ?? 0) + (path === undefined ? 1 : 0);
}

/** Returns the approximate tokens of a duplicate's placeholder. */
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

/** Returns the replacement of a duplicate. */
export function noteFor(draft: Draft, duplicate: Duplicate, effects: Effects): Replacement {
	const { id, counts } = originalOf(draft, duplicate.item);
	const message: IdentifiedMessage = { id, role: 'tool', content: textOf(duplicate, id) };
	const { text, images } = countsOf(draft, duplicate, message, effects);
	return {
		stage: 'deduplicate',
		message,
		counts: { text, calls: counts.calls, images },
		made: 'deduplicated',
		isPlaceholder: true,
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
