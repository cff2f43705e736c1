/**
 * Removes outline entries that no request contains any longer: entries hidden by the agent's last compaction, and
 * entries older than any window. In sessions of days, that is almost everything. Keeps the usage figures of removed
 * entries. Removes nothing if too few figures would remain for the meter to learn from.
 */

import type { ChatMessage } from '../../protocol/conversation.ts';
import { countEntriesUpTo, type Outline, type OutlineEntry, type SkippedFigures } from './outline.ts';
import type { TranscriptEvent } from './reading/events.ts';
import { computeOverhead, countPromptTokens, findUsableUsage, isSingleCallUsage } from './transcriptEnd.ts';

/** Minimum number of usage figures that remain, from which the meter can learn. */
const minRemainingFigures = 4;

/** Maximum characters per token, for text that is not mainly white space. */
const maxUnitsPerToken = 8;

/** Characters at the end of a transcript that are never removed: the maximum of a million-token window. */
export const minTailUnits = maxUnitsPerToken << 20;

/**
 * Reduces the outline, in place, to the newest compaction, everything after it, the messages that it kept,
 * and one message that it hid. O(entries). Returns false and changes nothing if no entry would be removed, if
 * too few figures would remain, or if a remaining text was already stored and is no longer loaded.
 *
 * @param storedFigures figures of entries that the stored session no longer contains
 */
export function skipCompactedEntries(outline: Outline, storedFigures?: SkippedFigures): boolean {
	const { entries } = outline;
	const index = entries.findLastIndex(({ t }) => t === 'compaction');
	const compaction = entries[index];
	if (compaction?.t !== 'compaction') return false;
	const visibleIds = new Set(compaction.visibleIds);
	const skippedEntries = entries.slice(0, index);
	const isShown = (entry: OutlineEntry): boolean => listEntryIds(entry).some((id) => visibleIds.has(id));
	const shownEntries = skippedEntries.filter(isShown);
	const hiddenEntry = skippedEntries.findLast(
		(entry) => entry.t === 'message' && isLoaded(entry) && !isShown(entry),
	);
	if (hiddenEntry === undefined || skippedEntries.length === shownEntries.length + 1) return false;
	return replacePrefix([hiddenEntry, ...shownEntries].map(removeUsage), outline, index, storedFigures);
}

/**
 * Shortens the outline of an agent that never compacted, in place. The leading system messages remain, and as many of the
 * newest entries as a prompt can have contained: eight characters for each token of the largest answered prompt. Returns
 * false and changes nothing in the same cases as `skipCompactedEntries`.
 */
export function skipOldEntries(outline: Outline, storedFigures?: SkippedFigures): boolean {
	const { entries } = outline;
	if (entries.some(({ t }) => t === 'compaction')) return false;
	const maxPromptTokens = findLargestPrompt(outline, 0, entries.length, storedFigures?.answered);
	const index = findSplitPoint(
		entries,
		findTailStart(entries, Math.max(minTailUnits, maxUnitsPerToken * maxPromptTokens)),
	);
	const head = entries.slice(
		0,
		entries.findIndex((entry) => entry.t !== 'message' || entry.message?.role !== 'system'),
	);
	return index > head.length && replacePrefix(head, outline, index, storedFigures);
}

/** Returns the last index from which all entries together exceed `maxUnits` characters; 0 if there is none. */
function findTailStart(entries: readonly OutlineEntry[], maxUnits: number): number {
	let units = 0;
	let index = entries.length;
	for (; index > 0 && units <= maxUnits; index--) {
		for (const message of listLoadedMessages(entries[index - 1])) units += countMessageUnits(message);
	}
	return units <= maxUnits ? 0 : index;
}

/** Returns the first index at or after `from` at which a split separates no call from its results. */
function findSplitPoint(entries: readonly OutlineEntry[], from: number): number {
	const resultAt = new Map<string, number>();
	for (const [index, entry] of entries.entries()) {
		for (const { toolCallId } of listLoadedMessages(entry))
			if (toolCallId !== undefined) resultAt.set(toolCallId, index);
	}
	let lastResult = -1;
	for (const [index, entry] of entries.entries()) {
		if (index >= from && lastResult < index) return index;
		for (const { toolCalls = [] } of listLoadedMessages(entry)) {
			for (const { id } of toolCalls) lastResult = Math.max(lastResult, resultAt.get(id) ?? -1);
		}
	}
	return 0;
}

/** Replaces all entries before an index by `firstEntries`. Returns false if too few usage figures or texts would remain. */
function replacePrefix(
	firstEntries: readonly OutlineEntry[],
	outline: Outline,
	index: number,
	storedFigures: SkippedFigures | undefined,
): boolean {
	const { entries, skippedPrefix } = outline;
	const remainingEntries = entries.slice(index);
	const remaining = [...firstEntries, ...remainingEntries];
	if (!hasEnoughUsage(remainingEntries) || !remaining.every(isLoaded)) return false;
	const standingCounts = entries
		.slice(0, index)
		.flatMap((entry) => (entry.t === 'compaction' ? (entry.standing ?? []) : []));
	const standing = skippedPrefix?.standing ?? storedFigures?.standing ?? computeOverhead(outline);
	outline.skippedPrefix = {
		answered: findLargestPrompt(outline, 0, index, storedFigures?.answered),
		standing: Math.min(standing, ...standingCounts),
		keptCount: firstEntries.length,
	};
	outline.entries = remaining;
	outline.positions = new Map(
		remaining.flatMap((entry, position) => listEntryIds(entry).map((id) => [id, position])),
	);
	outline.unchangedCount = 0;
	return true;
}

