/**
 * Removes outline entries that no request contains any longer: those hidden by the agent's last compaction, and
 * those older than any window. For sessions of days, that is almost everything. Figures of
 * removed entries are kept. If the remaining ones do not suffice for the meter to learn from, nothing is removed.
 */

import type { ChatMessage } from '../../protocol/conversation.ts';
import { promptTokens } from '../meter/meter.ts';
import { hiddenTokens, isSingleCallUsage, usageOf } from './end.ts';
import { entriesUpTo, type Outline, type OutlineEntry, type SkippedFigures } from './outline.ts';
import type { TranscriptEvent } from './reading/events.ts';

/** Minimum number of usage figures that remain, from which the meter can learn. */
const minFigures = 4;

/** Maximum characters per token, for text that is not mainly white space. */
const maxUnitsPerToken = 8;

/** Characters at the end of a transcript that are never removed: the maximum of a million-token window. */
export const minTailUnits = maxUnitsPerToken << 20;

/**
 * Reduces the outline, in place, to what the newest compaction kept, one message that it hid, the
 * compaction and everything after it. O(entries). Returns false and changes nothing if that would remove nothing, if
 * too few figures would remain, or if a remaining text was already stored and is no longer loaded.
 *
 * @param stored figures of entries that the stored session no longer contains
 */
export function skipCompacted(outline: Outline, stored?: SkippedFigures): boolean {
	const { entries } = outline;
	const index = entries.findLastIndex(({ t }) => t === 'compaction');
	const compaction = entries[index];
	if (compaction?.t !== 'compaction') return false;
	const shown = new Set(compaction.visibleIds);
	const before = entries.slice(0, index);
	const isShown = (entry: OutlineEntry): boolean => idsOf(entry).some((id) => shown.has(id));
	const kept = before.filter(isShown);
	const hidden = before.findLast((entry) => entry.t === 'message' && isLoaded(entry) && !isShown(entry));
	if (hidden === undefined || before.length === kept.length + 1) return false;
	return replacePrefix([hidden, ...kept].map(withoutFigures), outline, index, stored);
}

/**
 * Shortens the outline of an agent that never compacted, in place. The leading system messages remain, and as many of the
 * newest entries as a prompt can have contained: eight characters for each token of the largest answered prompt. Returns
 * false and changes nothing in the same cases as `skipCompacted`.
 */
export function skipOld(outline: Outline, stored?: SkippedFigures): boolean {
	const { entries } = outline;
	if (entries.some(({ t }) => t === 'compaction')) return false;
	const largest = largestPrompt(outline, 0, entries.length, stored);
	const index = firstSplitPoint(
		entries,
		indexHolding(entries, Math.max(minTailUnits, maxUnitsPerToken * largest)),
	);
	const head = entries.slice(
		0,
		entries.findIndex((entry) => entry.t !== 'message' || entry.message?.role !== 'system'),
	);
	return index > head.length && replacePrefix(head, outline, index, stored);
}

/** Index of the oldest of the newest entries that have this many characters in total. */
function indexHolding(entries: readonly OutlineEntry[], maxUnits: number): number {
	let units = 0;
	let index = entries.length;
	for (; index > 0 && units <= maxUnits; index--) {
		for (const message of messagesIn(entries[index - 1])) units += messageUnits(message);
	}
	return units <= maxUnits ? 0 : index;
}

/** The first index from there on that separates no call from its results. */
function firstSplitPoint(entries: readonly OutlineEntry[], from: number): number {
	const resultAt = new Map<string, number>();
	for (const [index, entry] of entries.entries()) {
		for (const { toolCallId } of messagesIn(entry))
			if (toolCallId !== undefined) resultAt.set(toolCallId, index);
	}
	let lastResult = -1;
	for (const [index, entry] of entries.entries()) {
		if (index >= from && lastResult < index) return index;
		for (const { toolCalls = [] } of messagesIn(entry)) {
			for (const { id } of toolCalls) lastResult = Math.max(lastResult, resultAt.get(id) ?? -1);
		}
	}
	return 0;
}

/** Replaces all entries before an index by `first`. Returns false if too few figures or texts remain. */
function replacePrefix(
	first: readonly OutlineEntry[],
	outline: Outline,
	index: number,
	stored: SkippedFigures | undefined,
): boolean {
	const { entries, skippedPrefix } = outline;
	const rest = entries.slice(index);
	const remaining = [...first, ...rest];
	if (!hasEnoughFigures(rest) || !remaining.every(isLoaded)) return false;
	const left = entries
		.slice(0, index)
		.flatMap((entry) => (entry.t === 'compaction' ? (entry.standing ?? []) : []));
	const standing = skippedPrefix?.standing ?? stored?.standing ?? hiddenTokens(outline);
	outline.skippedPrefix = {
		answered: largestPrompt(outline, 0, index, stored),
		standing: Math.min(standing, ...left),
		until: first.length,
	};
	outline.entries = remaining;
	outline.positions = new Map(remaining.flatMap((entry, index) => idsOf(entry).map((id) => [id, index])));
	outline.unchanged = 0;
	return true;
}

