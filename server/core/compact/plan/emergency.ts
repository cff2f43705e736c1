/** The last resort of stage "truncate": cuts the middle of the largest remaining messages. */

import type { ContentPart, IdentifiedMessage } from '../../../protocol/conversation.ts';
import { replacesSeveralRows } from '../../history/row.ts';
import { joinMessageText } from '../../history/text.ts';
import { keepHeadAndTail } from '../../output/shortenResult.ts';
import {
	type Draft,
	type Effects,
	findWeightAt,
	getOriginal,
	getTokens,
	getUnit,
	hasKind,
	type Item,
	isHidden,
	itemKind,
	selectItems,
	shortenItem,
	sumTokens,
} from '../draft.ts';
import { createCutNote, shortenContent } from '../placeholders.ts';
import type { Policy } from '../policy.ts';
import { describeOutcomes } from './resultOutcome.ts';

/** Share of the allowed size that each attempt aims at. */
const cutTargetShare = 0.95;
/** Maximum attempts. Cuts are planned from averages; each further attempt cuts deeper. */
const maxAttempts = 3;

/** Whether the policy allows cutting the middle of messages. */
export function canCut(policy: Policy): boolean {
	return policy.stages.truncate && policy.emergencyCut !== 'never';
}

/** Whether an item may be cut: visible, not protected by the user, and not a summary or marker. */
export function isCuttable(draft: Draft, item: Item): boolean {
	if (isHidden(draft, item) || hasKind(draft, item, itemKind.protected | itemKind.truncateOnly)) return false;
	return !replacesSeveralRows(getUnit(draft, item).row);
}

/** Returns the items that may be cut. */
export function selectCuttableItems(draft: Draft): Item[] {
	return selectItems(draft, (item) => isCuttable(draft, item));
}

/** Returns the maximum size of an item at which all items together fit the budget. */
function computeMaxItemTokens(tokenCounts: readonly number[], budgetTokens: number): number {
	const sorted = [...tokenCounts].sort((a, b) => a - b);
	let smallTokens = 0;
	for (const [index, size] of sorted.entries()) {
		const maxItemTokens = (budgetTokens - smallTokens) / (sorted.length - index);
		if (maxItemTokens <= size) return Math.max(0, maxItemTokens);
		smallTokens += size;
	}
	return Number.POSITIVE_INFINITY;
}

async function cutItem(draft: Draft, item: Item, maxTokens: number, effects: Effects): Promise<boolean> {
	const row = getOriginal(draft, item);
	const [original] = await effects.read([row]);
	if (!original) return false;
	// Cuts the original even if an earlier compaction already cut the message. Images stay.
	const weight = findWeightAt(draft, getUnit(draft, item).from);
	const wordTokens = weight * (row.counts.text + row.counts.calls);
	const imageTokens = weight * row.counts.images;
	const share = Math.min(1, (maxTokens - imageTokens) / Math.max(1, wordTokens)) * cutTargetShare;
	const [outcome] = await describeOutcomes(draft, [row], [original], effects);
	const message = cutMiddle(original, share, wordTokens / joinMessageText(original).length, outcome);
	if (message === original) return false;
	return shortenItem(draft, item, {
		stage: 'truncate',
		message,
		counts: effects.countMessage(message),
		made: 'cut',
	});
}

/** Cuts the largest items until the target is reached or no cut helps. Returns the number of cut messages. */
export async function emergencyCut(
	draft: Draft,
	items: readonly Item[],
	target: number,
	effects: Effects,
): Promise<number> {
	const cutItems = new Set<Item>();
	let targetTokens = target;
	for (let attempt = 0; attempt < maxAttempts && draft.tokens > target; attempt++) {
		const itemTokens = sumTokens(draft, items);
		const maxTokens = computeMaxItemTokens(
			items.map((item) => getTokens(draft, item)),
			Math.max(0, targetTokens - (draft.tokens - itemTokens)),
		);
		for (const item of items.filter((one) => getTokens(draft, one) > maxTokens)) {
			if (await cutItem(draft, item, maxTokens, effects)) cutItems.add(item);
			await effects.pause();
		}
		targetTokens -= Math.max(0, draft.tokens - target);
	}
	return cutItems.size;
}

/** Maximum depth at which nested arguments of a call are cut. */
const maxCutDepth = 64;
/** Minimum lengths of texts that are cut: an answer says most in few words. UTF-16 units. */
const minCutLength = { answer: 1200, other: 400 } as const;
/** Share of its minimum that a cut keeps of a text, even if its share is smaller: two sentences. Less would say nothing. */
const minKeptPart = 0.5;

function isLongThought(part: ContentPart): boolean {
	return part.type === 'reasoning' && part.text.length >= minCutLength.other;
}

/** Cuts the long texts of parts. If any reasoning is long, drops all reasoning, because its parts are signed together. */
function cutParts(parts: readonly ContentPart[], cut: (text: string) => string): ContentPart[] {
	const shownParts = parts.some(isLongThought) ? parts.filter((part) => part.type !== 'reasoning') : parts;
	return shownParts.map((part) => (part.type === 'text' ? { ...part, text: cut(part.text) } : part));
}

/** Returns a value with its long texts cut, and everything else unchanged. */
function cutLeaves(value: unknown, cut: (text: string) => string, depth = 0): unknown {
	if (typeof value === 'string') return cut(value);
	if (typeof value !== 'object' || value === null || depth >= maxCutDepth) return value;
	if (Array.isArray(value)) return value.map((one) => cutLeaves(one, cut, depth + 1));
	return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, cutLeaves(one, cut, depth + 1)]));
}

/**
 * Returns a message that keeps about `share` of each long text: head and tail around a note, which includes the `outcome`
 * of a result's call. Returns the same message if no text gets shorter.
 */
export function cutMiddle(
	message: IdentifiedMessage,
	share: number,
	tokensPerChar: number,
	outcome?: string,
): IdentifiedMessage {
	let isCut = Array.isArray(message.content) && message.content.some(isLongThought);
	const minLength =
		minCutLength[message.role === 'assistant' && !message.toolCalls?.length ? 'answer' : 'other'];
	const cut = (text: string): string => {
		if (text.length < minLength) return text;
		const keptUnits = Math.max(minLength * minKeptPart, Math.floor(text.length * share));
		const between = createCutNote((text.length - keptUnits) * tokensPerChar, message.id, outcome);
		const shortened = keepHeadAndTail(text, keptUnits, between);
		isCut ||= shortened !== text;
		return shortened;
	};
	const content = typeof message.content === 'string' ? cut(message.content) : cutParts(message.content, cut);
	const toolCalls = message.toolCalls?.map((call) => ({ ...call, args: cutLeaves(call.args, cut) }));
	if (!isCut) return message;
	return { ...shortenContent(message, content), ...(toolCalls && { toolCalls }) };
}
