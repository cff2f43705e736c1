import { formatExpiry } from '../../core/cost/cacheExpiry.ts';
import { describeRewrite } from '../../core/cost/compactionCost.ts';
import { explainCompaction, explainDue, explainWait, formatSavings } from '../../core/cost/costTexts.ts';
import { formatCost, formatCount, formatNumber, formatPercent, formatShare } from '../../core/figures.ts';
import { findAgentLabel, findPluginAgent } from '../../core/transcript/index.ts';
import type { ContextStats } from '../../protocol/stats.ts';
import { renderShareBar, renderStackedBar } from './bar.ts';
import { rankCategories, sourceLabels, stateTones, windowSourceLabels } from './categories.ts';
import type { MessageLabels } from './labels.ts';
import { clipLine, type Line, span, wrapLine } from './line.ts';
import { renderFigureCell, renderMessageCells } from './messageRow.ts';
import { makePrintable } from './printable.ts';
import { measureWidth, padEnd, padStart } from './width.ts';

/** Usage ratio above which `renderUsageNotice` returns a line. */
const noticeRatio = 0.6;
const maxBarColumns = 60;
const shareBarColumns = 24;

/**
 * Returns lines about a nearly full window, in NeuroLink's words ("CLI Session Warnings"): gray above 60%, yellow
 * from the threshold on. A compaction is announced only for a session with an agent's plugin, because contextd compacts
 * no other sessions on its own.
 */
export function renderUsageNotice(stats: ContextStats): Line[] {
	const { usageRatio, estimatedInputTokens, availableInputTokens, limit, agent } = stats;
	if (stats.shouldCompact && limit.compacts === 'contextd') {
		const figures = `${formatNumber(estimatedInputTokens)} / ${formatNumber(availableInputTokens)} tokens available`;
		const notice: Line = [span('Auto-compaction will trigger to preserve conversation quality.', 'yellow')];
		return [
			[span(`Context usage: ${formatPercent(usageRatio)} of window (${figures})`, 'yellow')],
			...(agent === undefined ? [] : [notice]),
		];
	}
	if (usageRatio <= noticeRatio) return [];
	return [[span(`Context: ${formatPercent(usageRatio)} of window used`, 'gray')]];
}

/** Formats how full the window is, with a tilde if its size is a guess. */
export function formatRatio({ usageRatio, limit }: ContextStats): string {
	return `${limit.of === 'guess' ? '~' : ''}${formatPercent(usageRatio)}`;
}

/** Renders the bar with its percentage, in the state's tone. */
export function renderMeter(stats: ContextStats, columns: number): Line {
	const stateTone = stateTones[stats.state];
	const figure = `${formatRatio(stats)} ${stats.state}`;
	const width = Math.min(maxBarColumns, columns - figure.length - 3);
	if (width < 8) return [span(figure, stateTone)];
	const segments = rankCategories(stats).map(({ tokens, tone }) => ({ size: tokens, tone }));
	const bar = renderStackedBar(segments, stats.availableInputTokens, width, stats.thresholds.compact);
	return [...bar, span('  '), span(figure, stateTone)];
}

/** Renders the tokens used, available and free, and who compacts. */
export function renderRemainingTokens(stats: ContextStats): Line {
	const { estimatedInputTokens: used, availableInputTokens: available } = stats;
	const remaining = available - used;
	const isForeign = stats.limit.compacts !== 'contextd' && stats.agent !== undefined;
	const beyond = isForeign ? `${formatNumber(-remaining)} beyond` : `${formatNumber(-remaining)} too many`;
	const remainingText = remaining >= 0 ? `${formatNumber(remaining)} free` : beyond;
	return [
		span(formatNumber(used), 'bold'),
		span(` of ${formatNumber(available)} tokens`),
		span(` · ${remainingText}${describeCompactor(stats)}`, 'gray'),
	];
}

/** Describes who compacts, and at which size. */
function describeCompactor(stats: ContextStats): string {
	const { limit, agent, availableInputTokens, thresholds, decision } = stats;
	if (limit.compacts === 'nobody') return '';
	if (limit.compacts === 'contextd') {
		const dueTokens = formatNumber(availableInputTokens * thresholds.compact);
		const share = formatPercent(thresholds.compact);
		const dueReason = explainDue(decision);
		const reason = explainWait(stats) ?? (dueReason && `next request compacted: ${dueReason}`);
		return ` · compacts at ${dueTokens} (${share})${reason === undefined ? '' : `, ${reason}`}`;
	}
	return ` · ${agent === undefined ? 'its agent' : findAgentLabel(agent)} compacts at ${formatNumber(availableInputTokens)}`;
}

function renderFact(name: string, fact: string): Line {
	return [span(padEnd(name, 10), 'gray'), span(fact)];
}

function describeModel({ provider, model }: ContextStats): string {
	const name = makePrintable([provider, model].filter((part) => part !== '').join(' / '));
	return model === '' ? `${name} (assumed; set them with --provider and --model)` : name;
}

function describeCounting({ source, estimator }: ContextStats): string {
	return source === 'reported' ? sourceLabels.reported : `${sourceLabels[source]} (${estimator})`;
}

/** Returns the agent's name, followed by the session's id if the agent's plugin sends the session. */
function describeAgent(agent: string, { sessionId }: ContextStats): string {
	if (findPluginAgent(sessionId) === undefined) return agent;
	return `${agent}, with contextd's plugin (session ${makePrintable(sessionId)})`;
}

