/**
 * Leaving out of an outline what no request holds any more: what the agent compacted away before its last compaction,
 * and what is older than any window could hold. Of a session of days that is nearly all. What figures told there is
 * kept, and enough stays for the meter to learn from: where that is not so, nothing is left out.
 */

import type { ChatMessage } from '../../protocol/conversation.ts';
import { promptTokens } from '../meter/meter.ts';
import { figureOf, hiddenTokens, isOfOneCall } from './end.ts';
import { entriesUpTo, type Outline, type OutlineEntry, type PassedFigures } from './outline.ts';
import type { TranscriptEvent } from './reading/events.ts';

/** Usage figures that must stay: from so many the meter learns what it needs to know. */
const enoughFigures = 4;

/** Characters of a token at most, as long as a text is not mainly blanks. */
const mostUnitsPerToken = 8;

/** Characters at the end of a transcript that are never passed over: a window of a million tokens holds no more. */
export const fewestUnits = mostUnitsPerToken << 20;

/**
 * Begins the outline, in place, with what the newest compaction kept, one message that it hid, and that compaction.
 * Changes nothing, and gives false, where that passes over nothing, where too few figures stay, and where a text that
 * stays is stored already and no more at hand. O(entries).
 *
 * @param stored what the figures of the session told that holds what is stored
 */
export function passCompacted(outline: Outline, stored?: PassedFigures): boolean {
	const { entries } = outline;
	const place = entries.findLastIndex(({ t }) => t === 'compaction');
	const compaction = entries[place];
	if (compaction?.t !== 'compaction') return false;
	const shown = new Set(compaction.visibleIds);
	const before = entries.slice(0, place);
	const isShown = (entry: OutlineEntry): boolean => idsOf(entry).some((id) => shown.has(id));
	const kept = before.filter(isShown);
	const hidden = before.findLast((entry) => entry.t === 'message' && isAtHand(entry) && !isShown(entry));
	if (hidden === undefined || before.length === kept.length + 1) return false;
	return beginWith([hidden, ...kept].map(withoutFigures), outline, place, stored);
}

/**
 * Begins the outline of an agent that never compacted, in place, with its leading system messages and what any prompt
 * that was answered can have held: so many characters as eight for each of its tokens. As `passCompacted` where nothing
 * is passed over.
 */
export function passOld(outline: Outline, stored?: PassedFigures): boolean {
	const { entries } = outline;
	if (entries.some(({ t }) => t === 'compaction')) return false;
	const largest = largestPrompt(outline, 0, entries.length, stored);
	const place = cutBefore(entries, oldestHeld(entries, Math.max(fewestUnits, mostUnitsPerToken * largest)));
	const head = entries.slice(
		0,
		entries.findIndex((entry) => entry.t !== 'message' || entry.message?.role !== 'system'),
	);
	return place > head.length && beginWith(head, outline, place, stored);
}

/** Where the newest entries begin that have so many characters together. */
function oldestHeld(entries: readonly OutlineEntry[], most: number): number {
	let units = 0;
	let place = entries.length;
	for (; place > 0 && units <= most; place--) {
		for (const message of messagesIn(entries[place - 1])) units += heldUnits(message);
	}
	return units <= most ? 0 : place;
}

/** The first place from there on that parts no call from its results. */
function cutBefore(entries: readonly OutlineEntry[], from: number): number {
	const resultAt = new Map<string, number>();
	for (const [index, entry] of entries.entries()) {
		for (const { toolCallId } of messagesIn(entry))
			if (toolCallId !== undefined) resultAt.set(toolCallId, index);
	}
	let reach = -1;
	for (const [index, entry] of entries.entries()) {
		if (index >= from && reach < index) return index;
		for (const { toolCalls = [] } of messagesIn(entry)) {
			for (const { id } of toolCalls) reach = Math.max(reach, resultAt.get(id) ?? -1);
		}
	}
	return 0;
}