function hasEnoughUsage(entries: readonly OutlineEntry[]): boolean {
	return entries.filter((entry) => findUsableUsage(entry) !== undefined).length >= minRemainingFigures;
}

/**
 * Returns the tokens of the largest answered prompt in a range of the outline or in entries that were removed earlier.
 *
 * @param storedTokens the largest prompt in entries that the stored session no longer contains
 */
function findLargestPrompt(outline: Outline, from: number, to: number, storedTokens = 0): number {
	const knownTokens = Math.max(collectSkippedFigures(outline)?.answered ?? 0, storedTokens);
	const prompts = outline.entries
		.slice(from, to)
		.map((entry, index) => ({ index: from + index, tokens: countPromptTokens(entry) }))
		.filter(({ tokens }) => tokens > knownTokens)
		.sort((a, b) => b.tokens - a.tokens);
	return prompts.find(({ index }) => isSingleCallUsage(outline, index))?.tokens ?? knownTokens;
}

/**
 * Prepares to drop the entries after the first `count`, which a rewind removes: records their largest prompt. Returns false
 * and records nothing if one of them is a compaction, or if the remaining entries report too little usage.
 */
export function skipRewoundEntries(outline: Outline, count: number): boolean {
	const { entries } = outline;
	const lastCompaction = entries.findLastIndex(({ t }, index) => t === 'compaction' && index < count);
	if (entries.slice(count).some(({ t }) => t === 'compaction')) return false;
	if (!hasEnoughUsage(entries.slice(lastCompaction + 1, count))) return false;
	outline.rewoundTokens = findLargestPrompt(outline, count, entries.length);
	return true;
}

/** Returns the figures of all removed entries, and of a copy's original; undefined if there are none. */
export function collectSkippedFigures({
	skippedPrefix,
	rewoundTokens = 0,
	info,
}: Outline): SkippedFigures | undefined {
	const standing = skippedPrefix?.standing ?? info.overheadTokens;
	if (standing === undefined && rewoundTokens === 0) return undefined;
	return { answered: Math.max(skippedPrefix?.answered ?? 0, rewoundTokens), standing };
}

/** Whether an event restores entries that were removed. */
export function needsSkippedPrefix(outline: Outline, event: TranscriptEvent): boolean {
	const { skippedPrefix } = outline;
	if (skippedPrefix === undefined) return false;
	if (event.t === 'compaction') {
		const replacementIds = new Set(event.replacement.map(({ id }) => id));
		return event.visibleIds.some((id) => !replacementIds.has(id) && !outline.positions.has(id));
	}
	if (event.t !== 'rewind' || event.toMessageId === null) return false;
	return (countEntriesUpTo(outline, event.toMessageId) ?? 0) <= skippedPrefix.keptCount;
}

/** Estimates the memory of messages that are not stored yet, in characters. O(entries). */
export function estimateUnstoredUnits({ entries }: Outline): number {
	return entries.reduce(
		(sum, entry) =>
			listLoadedMessages(entry).reduce(
				(units, message) => units + countMessageUnits(message) + messageOverheadUnits,
				sum,
			),
		0,
	);
}

/** Memory that a message takes in addition to its texts, in characters. */
const messageOverheadUnits = 512;

/** Returns the number of UTF-16 units in all strings of a message: texts, encoded images and calls. */
function countMessageUnits({ content, toolCalls }: ChatMessage): number {
	return countStringUnits(content) + countStringUnits(toolCalls);
}

function countStringUnits(value: unknown): number {
	if (typeof value === 'string') return value.length;
	if (typeof value !== 'object' || value === null) return 0;
	return Object.values(value).reduce((sum: number, one) => sum + countStringUnits(one), 0);
}

function listEntryIds(entry: OutlineEntry): string[] {
	return entry.t === 'message' ? [entry.id] : entry.replacement.map(({ id }) => id);
}

/** Returns the messages of an entry, unless their texts are no longer loaded. */
function listLoadedMessages(entry: OutlineEntry | undefined): readonly ChatMessage[] {
	if (entry?.t === 'compaction') return entry.replacement;
	return entry?.message ? [entry.message] : [];
}

function isLoaded(entry: OutlineEntry): boolean {
	return entry.t === 'compaction' || entry.message !== undefined;
}

/** Removes the usage figures of an entry, because they belong to another history. */
function removeUsage(entry: OutlineEntry): OutlineEntry {
	if (entry.t === 'compaction') return entry;
	const message = entry.message && { ...entry.message, usage: undefined, stopReason: undefined };
	return { ...entry, message, usage: undefined, stopReason: undefined };
}
