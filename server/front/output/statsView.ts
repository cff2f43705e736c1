import { expiryText } from '../../core/cost/cacheExpiry.ts';
import { rewriteText } from '../../core/cost/compactionCost.ts';
import { compactionReasonText, dueReasonText, heldBackText } from '../../core/cost/policyText.ts';
import { savingsText } from '../../core/cost/savingsText.ts';
import { costText, numberText, percentText } from '../../core/figures.ts';
import { agentLabel, pluginAgentOf } from '../../core/transcript/agents.ts';
import type { ContextStats } from '../../protocol/stats.ts';
import { renderStackedBar, shareBar } from './bar.ts';
import { countWithUnit, shareText } from './figures.ts';
import type { Labels } from './labels.ts';
import { clipLine, type Line, span, wrapLine } from './line.ts';
import { figureCell, messageCells } from './messageRow.ts';
import { printableText } from './printable.ts';
import { displayWidth, padEnd, padStart } from './width.ts';
import { rankCategories, sourceWords, stateTones, windowSourceTexts } from './words.ts';

/** The size of the output. */
export interface Canvas {
	/** Columns of the terminal. */
	columns: number;
}

/** Usage above which the report mentions it. */
const noticeRatio = 0.6;
const widestBar = 60;
const shareBarWidth = 24;

/**
 * The lines about a nearly full window, in NeuroLink's words ("CLI Session Warnings").
 *
 * Gray above 60%, yellow from the threshold on. Only a session that a plugin feeds announces a compaction: files are not
 * compacted automatically.
 */
export function usageNotice(stats: ContextStats): Line[] {
	const { usageRatio, estimatedInputTokens, availableInputTokens, limit, agent } = stats;
	if (stats.shouldCompact && limit.compacts === 'contextd') {
		const figures = `${numberText(estimatedInputTokens)} / ${numberText(availableInputTokens)} tokens available`;
		const promise: Line = [span('Auto-compaction will trigger to preserve conversation quality.', 'yellow')];
		return [
			[span(`Context usage: ${percentText(usageRatio)} of window (${figures})`, 'yellow')],
			...(agent === undefined ? [] : [promise]),
		];
	}
	if (usageRatio <= noticeRatio) return [];
	return [[span(`Context: ${percentText(usageRatio)} of window used`, 'gray')]];
}

/** How full the window is, with a tilde if its size is a guess. */
export function ratioText({ usageRatio, limit }: ContextStats): string {
	return `${limit.of === 'guess' ? '~' : ''}${percentText(usageRatio)}`;
}

/** The bar with its percentage, in the state's tone. */
export function meterLine(stats: ContextStats, { columns }: Canvas): Line {
	const tone = stateTones[stats.state];
	const figure = `${ratioText(stats)} ${stats.state}`;
	const width = Math.min(widestBar, columns - figure.length - 3);
	if (width < 8) return [span(figure, tone)];
	const segments = rankCategories(stats).map(({ tokens, tone }) => ({ size: tokens, tone }));
	const bar = renderStackedBar(segments, stats.availableInputTokens, width, stats.thresholds.compact);
	return [...bar, span('  '), span(figure, tone)];
}

/** Tokens used, available and free, and who compacts. */
export function remainingLine(stats: ContextStats): Line {
	const { estimatedInputTokens: used, availableInputTokens: available } = stats;
	const left = available - used;
	const isForeign = stats.limit.compacts !== 'contextd' && stats.agent !== undefined;
	const beyond = isForeign ? `${numberText(-left)} beyond` : `${numberText(-left)} too many`;
	const rest = left >= 0 ? `${numberText(left)} free` : beyond;
	return [
		span(numberText(used), 'bold'),
		span(` of ${numberText(available)} tokens`),
		span(` · ${rest}${compactionWord(stats)}`, 'gray'),
	];
}

/** Who compacts, and at which level. */
function compactionWord(stats: ContextStats): string {
	const { limit, agent, availableInputTokens, thresholds, decision } = stats;
	if (limit.compacts === 'nobody') return '';
	if (limit.compacts === 'contextd') {
		const due = numberText(availableInputTokens * thresholds.compact);
		const share = percentText(thresholds.compact);
		const dueReason = dueReasonText(decision);
		const reason = heldBackText(stats) ?? (dueReason && `next request compacted: ${dueReason}`);
		return ` · compacts at ${due} (${share})${reason === undefined ? '' : `, ${reason}`}`;
	}
	return ` · ${agent === undefined ? 'its agent' : agentLabel(agent)} compacts at ${numberText(availableInputTokens)}`;
}

function factLine(name: string, fact: string): Line {
	return [span(padEnd(name, 10), 'gray'), span(fact)];
}

function modelFact({ provider, model }: ContextStats): string {
	const name = printableText([provider, model].filter((part) => part !== '').join(' / '));
	return model === '' ? `${name} (assumed; set them with --provider and --model)` : name;
}

function countedFact({ source, estimator }: ContextStats): string {
	return source === 'reported' ? sourceWords.reported : `${sourceWords[source]} (${estimator})`;
}

