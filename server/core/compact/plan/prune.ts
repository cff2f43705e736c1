/**
 * Stage "prune": shrinks large and old tool results to their best lines and a placeholder, or to the placeholder alone if
 * the target requires it. Only until the target is reached.
 */

import { truncateWithEllipsis } from '../../analysis/text/quote.ts';
import type { Seq } from '../../history/record.ts';
import type { Row } from '../../history/row.ts';
import { getMessageText } from '../../history/text.ts';
import { replaceDataUrls } from '../../measure/embeddedImages.ts';
import { createToolMatcher } from '../../models/glob.ts';
import { keepLeadingLines } from '../../output/shortenResult.ts';
import {
	type Draft,
	findWeightAt,
	getOriginal,
	getTokens,
	getUnit,
	hasKind,
	type Item,
	isHidden,
	isProtected,
	itemKind,
	selectSmallUnread,
	shortenItem,
	sumTokens,
} from '../draft.ts';
import { createClearedNote, shortenContent } from '../placeholders.ts';
import type { Policy } from '../policy.ts';
import { disabledReport, type PlanInput, reportReached, type Stage, type StageReport } from '../stage.ts';
import { tuning, workLimits } from '../tuning.ts';
import { describeOutcomes } from './resultOutcome.ts';

/** Generous estimate of a placeholder's raw tokens without its message id. */
const placeholderWordTokens = 30;
/** Minimum share of a result that is removed. Smaller cuts save little and leave gaps. */
const minRemovedShare = 0.2;
/** Halvings of the range in which the level of results is searched: exact to a millionth of the largest result. */
const levelRounds = 20;

/** Returns the estimated raw tokens of a result's placeholder. An id takes at most one token per character. */
function estimateNoteTokens({ id }: Row): number {
	return placeholderWordTokens + id.length;
}

/** Returns a filter for tools whose results may be pruned. */
function createPruningFilter(policy: Policy): (tool: string) => boolean {
	const isPrunableTool = createToolMatcher(policy.prunableTools);
	const isProtectedTool = createToolMatcher(policy.protectedTools);
	return (tool) => isPrunableTool(tool) && !isProtectedTool(tool);
}

function isCleared(draft: Draft, item: Item): boolean {
	return hasKind(draft, item, itemKind.fromDaemon) && getUnit(draft, item).row.made === 'cleared';
}

/**
 * Returns the prunable results from item `first` on, after the first user message, without the newest `protectTokens`
 * and small unread results. Oldest first.
 */
export function selectPrunableResults(
	draft: Draft,
	policy: Policy,
	protectTokens: number,
	first: Item = 0,
): Item[] {
	const items: Item[] = [];
	const firstOfUser = draft.kinds.findIndex((kinds) => (kinds & itemKind.fromUser) !== 0);
	const start = Math.max(firstOfUser, first - 1);
	const allows = createPruningFilter(policy);
	const smallUnread = selectSmallUnread(draft);
	let newestTokens = 0;
	for (let item = draft.view.length - 1; item > start; item--) {
		if (!hasKind(draft, item, itemKind.result) || isHidden(draft, item)) continue;
		if (!allows(getUnit(draft, item).row.tool ?? '')) continue;
		if (newestTokens < protectTokens) {
			newestTokens += getTokens(draft, item);
			// The newest output stays, unless it alone exceeds `protectTokens`.
			if (newestTokens <= protectTokens) continue;
		}
		if (isProtected(draft, item) || isCleared(draft, item) || smallUnread.has(item)) continue;
		items.push(item);
	}
	return items.reverse();
}

/** Lowers the share of its text that a result keeps, if more than `maxChars` UTF-16 units would remain. */
function limitShare(share: number, { chars }: Row, maxChars: number | undefined): number {
	return maxChars === undefined || share * chars <= maxChars ? share : maxChars / chars;
}

/** Returns an item's tokens with a placeholder and `share` of its text, without images. */
function estimateTokensAtShare(draft: Draft, item: Item, share: number, maxChars?: number): number {
	const weight = findWeightAt(draft, getUnit(draft, item).from);
	const original = getOriginal(draft, item);
	const keptTokens = limitShare(share, original, maxChars) * original.counts.text;
	return Math.min(getTokens(draft, item), weight * (estimateNoteTokens(original) + keptTokens));
}

/** Returns the share of its text at which an item takes `tokens` tokens. */
function computeShare(draft: Draft, item: Item, tokens: number): number {
	const weight = findWeightAt(draft, getUnit(draft, item).from);
	const original = getOriginal(draft, item);
	const { text } = original.counts;
	if (text === 0 || weight === 0) return 0;
	return Math.max(0, Math.min(1, (tokens / weight - estimateNoteTokens(original)) / text));
}