function hasEnoughFigures(entries: readonly OutlineEntry[]): boolean {
	return entries.filter((entry) => usageOf(entry) !== undefined).length >= minFigures;
}

/** The largest prompt that was answered in a range of the outline or among removed entries. Tokens. */
function largestPrompt(outline: Outline, from: number, to: number, stored?: SkippedFigures): number {
	const known = Math.max(skippedFigures(outline)?.answered ?? 0, stored?.answered ?? 0);
	const prompts = outline.entries
		.slice(from, to)
		.map((entry, index) => ({ index: from + index, tokens: promptOf(entry) }))
		.filter(({ tokens }) => tokens > known)
		.sort((a, b) => b.tokens - a.tokens);
	return prompts.find(({ index }) => isSingleCallUsage(outline, index))?.tokens ?? known;
}

function promptOf(entry: OutlineEntry): number {
	const usage = usageOf(entry);
	return usage === undefined ? 0 : promptTokens(usage);
}

/**
 * Records the figures of entries that a rewind removes, so that they need not be stored. Returns false
 * if too few figures remain for that.
 */
export function skipRewound(outline: Outline, count: number): boolean {
	const { entries } = outline;
	const last = entries.findLastIndex(({ t }, index) => t === 'compaction' && index < count);
	if (entries.slice(count).some(({ t }) => t === 'compaction')) return false;
	if (!hasEnoughFigures(entries.slice(last + 1, count))) return false;
	outline.rewound = largestPrompt(outline, count, entries.length);
	return true;
}

/** Figures of all removed entries, and of a copy's original; undefined if there are none. */
export function skippedFigures({ skippedPrefix, rewound = 0, info }: Outline): SkippedFigures | undefined {
	const standing = skippedPrefix?.standing ?? info.overheadTokens;
	if (standing === undefined && rewound === 0) return undefined;
	return { answered: Math.max(skippedPrefix?.answered ?? 0, rewound), standing };
}

/** Whether an event restores entries that were removed. */
export function needsSkippedPrefix(outline: Outline, event: TranscriptEvent): boolean {
	const { skippedPrefix } = outline;
	if (skippedPrefix === undefined) return false;
	if (event.t === 'compaction') {
		const own = new Set(event.replacement.map(({ id }) => id));
		return event.visibleIds.some((id) => !own.has(id) && !outline.positions.has(id));
	}
	if (event.t !== 'rewind' || event.toMessageId === null) return false;
	return (entriesUpTo(outline, event.toMessageId) ?? 0) <= skippedPrefix.until;
}

/** Approximate memory of messages that are not stored yet, in characters. O(entries). */
export function unstoredUnits({ entries }: Outline): number {
	return entries.reduce(
		(sum, entry) =>
			messagesIn(entry).reduce((own, message) => own + messageUnits(message) + messageOverheadUnits, sum),
		0,
	);
}

/** Memory of a message besides its texts, in characters. */
const messageOverheadUnits = 512;

/** Characters of all texts of a message, including images and calls. */
function messageUnits({ content, toolCalls }: ChatMessage): number {
	return stringUnits(content) + stringUnits(toolCalls);
}

function stringUnits(value: unknown): number {
	if (typeof value === 'string') return value.length;
	if (typeof value !== 'object' || value === null) return 0;
	return Object.values(value).reduce((sum: number, one) => sum + stringUnits(one), 0);
}

function idsOf(entry: OutlineEntry): string[] {
	return entry.t === 'message' ? [entry.id] : entry.replacement.map(({ id }) => id);
}

/** The messages of an entry whose texts are loaded. */
function messagesIn(entry: OutlineEntry | undefined): readonly ChatMessage[] {
	if (entry?.t === 'compaction') return entry.replacement;
	return entry?.message ? [entry.message] : [];
}

function isLoaded(entry: OutlineEntry): boolean {
	return entry.t === 'compaction' || entry.message !== undefined;
}

/** Removes figures, because they belong to another history. */
function withoutFigures(entry: OutlineEntry): OutlineEntry {
	if (entry.t === 'compaction') return entry;
	const message = entry.message && { ...entry.message, usage: undefined, stopReason: undefined };
	return { ...entry, message, usage: undefined, stopReason: undefined };
}
