/** Reads the state of a session from the end of its transcript. All figures are tokens. */

import type { ChatMessage, Usage } from '../../protocol/conversation.ts';
import { createMeasure } from '../measure/measure.ts';
import { countMessage } from '../measure/message.ts';
import { createCalibratedCount } from '../measure/text/textCounter.ts';
import { isUsable, sumPromptTokens } from '../meter/meter.ts';
import { maxGrowthRatio } from '../meter/tuning.ts';
import { lookupTokenFamily } from '../models/tokenFamily.ts';
import { pickDefined } from '../shape.ts';
import type { Outline, OutlineEntry } from './outline.ts';

/** Milliseconds without activity after which a session no longer counts as running. */
export const inactiveMs = 4 * 3_600_000;

/** State of a session at the end of its transcript. */
export interface TranscriptEnd {
	/** Approximate size of the next request. */
	tokens: number;
	/**
	 * `reported`: the newest answer's usage. `anchored`: that usage plus an estimate of the messages after it.
	 * `estimated`: there is no valid usage, because the agent compacted after the newest one or reported none yet.
	 */
	source: 'reported' | 'anchored' | 'estimated';
	/** The newest valid usage. */
	usage?: Usage;
	/** The largest prompt that was answered. */
	answeredTokens?: number;
	/** Size of the session at the agent's last automatic compaction. */
	compactedAt?: number;
	/** Milliseconds since the epoch. */
	lastActivityAt?: number;
}

/**
 * Returns the state of a session from its last messages: the newest usage, plus a calibrated estimate of the messages
 * after it. Earlier messages are not counted.
 *
 * @param start the transcript's first messages, read only if there is no valid usage at its end
 */
export function computeTranscriptEnd(outline: Outline, start: Outline): TranscriptEnd {
	const { entries } = outline;
	const boundary = entries.findLastIndex((entry) => entry.t === 'compaction');
	const usageIndex = entries.findLastIndex(
		(entry, index) => index > boundary && findUsableUsage(entry) !== undefined,
	);
	const usage = findUsableUsage(entries[usageIndex]);
	const tail = entries.slice((usage === undefined ? boundary : usageIndex) + 1).flatMap(listLoadedMessages);
	// Counted before the usually long texts after it: V8 optimizes the counter for the call after a long one, in 6 ms.
	const tokensBefore =
		usage === undefined
			? computeOverhead(start) || (start.info.overheadTokens ?? 0)
			: countCallTokens(outline, usageIndex, usage);
	const keptMessages = usage === undefined ? listKeptMessages(outline, boundary) : [];
	const countedTokens = countMessages(outline, [...keptMessages, ...tail]);
	const answeredTokens = entries.reduce((largest, entry) => Math.max(largest, countPromptTokens(entry)), 0);
	const compaction = entries.findLast((entry) => entry.t === 'compaction' && entry.trigger === 'auto');
	const compactedAt = compaction?.t === 'compaction' ? compaction.tokensBefore : undefined;
	const times = entries.flatMap(listLoadedMessages).map(({ timestamp }) => timestamp);
	const lastActivityAt = times.findLast((time) => time !== undefined);
	return {
		tokens: tokensBefore + countedTokens,
		source: usage === undefined ? 'estimated' : countedTokens > 0 ? 'anchored' : 'reported',
		...(usage && { usage }),
		...(answeredTokens > 0 && { answeredTokens }),
		...pickDefined({ compactedAt, lastActivityAt }),
	};
}

/**
 * Returns the tokens of a session's requests besides messages (system prompt, tools): the first reported prompt minus
 * the counts of the messages before it. 0 if the start of the transcript has no usage.
 */
export function computeOverhead(start: Outline): number {
	const usageIndex = start.entries.findIndex((_, index) => isSingleCallUsage(start, index));
	const usage = findUsableUsage(start.entries[usageIndex]);
	if (usage === undefined) return 0;
	return Math.max(0, sumPromptTokens(usage) - countMessages(start, listMessagesBefore(start, usageIndex)));
}

/** Returns an answer's usage; undefined if the entry has none that can be used. */
export function findUsableUsage(entry: OutlineEntry | undefined): Usage | undefined {
	if (entry?.t !== 'message' || !entry.isAnswer || !isUsable(entry.usage, entry.stopReason)) return undefined;
	return entry.usage;
}

/** Maximum prompt that certainly belongs to one call: the smallest window that agents work with. */
const maxSingleCallTokens = 128_000;

/**
 * Whether an entry's usage is that of one call. Some agents report sums over many calls, which far exceed the visible
 * messages.
 */
export function isSingleCallUsage(outline: Outline, index: number): boolean {
	const usage = findUsableUsage(outline.entries[index]);
	if (usage === undefined) return false;
	const prompt = sumPromptTokens(usage);
	if (prompt <= maxSingleCallTokens) return true;
	return prompt <= maxGrowthRatio * countMessages(outline, listMessagesBefore(outline, index + 1));
}

/** Returns the messages before an index that the model saw, as far as their texts are loaded. */
function listMessagesBefore(outline: Outline, position: number): ChatMessage[] {
	const entries = outline.entries.slice(0, position);
	const boundary = entries.findLastIndex(({ t }) => t === 'compaction');
	return [...listKeptMessages(outline, boundary), ...entries.slice(boundary + 1).flatMap(listLoadedMessages)];
}

/**
 * Returns the tokens of prompt and answer. An output below half of the counted tokens is ignored, because it was
 * reported when the stream started.
 */
function countCallTokens(outline: Outline, index: number, usage: Usage): number {
	const answerTokens = countMessages(outline, listLoadedMessages(outline.entries[index]));
	return sumPromptTokens(usage) + (usage.output < answerTokens / 2 ? answerTokens : usage.output);
}

function listLoadedMessages(entry: OutlineEntry | undefined): ChatMessage[] {
	return entry?.t === 'message' && entry.message ? [entry.message] : [];
}

function listKeptMessages({ entries, positions }: Outline, index: number): ChatMessage[] {
	const compaction = entries[index];
	if (compaction?.t !== 'compaction') return [];
	return compaction.visibleIds.flatMap((id) => {
		const replacement = compaction.replacement.find((message) => message.id === id);
		return replacement ? [replacement] : listLoadedMessages(entries[positions.get(id) ?? -1]);
	});
}

function countMessages({ info }: Outline, messages: readonly ChatMessage[]): number {
	if (messages.length === 0) return 0;
	const family = lookupTokenFamily(info.provider ?? '', info.model ?? '');
	const measure = createMeasure({
		family,
		estimator: 'calibrated',
		countText: createCalibratedCount(family.vocabulary),
	});
	return messages.reduce((sum, message) => {
		const { text, calls, images } = countMessage(message, measure);
		return sum + text + calls + images;
	}, 0);
}

/** Returns the prompt tokens of an answer's usage; 0 if the entry has no usable usage. */
export function countPromptTokens(entry: OutlineEntry): number {
	const usage = findUsableUsage(entry);
	return usage === undefined ? 0 : sumPromptTokens(usage);
}