/** The tokens of a result, on the meter's scale. */
interface ResultTokens {
	item: Item;
	/** Its tokens with its whole text, without images. */
	whole: number;
	placeholder: number;
	/** Its limit as a share of the level of all results. */
	levelShare: number;
}

/** Returns the tokens that a result keeps at a level. A result that would lose only a small part stays whole. */
function computeTokensAtLevel({ whole, placeholder, levelShare }: ResultTokens, level: number): number {
	if (whole * (1 - minRemovedShare) <= levelShare * level) return whole;
	return Math.min(whole, Math.max(placeholder, levelShare * level));
}

/** Returns the highest level at which results take at most `maxTokens` together; 0 if there is none. */
function findLevel(results: readonly ResultTokens[], maxTokens: number): number {
	let low = 0;
	let high = results.reduce((highest, { whole, levelShare }) => Math.max(highest, whole / levelShare), 0);
	for (let round = 0; round < levelRounds; round++) {
		const level = (low + high) / 2;
		if (results.reduce((sum, one) => sum + computeTokensAtLevel(one, level), 0) <= maxTokens) low = level;
		else high = level;
	}
	return low;
}

/**
 * Returns the tokens that each result keeps, at most `maxTokens` together. Results above a common level shrink to it, so
 * huge results lose most and small ones stay whole. If the level would leave only a few lines of each, the oldest results
 * above it become placeholders instead. The newest results get the remaining tokens.
 */
function distributeTokens(results: readonly ResultTokens[], maxTokens: number): number[] {
	const level = findLevel(results, maxTokens);
	const { minLevelTokens } = tuning.prune;
	const isTight = level < minLevelTokens;
	const least = results.map((one) => {
		const tokens = computeTokensAtLevel(one, level);
		return isTight && tokens < one.whole ? one.placeholder : tokens;
	});
	let unusedTokens = least.reduce((rest, tokens) => rest - tokens, maxTokens);
	const kept = results.toReversed().map((one, index) => {
		const tokens = least.at(-1 - index) ?? 0;
		const most = isTight ? computeTokensAtLevel(one, minLevelTokens) : one.whole;
		const more = Math.max(0, Math.min(unusedTokens, most - tokens));
		unusedTokens -= more;
		return tokens + more;
	});
	return kept.reverse();
}

/** Assigns each item that must shrink the share of its text that it keeps. Images are dropped before any text is. */
function assignShares(
	draft: Draft,
	items: readonly Item[],
	target: number,
	{ maxChars, repeatedChecks }: { maxChars: number | undefined; repeatedChecks: ReadonlySet<Seq> },
): Map<Item, number> {
	const shares = new Map<Item, number>();
	const { oldestShare } = tuning.prune;
	let { tokens } = draft;
	const results = items.map((item, index): ResultTokens => {
		const whole = estimateTokensAtShare(draft, item, 1, maxChars);
		if (tokens > target && whole < getTokens(draft, item)) {
			shares.set(item, 1);
			tokens += whole - getTokens(draft, item);
		}
		const placeholder = estimateTokensAtShare(draft, item, 0);
		const share = oldestShare + (1 - oldestShare) * ((index + 1) / items.length);
		const isRepeated = repeatedChecks.has(getOriginal(draft, item).seq);
		return { item, whole, placeholder, levelShare: isRepeated ? share * oldestShare ** 2 : share };
	});
	if (tokens <= target) return shares;
	const wholeTokens = results.reduce((sum, { whole }) => sum + whole, 0);
	const kept = distributeTokens(results, wholeTokens - (tokens - target));
	for (const [index, { item, whole }] of results.entries()) {
		const keptTokens = kept[index] ?? whole;
		if (keptTokens < whole) shares.set(item, computeShare(draft, item, keptTokens));
	}
	return new Map([...shares].sort(([a], [b]) => a - b));
}

/** Returns the tokens that pruning all items to placeholders would save. */
function estimatePruneSaving(draft: Draft, items: readonly Item[]): number {
	return items.reduce((sum, item) => sum + getTokens(draft, item) - estimateTokensAtShare(draft, item, 0), 0);
}

/** Maximum length of the only line that a result keeps which the agent has not answered yet. UTF-16 units. */
const maxFirstLine = 120;

function firstLine(text: string, maxChars: number): string {
	return truncateWithEllipsis(text.trimStart().split('\n', 1).join(), Math.min(maxFirstLine, maxChars));
}