/** The outline with these entries, and those from a place on. */
function beginWith(
	first: readonly OutlineEntry[],
	outline: Outline,
	place: number,
	stored: PassedFigures | undefined,
): boolean {
	const { entries, passed } = outline;
	const rest = entries.slice(place);
	const stays = [...first, ...rest];
	if (!hasEnoughFigures(rest) || !stays.every(isAtHand)) return false;
	const left = entries
		.slice(0, place)
		.flatMap((entry) => (entry.t === 'compaction' ? (entry.standing ?? []) : []));
	const standing = passed?.standing ?? stored?.standing ?? hiddenTokens(outline);
	outline.passed = {
		answered: largestPrompt(outline, 0, place, stored),
		standing: Math.min(standing, ...left),
		until: first.length,
	};
	outline.entries = stays;
	outline.positions = new Map(stays.flatMap((entry, index) => idsOf(entry).map((id) => [id, index])));
	outline.unchanged = 0;
	return true;
}

function hasEnoughFigures(entries: readonly OutlineEntry[]): boolean {
	return entries.filter((entry) => figureOf(entry) !== undefined).length >= enoughFigures;
}

/** The largest prompt that was answered in a stretch of the outline, or in what is no more there. Tokens. */
function largestPrompt(outline: Outline, from: number, to: number, stored?: PassedFigures): number {
	const known = Math.max(passedFigures(outline)?.answered ?? 0, stored?.answered ?? 0);
	const prompts = outline.entries
		.slice(from, to)
		.map((entry, index) => ({ index: from + index, tokens: promptOf(entry) }))
		.filter(({ tokens }) => tokens > known)
		.sort((a, b) => b.tokens - a.tokens);
	return prompts.find(({ index }) => isOfOneCall(outline, index))?.tokens ?? known;
}

function promptOf(entry: OutlineEntry): number {
	const usage = figureOf(entry);
	return usage === undefined ? 0 : promptTokens(usage);
}

/**
 * Keeps in mind what the figures told of entries that a rewind takes away, so that they need not be stored. False where
 * too few stay for that.
 */
export function passRewound(outline: Outline, count: number): boolean {
	const { entries } = outline;
	const last = entries.findLastIndex(({ t }, index) => t === 'compaction' && index < count);
	if (entries.slice(count).some(({ t }) => t === 'compaction')) return false;
	if (!hasEnoughFigures(entries.slice(last + 1, count))) return false;
	outline.rewound = largestPrompt(outline, count, entries.length);
	return true;
}

/** What the figures told of all that is no more in the outline; undefined where nothing left it. */
export function passedFigures({ passed, rewound = 0 }: Outline): PassedFigures | undefined {
	if (passed === undefined && rewound === 0) return undefined;
	return { answered: Math.max(passed?.answered ?? 0, rewound), standing: passed?.standing };
}

/** Whether an event brings something back into the conversation that was passed over. */
export function needsPassed(outline: Outline, event: TranscriptEvent): boolean {
	const { passed } = outline;
	if (passed === undefined) return false;
	if (event.t === 'compaction') {
		const own = new Set(event.replacement.map(({ id }) => id));
		return event.visibleIds.some((id) => !own.has(id) && !outline.positions.has(id));
	}
	if (event.t !== 'rewind' || event.toMessageId === null) return false;
	return (entriesUpTo(outline, event.toMessageId) ?? 0) <= passed.until;
}

/** What the messages of an outline take in memory, about, as far as they are not stored. Characters; O(entries). */
export function unstoredUnits({ entries }: Outline): number {
	return entries.reduce(
		(sum, entry) => messagesIn(entry).reduce((own, message) => own + heldUnits(message) + unitsBeside, sum),
		0,
	);
}

/** What a message takes in memory beside its texts, in characters. */
const unitsBeside = 512;

/** Characters of all texts of a message, images and calls with them. */
function heldUnits({ content, toolCalls }: ChatMessage): number {
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

/** The messages of an entry whose texts are at hand. */
function messagesIn(entry: OutlineEntry | undefined): readonly ChatMessage[] {
	if (entry?.t === 'compaction') return entry.replacement;
	return entry?.message ? [entry.message] : [];
}

function isAtHand(entry: OutlineEntry): boolean {
	return entry.t === 'compaction' || entry.message !== undefined;
}

/** Its figures were those of another history. */
function withoutFigures(entry: OutlineEntry): OutlineEntry {
	if (entry.t === 'compaction') return entry;
	const message = entry.message && { ...entry.message, usage: undefined, stopReason: undefined };
	return { ...entry, message, usage: undefined, stopReason: undefined };
}
