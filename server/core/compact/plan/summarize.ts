/** Stage "summarize": selects everything before the tail, and replaces it by one summary. */

import type { IdentifiedMessage } from '../../../protocol/conversation.ts';
import type { Seq } from '../../history/record.ts';
import type { Row } from '../../history/row.ts';
import { joinMessageText } from '../../history/text.ts';
import {
	computeUnprotectedBudget,
	continuesBatch,
	type Draft,
	type Effects,
	findWeightAt,
	getOriginal,
	getTokens,
	getUnit,
	hasKind,
	hideItem,
	hidingStages,
	type Item,
	itemKind,
	selectItems,
	selectSmallUnread,
	sumTokens,
	unhideItem,
	weighCounts,
} from '../draft.ts';
import { defaultTail, type Policy } from '../policy.ts';
import {
	disabledReport,
	type PlanInput,
	reportNoSummary,
	reportReached,
	type Stage,
	type StageReport,
	type SummaryTask,
	type SummaryText,
	type Thinking,
} from '../stage.ts';
import { tuning } from '../tuning.ts';
import { canCut, emergencyCut, isCuttable } from './emergency.ts';
import { pruneItems, selectPrunableResults } from './prune.ts';

/** Lower bound of a token's weight, which avoids a division by zero. */
const minTokenWeight = 0.01;
/** Maximum raw tokens of a summary. The tail gets the rest of the budget. */
const maxSummaryTokens = 64_000;
/** Kinds of items that stay even before the tail. */
const keptKinds = itemKind.protected | itemKind.truncateOnly;

/** Returns the maximum tokens of a tail that leaves enough tokens for a summary. */
function computeMaxTailTokens(draft: Draft, policy: Policy): number {
	const budget = computeUnprotectedBudget(draft);
	return Math.max(policy.recentShare * budget, budget - maxSummaryTokens * draft.meter.factor);
}

/** Returns the items that a summary should replace, oldest first, without items that must stay. */
export async function selectSummarizable(
	draft: Draft,
	policy: Policy,
	{ pause }: Pick<Effects, 'pause'>,
	summarizedTo?: Seq,
): Promise<Item[]> {
	const unprotectedTokens = computeUnprotectedBudget(draft);
	const share = policy.keepRecentRatio * (1 - tuning.tail.summaryShare) * unprotectedTokens;
	const rest = draft.tokens - draft.protectedTokens;
	const budget = Math.max(
		share,
		unprotectedTokens - maxSummaryTokens * draft.meter.factor,
		(unprotectedTokens - tuning.tail.maxSummaryRatio * rest) / (1 - tuning.tail.maxSummaryRatio),
	);
	const start = findTailStart(draft, budget, policy.recentCount, policy.recentShare * unprotectedTokens);
	await pause();
	const maxTokens = Math.max(budget, computeMaxTailTokens(draft, policy));
	return selectSummarizableBefore(draft, findStartAfterSummary(draft, maxTokens, summarizedTo) ?? start);
}

/**
 * Returns the first item of the tail. The tail has as many of the newest groups as fit into `budget` tokens, at least
 * one, and the newest `recentCount` messages while they take at most `recentBudget`. O(tail).
 */
function findTailStart(draft: Draft, budget: number, recentCount: number, recentBudget: number): Item {
	const end = draft.view.length;
	let start = end;
	let tokens = 0;
	for (let from = end, to = end; to > 0; to = from) {
		from = to - 1;
		while (continuesBatch(draft, from)) from--;
		// Items that always stay do not count towards the tail's budget.
		let groupTokens = 0;
		for (let item = from; item < to; item++)
			groupTokens += hasKind(draft, item, keptKinds) ? 0 : getTokens(draft, item);
		tokens += groupTokens;
		const isRecent = end - to < recentCount && tokens <= recentBudget;
		if (start < end && tokens > budget && !isRecent) break;
		// A tail may begin at any group that does not start with a result.
		if (!hasKind(draft, from, itemKind.result)) start = from;
	}
	return start;
}

/** Returns the item after the prepared summary if a tail from that item has at most `maxTokens`. O(visible). */
function findStartAfterSummary(draft: Draft, maxTokens: number, end: Seq | undefined): Item | undefined {
	if (end === undefined) return undefined;
	const start = draft.firstSeqs.findIndex((from) => from >= end);
	if (start <= 0 || continuesBatch(draft, start) || hasKind(draft, start, itemKind.result)) return undefined;
	let tokens = 0;
	for (let item = start; item < draft.view.length; item++) {
		if (!hasKind(draft, item, keptKinds)) tokens += getTokens(draft, item);
	}
	return tokens <= maxTokens ? start : undefined;
}

/** Returns the items before `end`, without groups that contain an item of `keptKinds`. */
function selectSummarizableBefore(draft: Draft, end: Item): Item[] {
	const isKept = new Uint8Array(end);
	for (const item of [...draft.protectedItems, ...draft.truncateOnlyItems]) {
		if (item >= end || isKept[item]) continue;
		let from = item;
		while (continuesBatch(draft, from)) from--;
		let to = item + 1;
		while (to < end && continuesBatch(draft, to)) to++;
		isKept.fill(1, from, to);
	}
	return selectItems(draft, (item) => isKept[item] === 0);
}