/** Shrinks items until the history has at most `target` tokens. */
export async function shrinkResults(
	draft: Draft,
	items: readonly Item[],
	target: number,
	input: Pick<PlanInput, 'effects' | 'bestLines' | 'describeKnownEnd' | 'policy'> & {
		repeatedChecks?: ReadonlySet<Seq>;
	},
): Promise<void> {
	const { effects, bestLines, describeKnownEnd, policy, repeatedChecks = new Set() } = input;
	const { maxResultChars } = policy;
	const maxChars = maxResultChars ?? Number.POSITIVE_INFINITY;
	const newestAnswer = draft.rows.findLastIndex(({ role }) => role === 'assistant');
	const shares = [...assignShares(draft, items, target, { maxChars: maxResultChars, repeatedChecks })];
	for (
		let position = 0;
		position < shares.length && draft.tokens > target;
		position += workLimits.resultsPerSlice
	) {
		const part = shares.slice(position, position + workLimits.resultsPerSlice);
		const originals = part.map(([item]) => getOriginal(draft, item));
		const messages = await effects.read(originals);
		const outcomes = await describeOutcomes(draft, originals, messages, { ...effects, describeKnownEnd });
		for (const [index, [item, share]] of part.entries()) {
			const [row, original] = [originals[index], messages[index]];
			if (draft.tokens <= target) break;
			if (!row || !original) continue;
			const { text: words, images } = row.counts;
			const keptShare = limitShare(share, row, maxResultChars);
			const text = replaceDataUrls(getMessageText(original));
			const chooseLines = (): string =>
				keptShare > 0 && text !== ''
					? keepLeadingLines(bestLines(row, original, keptShare * words), maxChars)
					: '';
			const isUnread = row.seq > newestAnswer;
			const lines = keptShare === 1 ? text : chooseLines() || (isUnread ? firstLine(text, maxChars) : '');
			const tokens = (words + images) * findWeightAt(draft, getUnit(draft, item).from);
			const note = createClearedNote(tokens, row.id, outcomes[index]);
			const message = shortenContent(original, lines === '' ? note : `${lines}\n${note}`);
			const counts = effects.countMessage(message);
			shortenItem(draft, item, {
				stage: 'prune',
				message,
				counts,
				made: lines === '' ? 'cleared' : 'shortened',
			});
		}
		await effects.pause();
	}
}

/** Maximum number of placeholders. Instead of more placeholders, the model gets a summary. */
const maxPlaceholders = 2000;

/** Prepares `bestLines`, then shrinks items until the history has at most `target` tokens. */
export async function pruneItems(
	draft: Draft,
	items: readonly Item[],
	target: number,
	input: PlanInput,
): Promise<void> {
	if (items.length === 0) return;
	const repeatedChecks = await input.prepareResults(input.view);
	await shrinkResults(draft, items, target, { ...input, repeatedChecks });
}

/** Returns a report if pruning would neither reach the target nor save enough. */
function reportSmallSaving(
	draft: Draft,
	items: readonly Item[],
	{ policy }: PlanInput,
): StageReport | undefined {
	const saving = Math.floor(estimatePruneSaving(draft, items));
	if (draft.tokens - saving <= draft.target || saving >= policy.minimumSavings) return undefined;
	return { reason: `pruning would save ${saving} tokens, less than ${policy.minimumSavings}` };
}

/** Prunes before the summary, but only if that makes the summary unnecessary. */
export const pruneStage: Stage = {
	name: 'prune',
	applies: () => true,
	async run(draft, input) {
		const { policy } = input;
		if (!policy.stages.prune) return disabledReport;
		if (draft.tokens <= draft.target) return reportReached(draft, input);
		const items = selectPrunableResults(draft, policy, policy.protectTokens);
		if (items.length === 0) {
			const newestResults = `the newest ${policy.protectTokens} tokens of results`;
			return { reason: `every tool result is protected or among ${newestResults}` };
		}
		await input.effects.pause();
		const canReach =
			// A cheap test before an exact estimate.
			draft.tokens - Math.ceil(sumTokens(draft, items)) <= draft.target &&
			draft.tokens - Math.floor(estimatePruneSaving(draft, items)) <= draft.target;
		if (policy.stages.summarize && !canReach) {
			return { reason: 'pruning would not reach the target; summarizing the whole results instead' };
		}
		if (policy.stages.summarize && items.length > maxPlaceholders) {
			return { reason: `pruning would leave ${items.length} placeholders; summarizing instead` };
		}
		const report = reportSmallSaving(draft, items, input);
		if (report) return report;
		await pruneItems(draft, items, draft.target, input);
		return {};
	},
};

/** Prunes the results that `pruneStage` left unchanged for a summary, if no summary was written. */
export const pruneFallbackStage: Stage = {
	name: 'prune',
	applies: (draft, { policy }) =>
		policy.stages.prune &&
		policy.stages.summarize &&
		draft.rangeReplacements.summarize === undefined &&
		draft.tokens > draft.target,
	async run(draft, input) {
		const items = selectPrunableResults(draft, input.policy, input.policy.protectTokens);
		const report = reportSmallSaving(draft, items, input);
		if (report) return report;
		await pruneItems(draft, items, draft.target, input);
		return {};
	},
};
