/**
 * Leaving out of an outline what no request holds any more: what the agent compacted away before its last compaction,
 * and what is older than any window could hold. Of a session of days that is nearly all.
 */

import type { ChatMessage, IdentifiedMessage } from '../../protocol/conversation.ts';
import { promptTokens } from '../meter/meter.ts';
import { widestGrowth } from '../meter/tuning.ts';
import { hiddenTokens, largestPrompt } from './end.ts';
import { entriesUpTo, type Outline, type OutlineEntry, outlined } from './outline.ts';
import type { TranscriptEvent } from './reading/events.ts';

/** Characters that a token has on average. */
const unitsPerToken = 4;

/** Tokens that requests hold beside the messages at most, as far as agents are known. */
const mostStanding = 64_000;

/** Characters of messages that no window holds: the largest one that agents work with has 2,097,152 tokens. */
export const beyondAnyWindow = unitsPerToken * (2 << 20);

/** The place of the newest compaction; undefined where there is none. */
export function newestCompaction({ entries }: Outline): number | undefined {
	const place = entries.findLastIndex(({ t }) => t === 'compaction');
	return place < 0 ? undefined : place;
}

/**
 * The place before which all is older than any window could hold: an answer, or a message of a user. Undefined where
 * nothing is. O(entries).
 */
export function windowStart({ entries }: Outline): number | undefined {
	let units = 0;
	let place = entries.length;
	for (; place > 0; place--) {
		for (const message of messagesIn(entries[place - 1])) units += textUnits(message);
		if (units > beyondAnyWindow) break;
	}
	if (place === 0) return undefined;
	const isResult = (entry: OutlineEntry): boolean => entry.t === 'message' && entry.message?.role === 'tool';
	const start = entries.findIndex((entry, index) => index >= place && !isResult(entry));
	return start < 0 ? undefined : start;
}

/** The messages of an entry whose texts are at hand. */
function messagesIn(entry: OutlineEntry | undefined): readonly ChatMessage[] {
	if (entry?.t === 'compaction') return entry.replacement;
	return entry?.message ? [entry.message] : [];
}

/** Characters that a message says, those of its calls included. */
function textUnits({ content, toolCalls = [] }: ChatMessage): number {
	const said =
		typeof content === 'string'
			? content.length
			: content.reduce((sum, part) => sum + ('text' in part ? part.text.length : 0), 0);
	return toolCalls.reduce((sum, { args }) => sum + stringUnits(args), said);
}

/** Characters of all texts in a value. */
function stringUnits(value: unknown): number {
	if (typeof value === 'string') return value.length;
	if (typeof value !== 'object' || value === null) return 0;
	return Object.values(value).reduce((sum: number, one) => sum + stringUnits(one), 0);
}

/** What a message takes beside its texts, in characters. */
const unitsBeside = 512;

/** What a message takes in memory, about, images and all. Characters. */
export function heldUnits({ content, toolCalls }: ChatMessage): number {
	return stringUnits(content) + stringUnits(toolCalls) + unitsBeside;
}

/** What the messages of an outline take in memory, about, as far as they are not stored. Characters; O(entries). */
export function unstoredUnits({ entries }: Outline): number {
	return entries.reduce(
		(sum, entry) => messagesIn(entry).reduce((own, message) => own + heldUnits(message), sum),
		0,
	);
}

/**
 * Begins the outline at one of its entries, in place: at a compaction with what the model saw after it. Changes
 * nothing, and gives false, where the text of an entry that stays is stored already, and no more at hand. O(entries).
 */
export function passOver(outline: Outline, place: number): boolean {
	const { entries } = outline;
	const first = entries[place];
	const kept = first?.t === 'compaction' ? visibleAfter(outline, place, first.visibleIds) : [];
	const rest = entries.slice(first?.t === 'compaction' ? place + 1 : place);
	const isStored = (entry: OutlineEntry): boolean => entry.t === 'message' && entry.message === undefined;
	if (kept === undefined || rest.some(isStored)) return false;
	const { answered = 0, standing = hiddenTokens(outline) } = outline.passed ?? {};
	outline.passed = {
		answered: Math.max(answered, largestPrompt(plausibleBefore(entries, place))),
		standing,
		kept: kept.length,
	};
	// Their figures were those of another history.
	const seen = kept.map((message) => outlined({ ...message, usage: undefined, stopReason: undefined }));
	outline.entries = [...seen, ...rest];
	outline.positions = new Map(
		outline.entries.flatMap((entry, index) => idsOf(entry).map((id) => [id, index])),
	);
	outline.unchanged = 0;
	return true;
}

/**
 * The entries before a place that may tell of one call: agents report sums over many calls too, far more than what a call
 * could be made from.
 */
function plausibleBefore(entries: readonly OutlineEntry[], place: number): OutlineEntry[] {
	let units = 0;
	return entries.slice(0, place).filter((entry) => {
		for (const message of messagesIn(entry)) units += textUnits(message);
		const tokens = entry.t === 'message' && entry.usage ? promptTokens(entry.usage) : 0;
		return tokens <= mostStanding + (units / unitsPerToken) * widestGrowth;
	});
}

function idsOf(entry: OutlineEntry): string[] {
	return entry.t === 'message' ? [entry.id] : entry.replacement.map(({ id }) => id);
}

/** What the model saw after a compaction; undefined where a text of it is stored already. */
function visibleAfter(
	{ entries, positions }: Outline,
	place: number,
	visibleIds: readonly string[],
): IdentifiedMessage[] | undefined {
	const seen: IdentifiedMessage[] = [];
	for (const id of visibleIds) {
		const entry = entries[Math.min(place, positions.get(id) ?? place)];
		if (entry?.t === 'message') {
			if (entry.message === undefined) return undefined;
			seen.push(entry.message);
			continue;
		}
		const own = entry?.replacement.find((message) => message.id === id);
		if (own) seen.push(own);
	}
	return seen;
}

/** Whether an event brings something back into the conversation that was passed over. */
export function needsPassed(outline: Outline, event: TranscriptEvent): boolean {
	if (outline.passed === undefined) return false;
	if (event.t === 'compaction') {
		const own = new Set(event.replacement.map(({ id }) => id));
		return event.visibleIds.some((id) => !own.has(id) && !outline.positions.has(id));
	}
	if (event.t !== 'rewind' || event.toMessageId === null) return false;
	const count = entriesUpTo(outline, event.toMessageId);
	// What a compaction kept stood before it: to go back there takes the compaction back too.
	return count === undefined || (outline.passed.kept > 1 && count <= outline.passed.kept);
}