/** Returns all items that are not in `items`, in order. `items` must be in order too. */
export function selectItemsOutside(draft: Draft, items: readonly Item[]): Item[] {
	let next = 0;
	return selectItems(draft, (item) => {
		const isInside = items[next] === item;
		if (isInside) next++;
		return !isInside;
	});
}

/**
 * Returns the original rows that a summary of these items replaces, in order: the items' rows, and the rows that
 * older summaries and markers replaced. Omits rows that stay visible.
 */
function findOriginalRows(
	draft: Draft,
	items: readonly Item[],
	visible: readonly Item[],
	listHidden: PlanInput['listHidden'],
): Row[] {
	const { rows, firstSeqs } = draft;
	/** 1 for each row that is replaced. */
	const isReplaced = new Uint8Array(rows.length);
	items.forEach((item) => {
		if (hasKind(draft, item, itemKind.oneRow)) isReplaced[firstSeqs[item] ?? 0] = 1;
		else for (const { seq } of listHidden(getUnit(draft, item))) isReplaced[seq] = 1;
	});
	for (const item of visible) isReplaced[firstSeqs[item] ?? 0] = 0;
	return rows.filter((_, seq) => isReplaced[seq] === 1);
}

/** Returns the newest summary among the hidden items, and whether it covers a row. */
function findPreviousSummary(
	draft: Draft,
	listHidden: PlanInput['listHidden'],
): SummaryTask['previousSummary'] {
	const item = draft.multiRowItems.findLast(
		(one) => getUnit(draft, one).row.made === 'summary' && draft.hiddenBy[one] === hidingStages.summarize,
	);
	if (item === undefined) return undefined;
	const unit = getUnit(draft, item);
	const coveredSeqs = new Set(listHidden(unit).map(({ seq }) => seq));
	return { row: unit.row, covers: (seq) => coveredSeqs.has(seq) };
}

/** Returns the first row of the turn that a split after `last` divides; undefined for a split between turns. */
function findTurnPrefix(draft: Draft, last: Item): Seq | undefined {
	// A message that an agent injected does not begin a turn.
	const beginsTurn = (item: Item): boolean =>
		hasKind(draft, item, itemKind.fromUser) && !getUnit(draft, item).row.injected;
	if (last + 1 >= draft.view.length || beginsTurn(last + 1)) return undefined;
	for (let item = last; item >= 0; item--) if (beginsTurn(item)) return draft.firstSeqs[item];
	return undefined;
}

/** Wraps a summary's text in tags, which the text cannot close. */
function wrapInTags(text: string): string {
	const harmless = text.replace(/<(\/?)condensed-summary/gi, '<$1 condensed-summary');
	return `<condensed-summary>\n${harmless}\n</condensed-summary>`;
}

/** Matches ids of models that show their reasoning: the families of DeepSeek. */
const reasoningModelPattern = /deep-?seek/i;

/** Whether a model accepts a summary only with a reasoning block before it. */
export function requiresReasoningBlock(model: string): boolean {
	return reasoningModelPattern.test(model);
}

/** Returns the reasoning block before a summary of `messageCount` messages. Tags in the prefix cannot end the block. */
function createReasoningBlock({ prefix, at }: Thinking, messageCount: number): string {
	const facts = [
		`- ${messageCount} earlier ${messageCount === 1 ? 'message is' : 'messages are'} replaced by the summary that follows`,
		...(at === undefined ? [] : [`- summarized at ${new Date(at).toISOString()}`]),
	];
	const harmless = prefix.replace(/<(\/?)thinking/gi, '<$1 thinking');
	return [
		'<thinking>',
		...(harmless === '' ? [] : [harmless, '']),
		'Context Analysis:',
		...facts,
		'</thinking>',
	].join('\n');
}

/** Returns the message of a summary that replaces `messageCount` messages. */
function createSummaryMessage(
	{ policy, ids, thinking }: PlanInput,
	messageCount: number,
	{ text, metadata: more }: SummaryText,
): IdentifiedMessage {
	const content = policy.hasTags ? wrapInTags(text) : text;
	const metadata = { ...more, isSummary: true, truncated: true };
	if (thinking === undefined) return { id: ids.summary, role: 'user', content, metadata };
	const reasoning = { type: 'reasoning', text: createReasoningBlock(thinking, messageCount) } as const;
	return {
		id: ids.summary,
		role: 'assistant',
		content: [reasoning, { type: 'text', text: content }],
		metadata,
	};
}

