/**
 * Stage "deduplicate", which loses no information. Replaces an earlier read of a file if a later visible read shows
 * all its lines, or if its lines were edited and the file was read again. Also replaces a result that a later one
 * repeats word for word.
 */

import type { IdentifiedMessage } from '../../../protocol/conversation.ts';
import type { Row } from '../../history/row.ts';
import {
	type Draft,
	type Effects,
	type Item,
	isHidden,
	notHidden,
	originalOf,
	shorten,
	tokensOf,
	unitOf,
} from '../draft.ts';
import { LaterTouches } from '../laterTouches.ts';
import { noNumber, rowKind } from '../rowColumns.ts';
import { disabledReport, reportReached, type Stage } from '../stage.ts';
import { workLimits } from '../tuning.ts';
import { replaceAttachedAgain } from './attachedAgain.ts';
import { type Duplicate, noteFor, noteTokens } from './notes.ts';

/** Minimum share of the touched tokens that deduplication must save to be worth changing the history. */
const minSavedShare = 0.3;

export const deduplicate: Stage = {
	name: 'deduplicate',
	applies: () => true,
	async run(draft, input) {
		const { policy, effects } = input;
		if (!policy.stages.deduplicate) return disabledReport;
		if (draft.tokens <= draft.target) return { ...reportReached(draft, input), filesDeduped: 0 };
		const duplicates = await duplicatesOf(draft, effects);
		const read = duplicates.length > 0 ? await replaceDuplicates(draft, duplicates, effects) : 0;
		const attached = await replaceAttachedAgain(draft, effects);
		if (read + attached > 0 || duplicates.length > 0) return { filesDeduped: read + attached };
		return { reason: 'no read is superseded by a later one', filesDeduped: 0 };
	},
};

/** What follows an item, collected from the end of the history. */
interface Later {
	files: LaterTouches;
	/** By digest number: 1 if a later result has it. */
	digests: Uint8Array;
	/** Calls whose results report a failure: they changed nothing. */
	failed: Set<string>;
}

/** Kinds of items whose calls matter: they touched files or failed. */
const relevantKinds = rowKind.files | rowKind.failed | rowKind.made;

/** Returns the duplicates of a history, oldest first. */
async function duplicatesOf(draft: Draft, { pause }: Pick<Effects, 'pause'>): Promise<Duplicate[]> {
	const { numbers } = draft.columns;
	const digests = new Uint8Array(numbers.digests.size);
	const later: Later = { files: new LaterTouches(), digests, failed: new Set() };
	const found: Duplicate[] = [];
	for (let to = draft.view.length; to > 0; to -= workLimits.unitsPerSlice) {
		findDuplicates(draft, [Math.max(0, to - workLimits.unitsPerSlice), to], later, found);
		await pause();
	}
	return found.reverse();
}

/** Adds the duplicates among the items [from, to), newest first. */
function findDuplicates(draft: Draft, [from, to]: [Item, Item], later: Later, found: Duplicate[]): void {
	const { kinds, digests, froms, hidden, rows } = draft;
	for (let item = to - 1; item >= from; item--) {
		const own = kinds[item] ?? 0;
		// Text alone is never a duplicate; but a call removes a failure that its result added to `later`.
		if (later.failed.size === 0 && !(own & (rowKind.result | rowKind.files))) continue;
		if (hidden[item] !== notHidden) continue;
		const digest = digests[item] ?? noNumber;
		const isRepeated = digest !== noNumber && later.digests[digest] === 1;
		const isResult = (own & rowKind.result) !== 0 && !(own & rowKind.made);
		if (isResult && !(own & rowKind.protected)) {
			const row = own & rowKind.files ? rows[froms[item] ?? 0] : undefined;
			if (row && later.files.isShownLater(row)) {
				found.push({ item, path: pathsOf(unitOf(draft, item).row) });
			} else if (isRepeated) found.push({ item });
		}
		if (!(own & rowKind.result) || own & relevantKinds) recordCalls(draft, item, own, later);
		if (!isResult) continue;
		const row = own & rowKind.files ? rows[froms[item] ?? 0] : undefined;
		if (row) later.files.addShown(row);
		if (digest !== noNumber) later.digests[digest] = 1;
	}
}

/** Records which files an item's calls edited, and which calls failed. */
function recordCalls(draft: Draft, item: Item, own: number, later: Later): void {
	const { files, failed } = later;
	if (failed.size === 0 && !(own & rowKind.failed)) {
		const row = own & rowKind.files ? draft.rows[draft.froms[item] ?? 0] : undefined;
		if (row) files.addEdits(row, () => true);
		return;
	}
	const { row } = unitOf(draft, item);
	if (own & rowKind.files) files.addEdits(row, ({ callId = '' }) => !failed.has(callId));
	for (const call of row.calls ?? []) failed.delete(call.id);
	if (own & rowKind.failed && row.answers !== undefined) failed.add(row.answers);
}

function pathsOf({ shows = [] }: Row): string {
	return shows.map((touch) => touch.path).join(', ');
}

/**
 * Replaces duplicates until the target is met; returns the number of distinct files. Reads no originals, since a
 * summary may replace most of the items later.
 */
async function replaceDuplicates(
	draft: Draft,
	duplicates: readonly Duplicate[],
	effects: Effects,
): Promise<number> {
	let touched = 0;
	let left = 0;
	for (let position = 0; position < duplicates.length; position++) {
		if (position % workLimits.perSlice.placeholders === workLimits.perSlice.placeholders - 1)
			await effects.pause();
		const duplicate = duplicates[position] as Duplicate;
		touched += tokensOf(draft, duplicate.item);
		left += noteTokens(draft, duplicate, effects);
	}
	if (touched - left < minSavedShare * touched) return 0;
	const files = new Set<string>();
	for (let position = 0; position < duplicates.length && draft.tokens > draft.target; position++) {
		if (position % workLimits.perSlice.placeholders === workLimits.perSlice.placeholders - 1)
			await effects.pause();
		const duplicate = duplicates[position] as Duplicate;
		const { item, path } = duplicate;
		if (shorten(draft, item, noteFor(draft, duplicate, effects)))
			files.add(path ?? unitOf(draft, item).row.digest);
	}
	return files.size;
}

/** Loads the rest of the originals of placeholders that are still visible at the end. */
export async function loadPlaceholderOriginals(draft: Draft, effects: Effects): Promise<void> {
	const items = [...draft.replacements].flatMap(([item, { isPlaceholder }]) =>
		isPlaceholder && !isHidden(draft, item) ? [item] : [],
	);
	for (let position = 0; position < items.length; position += workLimits.perSlice.originals) {
		const part = items.slice(position, position + workLimits.perSlice.originals);
		const originals = await effects.read(part.map((item) => originalOf(draft, item)));
		for (const [index, item] of part.entries()) {
			const [original, shown] = [originals[index], draft.replacements.get(item)];
			if (original && shown)
				draft.replacements.set(item, { ...shown, message: withNote(original, shown.message) });
		}
		await effects.pause();
	}
}

function withNote(original: IdentifiedMessage, { content }: IdentifiedMessage): IdentifiedMessage {
	return { ...original, content, tokens: undefined, metadata: { ...original.metadata, truncated: true } };
}