/** Returns the agent, and the session of its plugin, if the figures describe what the plugin sends. */
function agentFact(agent: string, { sessionId }: ContextStats): string {
	if (pluginAgentOf(sessionId) === undefined) return agent;
	return `${agent}, with contextd's plugin (session ${printableText(sessionId)})`;
}

/** Why the newest compaction was made, and what it cost at the provider; nothing if it is undone. */
function compactionFacts({ lastCompaction, usdPerMillion }: ContextStats): Line[] {
	if (lastCompaction?.undone) return [];
	const { decision } = lastCompaction ?? {};
	const rewrite = rewriteText(lastCompaction?.cache, numberText, usdPerMillion);
	return [
		...(decision === undefined ? [] : [factLine('Compacted', `because ${compactionReasonText(decision)}`)]),
		...(rewrite === undefined ? [] : [factLine('Cache', rewrite)]),
	];
}

/** What the session cost, what its compactions saved, and what it costs if the cache expires. */
function moneyFacts({ cost, savings, cache }: ContextStats, now: number): Line[] {
	const saved = savingsText(savings, now);
	return [
		...(cost === undefined ? [] : [factLine('Cost', `${costText(cost.tokens, cost.usd)} so far`)]),
		...(saved === undefined ? [] : [factLine('Savings', saved)]),
		...(cache === undefined || cache.coldCostTokens === 0
			? []
			: [factLine('Next', `${expiryText(cache, now)} more for the next request`)]),
	];
}

function factLines(stats: ContextStats, now: number): Line[] {
	const isSupposed = stats.limit.of === 'guess' && stats.agent !== undefined;
	const windowWord = isSupposed
		? 'a guess; set it with --window'
		: windowSourceTexts[stats.contextWindowSource];
	const purpose = stats.limit.compacts === 'agent' ? 'as its auto-compact buffer' : 'for the answer';
	const whole = `${numberText(stats.contextWindow)} tokens`;
	const window =
		stats.outputReserve > 0
			? `${whole}, ${numberText(stats.outputReserve)} of them reserved ${purpose}`
			: whole;
	return [
		...(stats.agent === undefined ? [] : [factLine('Agent', agentFact(stats.agent, stats))]),
		factLine('Model', modelFact(stats)),
		factLine('Window', windowWord ? `${window} (${windowWord})` : window),
		factLine('Messages', numberText(stats.messageCount)),
		factLine('Counted', countedFact(stats)),
		...compactionFacts(stats),
		...moneyFacts(stats, now),
	];
}

/** The title above the categories, with the estimator if they are an estimate. */
function fillsTitle({ headEstimator }: ContextStats): Line {
	const title = span('What fills it', 'bold');
	return headEstimator ? [title, span(` · ${headEstimator}, within the provider's figure`, 'gray')] : [title];
}

/** Each category with its tokens, share and bar. */
export function categoryLines(stats: ContextStats, { columns }: Canvas): Line[] {
	const categories = rankCategories(stats);
	const labelWidth = Math.max(...categories.map(({ label }) => displayWidth(label)));
	const figureWidth = Math.max(...categories.map(({ tokens }) => numberText(tokens).length));
	const largest = Math.max(...categories.map(({ tokens }) => tokens));
	const barWidth = Math.min(shareBarWidth, columns - labelWidth - figureWidth - 13);
	return categories.map(({ label, tokens, tone }) => [
		span('■ ', tone),
		span(padEnd(label, labelWidth)),
		span(`  ${padStart(numberText(tokens), figureWidth)}`),
		span(`  ${padStart(shareText(tokens, stats.estimatedInputTokens), 4)}  `, 'gray'),
		...(barWidth >= 4 ? [shareBar(tokens, largest, barWidth, tone)] : []),
	]);
}

function largestLines(
	{ largest, estimatedInputTokens }: ContextStats,
	labels: Labels,
	{ columns }: Canvas,
): Line[] {
	const figureWidth = Math.max(...largest.map(({ tokens }) => numberText(tokens).length));
	return largest.map((message) => [
		figureCell(numberText(message.tokens), figureWidth),
		figureCell(shareText(message.tokens, estimatedInputTokens), 4, 'gray'),
		...messageCells(message, labels.get(message.messageId), columns - figureWidth - 8),
	]);
}

function staleLine({ staleReads }: ContextStats): Line[] {
	if (staleReads.length === 0) return [];
	return [
		[],
		[span(`${countWithUnit(staleReads.length, 'file read')} outdated: the file has changed since`, 'yellow')],
	];
}

/**
 * The report on how full a window is.
 *
 * @param now milliseconds since the epoch
 */
export function statsView(stats: ContextStats, labels: Labels, canvas: Canvas, now = Date.now()): Line[] {
	const tables = [
		[],
		fillsTitle(stats),
		...categoryLines(stats, canvas),
		[],
		[span('Largest messages', 'bold')],
		...largestLines(stats, labels, canvas),
	];
	const wrapped = [remainingLine(stats), [], ...factLines(stats, now)].flatMap((line) =>
		wrapLine(line, canvas.columns),
	);
	return [
		meterLine(stats, canvas),
		...wrapped,
		...tables.map((line) => clipLine(line, canvas.columns)),
		...staleLine(stats),
	];
}
