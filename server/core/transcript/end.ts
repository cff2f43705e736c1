/** Where a session stands, told from the end of its transcript alone. All figures are tokens. */

import type { ChatMessage, Usage } from '../../protocol/conversation.ts';
import { createMeasure } from '../measure/measure.ts';
import { countMessage } from '../measure/message.ts';
import { calibratedText } from '../measure/text/textCounter.ts';
import { isUsable, promptTokens } from '../meter/meter.ts';
import { maxGrowthRatio } from '../meter/tuning.ts';
import { lookupTokenFamily } from '../models/tokenFamily.ts';
import { present } from '../shape.ts';
import type { Outline, OutlineEntry } from './outline.ts';

/** What the end of a transcript tells. */
export interface TranscriptEnd {
	/** What the next request holds, about. */
	tokens: number;
	/**
	 * `reported`: the newest answer's own figure; `anchored`: with an estimate of what came after it; `estimated`:
	 * no figure counts any more, because the agent compacted since, or there is none yet.
	 */
	source: 'reported' | 'anchored' | 'estimated';
	/** The newest figure that counts. */
	usage?: Usage;
	/** The largest prompt that was answered. */
	answered?: number;
	/** What the session held when the agent last compacted by itself. */
	compactedAt?: number;
	/** Milliseconds since the epoch. */
	lastActivityAt?: number;
}

/**
 * Where a transcript stands, given its last messages: the newest figure, and a calibrated estimate of what came
 * after it. The messages before that figure are not counted.
 * @param start the transcript's first messages, which are looked at only where no figure counts at its end
 */
export function transcriptEnd(outline: Outline, start: Outline): TranscriptEnd {
	const { entries } = outline;
	const compacted = entries.findLastIndex((entry) => entry.t === 'compaction');
	const newest = entries.findLastIndex((entry, index) => index > compacted && figureOf(entry) !== undefined);
	const usage = figureOf(entries[newest]);
	const tail = entries.slice((usage === undefined ? compacted : newest) + 1).flatMap(messagesIn);
	const kept = usage === undefined ? keptBy(outline, compacted) : [];
	const counted = countAll(outline, [...kept, ...tail]);
	const before = usage === undefined ? hiddenTokens(start) : callTokens(outline, newest, usage);
	const answered = largestPrompt(entries);
	const compactedAt = automaticCompaction(entries);
	const lastActivityAt = newestTime(entries);
	return {
		tokens: before + counted,
		source: usage === undefined ? 'estimated' : counted > 0 ? 'anchored' : 'reported',
		...(usage && { usage }),
		...(answered > 0 && { answered }),
		...present({ compactedAt, lastActivityAt }),
	};
}

/**
 * What the requests of a session hold beyond its messages (system prompt, tools): the first reported prompt less
 * what the messages before it count. 0 where the start of the transcript has no figure.
 */
export function hiddenTokens(start: Outline): number {
	const first = start.entries.findIndex((_, index) => isOfOneCall(start, index));
	const usage = figureOf(start.entries[first]);
	if (usage === undefined) return 0;
	return Math.max(0, promptTokens(usage) - countAll(start, messagesBefore(start, first)));
}

/** The usage figure of an answer, where it says anything. */
export function figureOf(entry: OutlineEntry | undefined): Usage | undefined {
	if (entry?.t !== 'message' || !entry.isAnswer || !isUsable(entry.usage, entry.stopReason)) return undefined;
	return entry.usage;
}

/** Tokens of a prompt up to which it is taken for that of one call: the smallest window that agents work with. */
const usualPrompt = 128_000;

/** Whether an entry has a figure, and that of one call: agents report sums over many, far more than what is visible. */
export function isOfOneCall(outline: Outline, index: number): boolean {
	const usage = figureOf(outline.entries[index]);
	if (usage === undefined) return false;
	const prompt = promptTokens(usage);
	if (prompt <= usualPrompt) return true;
	return prompt <= maxGrowthRatio * countAll(outline, messagesBefore(outline, index + 1));
}

/** What the model saw of the entries before a place, as far as their texts are at hand. */
function messagesBefore(outline: Outline, place: number): ChatMessage[] {
	const before = outline.entries.slice(0, place);
	const compacted = before.findLastIndex(({ t }) => t === 'compaction');
	return [...keptBy(outline, compacted), ...before.slice(compacted + 1).flatMap(messagesIn)];
}

/** The prompt and the answer. Logs often hold the output figure of the stream's start: below half of its count. */
function callTokens(outline: Outline, index: number, usage: Usage): number {
	const own = countAll(outline, messagesIn(outline.entries[index]));
	return promptTokens(usage) + (usage.output < own / 2 ? own : usage.output);
}

function messagesIn(entry: OutlineEntry | undefined): ChatMessage[] {
	return entry?.t === 'message' && entry.message ? [entry.message] : [];
}

/** What a compaction left. */
function keptBy({ entries, positions }: Outline, index: number): ChatMessage[] {
	const compaction = entries[index];
	if (compaction?.t !== 'compaction') return [];
	return compaction.visibleIds.flatMap((id) => {
		const own = compaction.replacement.find((message) => message.id === id);
		return own ? [own] : messagesIn(entries[positions.get(id) ?? -1]);
	});
}

function countAll({ info }: Outline, messages: readonly ChatMessage[]): number {
	if (messages.length === 0) return 0;
	const family = lookupTokenFamily(info.provider ?? '', info.model ?? '');
	const measure = createMeasure({ family, estimator: 'calibrated', countText: calibratedText(family.ranks) });
	return messages.reduce((sum, message) => {
		const { text, calls, images } = countMessage(message, measure);
		return sum + text + calls + images;
	}, 0);
}

function largestPrompt(entries: readonly OutlineEntry[]): number {
	return entries.reduce((largest, entry) => {
		const usage = figureOf(entry);
		return usage === undefined ? largest : Math.max(largest, promptTokens(usage));
	}, 0);
}

function automaticCompaction(entries: readonly OutlineEntry[]): number | undefined {
	const last = entries.findLast((entry) => entry.t === 'compaction' && entry.trigger === 'auto');
	return last?.t === 'compaction' ? last.tokensBefore : undefined;
}

function newestTime(entries: readonly OutlineEntry[]): number | undefined {
	const times = entries.flatMap(messagesIn).flatMap(({ timestamp }) => timestamp ?? []);
	return times.at(-1);
}
