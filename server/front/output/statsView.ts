import { formatExpiry } from '../../core/cost/cacheExpiry.ts';
import { describeRewrite } from '../../core/cost/compactionCost.ts';
import { explainCompaction, explainDueCompaction, explainWait } from '../../core/cost/policyText.ts';
import { formatSavings } from '../../core/cost/savingsText.ts';
import { formatCost, formatNumber, formatPercent } from '../../core/figures.ts';
import { findAgentLabel, findPluginAgent } from '../../core/transcript/agents.ts';
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
		const figures = `${formatNumber(estimatedInputTokens)} / ${formatNumber(availableInputTokens)} tokens available`;
		const promise: Line = [span('Auto-compaction will trigger to preserve conversation quality.', 'yellow')];
		return [
			[span(`Context usage: ${formatPercent(usageRatio)} of window (${figures})`, 'yellow')],
			...(agent === undefined ? [] : [promise]),
		];
	}
	if (usageRatio <= noticeRatio) return [];
	return [[span(`Context: ${formatPercent(usageRatio)} of window used`, 'gray')]];
}

/** How full the window is, with a tilde if its size is a guess. */
export function ratioText({ usageRatio, limit }: ContextStats): string {
	return `${limit.of === 'guess' ? '~' : ''}${formatPercent(usageRatio)}`;
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
	const beyond = isForeign ? `${formatNumber(-left)} beyond` : `${formatNumber(-left)} too many`;
	const rest = left >= 0 ? `${formatNumber(left)} free` : beyond;
	return [
		span(formatNumber(used), 'bold'),
		span(` of ${formatNumber(available)} tokens`),
		span(` · ${rest}${compactionWord(stats)}`, 'gray'),
	];
}

/** Who compacts, and at which level. */
function compactionWord(stats: ContextStats): string {
	const { limit, agent, availableInputTokens, thresholds, decision } = stats;
	if (limit.compacts === 'nobody') return '';
	if (limit.compacts === 'contextd') {
		const due = formatNumber(availableInputTokens * thresholds.compact);
		const share = formatPercent(thresholds.compact);
		const dueReason = explainDueCompaction(decision);
		const reason = explainWait(stats) ?? (dueReason && `next request compacted: ${dueReason}`);
		return ` · compacts at ${due} (${share})${reason === undefined ? '' : `, ${reason}`}`;
	}
	return ` · ${agent === undefined ? 'its agent' : findAgentLabel(agent)} compacts at ${formatNumber(availableInputTokens)}`;
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
	if (findPluginAgent(sessionId) === undefined) return agent;
	return `${agent}, with contextd's plugin (session ${printableText(sessionId)})`;
}

/** Why the newest compaction was made, and what it cost at the provider; nothing if it is undone. */
function compactionFacts({ lastCompaction, usdPerMillion }: ContextStats): Line[] {
	if (lastCompaction?.undone) return [];
	const { decision } = lastCompaction ?? {};
	const rewrite = describeRewrite(lastCompaction?.cache, formatNumber, usdPerMillion);
	return [
		...(decision === undefined ? [] : [factLine('Compacted', `because ${explainCompaction(decision)}`)]),
		...(rewrite === undefined ? [] : [factLine('Cache', rewrite)]),
	];
}

/** What the session cost, what its compactions saved, and what it costs if the cache expires. */
function moneyFacts({ cost, savings, cache }: ContextStats, now: number): Line[] {
	const saved = formatSavings(savings, now);
	return [
		...(cost === undefined ? [] : [factLine('Cost', `${formatCost(cost.tokens, cost.usd)} so far`)]),
		...(saved === undefined ? [] : [factLine('Savings', saved)]),
		...(cache === undefined || cache.coldCostTokens === 0
			? []
			: [factLine('Next', `${formatExpiry(cache, now)} more for the next request`)]),
	];
}

function factLines(stats: ContextStats, now: number): Line[] {
	const isSupposed = stats.limit.of === 'guess' && stats.agent !== undefined;
	const windowWord = isSupposed
		? 'a guess; set it with --window'
		: windowSourceTexts[stats.contextWindowSource];
	const purpose = stats.limit.compacts === 'agent' ? 'as its auto-compact buffer' : 'for the answer';
	const whole = `${formatNumber(stats.contextWindow)} tokens`;
	const window =
		stats.outputReserve > 0
			? `${whole}, ${formatNumber(stats.outputReserve)} of them reserved ${purpose}`
			: whole;
	return [
		...(stats.agent === undefined ? [] : [factLine('Agent', agentFact(stats.agent, stats))]),
		factLine('Model', modelFact(stats)),
		factLine('Window', windowWord ? `${window} (${windowWord})` : window),
		factLine('Messages', formatNumber(stats.messageCount)),
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
	const figureWidth = Math.max(...categories.map(({ tokens }) => formatNumber(tokens).length));
	const largest = Math.max(...categories.map(({ tokens }) => tokens));
	const barWidth = Math.min(shareBarWidth, columns - labelWidth - figureWidth - 13);
	return categories.map(({ label, tokens, tone }) => [
		span('■ ', tone),
		span(padEnd(label, labelWidth)),
		span(`  ${padStart(formatNumber(tokens), figureWidth)}`),
		span(`  ${padStart(shareText(tokens, stats.estimatedInputTokens), 4)}  `, 'gray'),
		...(barWidth >= 4 ? [shareBar(tokens, largest, barWidth, tone)] : []),
	]);
}

function largestLines(
	{ largest, estimatedInputTokens }: ContextStats,
	labels: Labels,
	{ columns }: Canvas,
): Line[] {
	const figureWidth = Math.max(...largest.map(({ tokens }) => formatNumber(tokens).length));
	return largest.map((message) => [
		figureCell(formatNumber(message.tokens), figureWidth),
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