/** Returns the remaining text of shortened items, by row. Omits duplicates: another message shows their text. */
function collectShortenedTexts({ replacements, firstSeqs }: Draft, items: readonly Item[]): Map<Seq, string> {
	const texts = new Map<Seq, string>();
	for (const item of items) {
		const replacement = replacements.get(item);
		if (replacement && replacement.stage !== 'deduplicate')
			texts.set(firstSeqs[item] ?? 0, joinMessageText(replacement.message));
	}
	return texts;
}

/**
 * Replaces items by their summary. Leaves the draft unchanged and reports the reason if there is nothing to replace,
 * no summarizer, no saving, or no budget for a useful summary.
 */
export async function summarizeRange(
	draft: Draft,
	items: readonly Item[],
	input: PlanInput,
): Promise<StageReport> {
	for (const item of items) hideItem(draft, item, 'summarize');
	const report = await summarizeHidden(draft, items, input);
	if (!draft.rangeReplacements.summarize) for (const item of items) unhideItem(draft, item);
	return report;
}

async function summarizeHidden(draft: Draft, items: readonly Item[], input: PlanInput): Promise<StageReport> {
	const { policy, effects, listHidden, summarize } = input;
	const [first] = items;
	const last = items.at(-1);
	if (first === undefined || last === undefined) return { reason: 'nothing to replace' };
	const start = getUnit(draft, first).from;
	const replacedTokens = items.reduce((sum, item) => sum + (draft.tokensBefore[item] ?? 0), 0);
	const maxTokens = replacedTokens * policy.maxGrowthRatio;
	const weight = Math.max(findWeightAt(draft, start), minTokenWeight);
	const framingTokens = effects.countMessage(createSummaryMessage(input, items.length, { text: '' })).text;
	const budgetTokens =
		Math.min(maxSummaryTokens, Math.min(draft.target - draft.tokens, maxTokens) / weight) - framingTokens;
	if (budgetTokens < tuning.target.minSummaryTokens)
		return reportNoSummary('NO_TOKEN_BUDGET', 'no summary would be smaller than what it replaces');
	await effects.pause();
	const visible = selectItemsOutside(draft, items);
	const rows = findOriginalRows(draft, items, visible, listHidden);
	await effects.pause();
	const summary = await summarize({
		rows,
		previousSummary: findPreviousSummary(draft, listHidden),
		visible: visible.map((item) => getOriginal(draft, item)),
		shortened: collectShortenedTexts(draft, visible),
		turnPrefix: findTurnPrefix(draft, last),
		replacedTokens: Math.round(replacedTokens / weight),
		maxTokens: Math.floor(budgetTokens),
		targetTokens: Math.floor(draft.target / weight),
		instructions: policy.instructions,
		headings: policy.headings,
	});
	const message = createSummaryMessage(input, items.length, summary);
	const counts = effects.countMessage(message);
	const tokens = weighCounts(draft, start, counts);
	if (summary.text !== '' && tokens < maxTokens) {
		draft.tokens += tokens;
		draft.rangeReplacements.summarize = { stage: 'summarize', message, counts, made: 'summary' };
		draft.isTailExtensible =
			summary.by === 'extract' && policy.keepRecentRatio === defaultTail.keepRecentRatio;
		return {};
	}
	const { failure } = summary;
	if (failure) return { reason: `${failure.code}: ${failure.message}`, failure };
	return reportNoSummary('CONTEXT_GROWTH', 'no summary would be smaller than what it replaces');
}

/** If a tail would leave too few tokens for a summary, shortens the tail's results, then its largest messages. */
async function shortenTail(draft: Draft, summarized: readonly Item[], input: PlanInput): Promise<void> {
	const { policy, effects } = input;
	const tail = selectItemsOutside(draft, summarized);
	const excessTokens = sumTokens(draft, tail) - (draft.protectedTokens + computeMaxTailTokens(draft, policy));
	if (excessTokens <= 0) return;
	const inTail = new Set(tail);
	const items = selectPrunableResults(draft, policy, 0).filter((item) => inTail.has(item));
	const target = draft.tokens - excessTokens;
	await pruneItems(draft, items, target, input);
	const maxTokens = draft.protectedTokens + tuning.tail.maxShare * (draft.target - draft.protectedTokens);
	if (sumTokens(draft, tail) <= maxTokens || !canCut(policy)) return;
	const smallUnread = selectSmallUnread(draft);
	const cuttable = tail.filter((item) => isCuttable(draft, item) && !smallUnread.has(item));
	await emergencyCut(draft, cuttable, target, effects);
}

export const summarizeStage: Stage = {
	name: 'summarize',
	applies: () => true,
	async run(draft, input) {
		const { policy, effects } = input;
		if (!policy.stages.summarize) return disabledReport;
		if (draft.tokens <= draft.target) return reportReached(draft, input);
		const items = await selectSummarizable(draft, policy, effects, input.summarizedTo);
		if (items.length === 0)
			return reportNoSummary('MIN_MESSAGES_NOT_MET', 'no messages before the kept ones');
		await effects.pause();
		if (policy.stages.prune) await shortenTail(draft, items, input);
		await effects.pause();
		return summarizeRange(draft, items, input);
	},
};
