/**
 * Stage "deduplicate", which loses no information. Replaces an earlier read of a file if a later visible read shows
 * all its lines. Also replaces a result that a later one repeats word for word.
 */

import type { IdentifiedMessage } from '../../../protocol/conversation.ts';
import {
	type Draft,
	type Effects,
	findWeightAt,
	getOriginal,
	getTokens,
	getUnit,
	type Item,
	isHidden,
	itemKind,
	type Replacement,
	shortenItem,
} from '../draft.ts';
import { LaterTouches } from '../laterTouches.ts';
import { createCoveredNote, createRepeatedNote, minReplacedLength } from '../placeholders.ts';
import { disabledReport, reportReached, type Stage } from '../stage.ts';
import { workLimits } from '../tuning.ts';
import { replaceRepeatedAttachments } from './repeatedAttachments.ts';

/** Minimum share of the touched tokens that deduplication must save to be worth changing the history. */
const minSavedShare = 0.3;

export const deduplicateStage: Stage = {
	name: 'deduplicate',
	applies: () => true,
	async run(draft, input) {
		const { policy, effects } = input;
		if (!policy.stages.deduplicate) return disabledReport;
		if (draft.tokens <= draft.target) return { ...reportReached(draft, input), filesDeduped: 0 };
		const duplicates = await findDuplicates(draft, effects);
		const fileCount = await replaceDuplicates(draft, duplicates, effects);
		const attachmentCount = await replaceRepeatedAttachments(draft, input);
		if (fileCount + attachmentCount > 0 || duplicates.length > 0)
			return { filesDeduped: fileCount + attachmentCount };
		return { reason: 'no read is superseded by a later one', filesDeduped: 0 };
	},
};

/** A result to replace. */
interface Duplicate {
	item: Item;
	/** The files that a later read covers; absent if a later result repeats the text. */
	path?: string;
}

/** The results after an item, collected from the end of the history. */
interface LaterResults {
	files: LaterTouches;
	/** The digests of results. */
	digests: Set<string>;
}

/** Returns the duplicates of a history, oldest first. */
async function findDuplicates(draft: Draft, { pause }: Pick<Effects, 'pause'>): Promise<Duplicate[]> {
	const later: LaterResults = { files: new LaterTouches(), digests: new Set() };
	const duplicates: Duplicate[] = [];
	for (let item = draft.view.length - 1; item >= 0; item--) {
		if (item % workLimits.unitsPerSlice === 0) await pause();
		const duplicate = findDuplicate(draft, item, later);
		if (duplicate) duplicates.push(duplicate);
	}
	return duplicates.reverse();
}

/** Returns a duplicate if a later result makes the item redundant, and adds the item to `later`. */
function findDuplicate(draft: Draft, item: Item, later: LaterResults): Duplicate | undefined {
	const kinds = draft.kinds[item] ?? 0;
	const isResult = (kinds & (itemKind.result | itemKind.fromDaemon)) === itemKind.result;
	if (!isResult || isHidden(draft, item)) return undefined;
	const { row } = getUnit(draft, item);
	const isShownLater = later.files.isShownLater(row);
	const { size } = later.digests;
	// Each lookup of a digest compares strings, so that one both searches and adds.
	const isRepeated = row.chars >= minReplacedLength && later.digests.add(row.digest).size === size;
	later.files.addShown(row);
	if (kinds & itemKind.protected || !(isShownLater || isRepeated)) return undefined;
	return { item, path: isShownLater ? row.shows?.map(({ path }) => path).join(', ') : undefined };
}

/** Returns the placeholder of a duplicate. Does not read the original, because a summary may still replace it. */
function createDuplicateNote(
	draft: Draft,
	{ item, path }: Duplicate,
	{ countMessage }: Effects,
): Replacement {
	const { id, counts } = getOriginal(draft, item);
	const content = path === undefined ? createRepeatedNote(id) : createCoveredNote(path, id);
	const message: IdentifiedMessage = { id, role: 'tool', content };
	return {
		stage: 'deduplicate',
		message,
		counts: { ...countMessage(message), calls: counts.calls },
		made: 'deduplicated',
		isPlaceholder: true,
	};
}

/** Replaces duplicates until the target is reached; returns the number of distinct files. */
async function replaceDuplicates(
	draft: Draft,
	duplicates: readonly Duplicate[],
	effects: Effects,
): Promise<number> {
	const notes: Replacement[] = [];
	let [tokensBefore, tokensAfter] = [0, 0];
	for (const [index, duplicate] of duplicates.entries()) {
		if (index % workLimits.candidatesPerSlice === 0) await effects.pause();
		const note = createDuplicateNote(draft, duplicate, effects);
		notes.push(note);
		tokensBefore += getTokens(draft, duplicate.item);
		tokensAfter += note.counts.text * findWeightAt(draft, draft.firstSeqs[duplicate.item] ?? 0);
	}
	if (tokensBefore - tokensAfter < minSavedShare * tokensBefore) return 0;
	const files = new Set<string>();
	for (const [index, { item, path }] of duplicates.entries()) {
		if (draft.tokens <= draft.target) break;
		if (index % workLimits.candidatesPerSlice === 0) await effects.pause();
		const note = notes[index];
		if (note && shortenItem(draft, item, note)) files.add(path ?? getUnit(draft, item).row.digest);
	}
	return files.size;
}