/** Renders why the newest compaction was made, and what it cost at the provider; nothing if it is undone. */
function renderCompactionFacts({ lastCompaction, usdPerMillion }: ContextStats): Line[] {
	if (lastCompaction?.undone) return [];
	const { decision } = lastCompaction ?? {};
	const rewrite = describeRewrite(lastCompaction?.cache, usdPerMillion);
	return [
		...(decision === undefined ? [] : [renderFact('Compacted', `because ${explainCompaction(decision)}`)]),
		...(rewrite === undefined ? [] : [renderFact('Cache', rewrite)]),
	];
}

/** Renders what the session cost, what its compactions saved, and what it costs if the cache expires. */
function renderMoneyFacts({ cost, savings, cache }: ContextStats, now: number): Line[] {
	const savingsText = formatSavings(savings, now);
	return [
		...(cost === undefined ? [] : [renderFact('Cost', `${formatCost(cost.tokens, cost.usd)} so far`)]),
		...(savingsText === undefined ? [] : [renderFact('Savings', savingsText)]),
		...(cache === undefined || cache.coldCostTokens === 0
			? []
			: [renderFact('Next', `${formatExpiry(cache, now)} more for the next request`)]),
	];
}

function renderFacts(stats: ContextStats, now: number): Line[] {
	const isWindowAssumed = stats.limit.of === 'guess' && stats.agent !== undefined;
	const windowWord = isWindowAssumed
		? 'a guess; set it with --window'
		: windowSourceLabels[stats.contextWindowSource];
	const purpose = stats.limit.compacts === 'agent' ? 'as its auto-compact buffer' : 'for the answer';
	const windowText = `${formatNumber(stats.contextWindow)} tokens`;
	const window =
		stats.outputReserve > 0
			? `${windowText}, ${formatNumber(stats.outputReserve)} of them reserved ${purpose}`
			: windowText;
	return [
		...(stats.agent === undefined ? [] : [renderFact('Agent', describeAgent(stats.agent, stats))]),
		renderFact('Model', describeModel(stats)),
		renderFact('Window', windowWord ? `${window} (${windowWord})` : window),
		renderFact('Messages', formatNumber(stats.messageCount)),
		renderFact('Counted', describeCounting(stats)),
		...renderCompactionFacts(stats),
		...renderMoneyFacts(stats, now),
	];
}

/** Renders the title above the categories, with the name of the estimator if their tokens are estimated. */
function renderCategoriesTitle({ headEstimator }: ContextStats): Line {
	const title = span('What fills it', 'bold');
	return headEstimator ? [title, span(` · ${headEstimator}, within the provider's figure`, 'gray')] : [title];
}

/** Renders each category with its tokens, share and bar. */
export function renderCategories(stats: ContextStats, columns: number): Line[] {
	const categories = rankCategories(stats);
	const labelWidth = Math.max(...categories.map(({ label }) => measureWidth(label)));
	const figureWidth = Math.max(...categories.map(({ tokens }) => formatNumber(tokens).length));
	const largest = Math.max(...categories.map(({ tokens }) => tokens));
	const barWidth = Math.min(shareBarColumns, columns - labelWidth - figureWidth - 13);
	return categories.map(({ label, tokens, tone }) => [
		span('■ ', tone),
		span(padEnd(label, labelWidth)),
		span(`  ${padStart(formatNumber(tokens), figureWidth)}`),
		span(`  ${padStart(formatShare(tokens, stats.estimatedInputTokens), 4)}  `, 'gray'),
		...(barWidth >= 4 ? [renderShareBar(tokens, largest, barWidth, tone)] : []),
	]);
}

function renderLargest(
	{ largest, estimatedInputTokens }: ContextStats,
	labels: MessageLabels,
	columns: number,
): Line[] {
	const figureWidth = Math.max(...largest.map(({ tokens }) => formatNumber(tokens).length));
	return largest.map((message) => [
		renderFigureCell(formatNumber(message.tokens), figureWidth),
		renderFigureCell(formatShare(message.tokens, estimatedInputTokens), 4, 'gray'),
		...renderMessageCells(message, labels.get(message.messageId), columns - figureWidth - 8),
	]);
}

function renderStaleReads({ staleReads }: ContextStats): Line[] {
	if (staleReads.length === 0) return [];
	return [
		[],
		[span(`${formatCount(staleReads.length, 'file read')} outdated: the file has changed since`, 'yellow')],
	];
}

/**
 * Renders the report on how full a window is.
 *
 * @param now milliseconds since the epoch
 */
export function renderStats(
	stats: ContextStats,
	labels: MessageLabels,
	columns: number,
	now = Date.now(),
): Line[] {
	const tables = [
		[],
		renderCategoriesTitle(stats),
		...renderCategories(stats, columns),
		[],
		[span('Largest messages', 'bold')],
		...renderLargest(stats, labels, columns),
	];
	const wrapped = [renderRemainingTokens(stats), [], ...renderFacts(stats, now)].flatMap((line) =>
		wrapLine(line, columns),
	);
	return [
		renderMeter(stats, columns),
		...wrapped,
		...tables.map((line) => clipLine(line, columns)),
		...renderStaleReads(stats),
	];
}
