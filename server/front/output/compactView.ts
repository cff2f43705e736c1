import { describeRewrite } from '../../core/cost/compactionCost.ts';
import { formatCount, formatNumber, formatPercent } from '../../core/figures.ts';
import type { CompactResult, StageOutcome } from '../../protocol/compact.ts';
import type { RemovedMessage } from '../../protocol/compaction.ts';
import type { ContextStats } from '../../protocol/stats.ts';
import { renderStackedBar } from './bar.ts';
import { stateTones } from './categories.ts';
import type { MessageLabels } from './labels.ts';
import { clipLine, type Line, span } from './line.ts';
import { renderFigureCell, renderMessageCells } from './messageRow.ts';
import { makePrintable } from './printable.ts';
import { renderSummaryPreview } from './summaryView.ts';
import { padEnd } from './width.ts';

/** A compaction, with the stats before and after it. */
export interface MeasuredCompaction {
	result: CompactResult;
	before: ContextStats;
	after: ContextStats;
	labels: MessageLabels;
	/** File with the compacted history; null if the report is not for a terminal and should mention no options. */
	output?: string | null;
}

const maxBarColumns = 40;
const maxShownRemoved = 8;
const maxShownTools = 4;

interface MeasuredSide {
	name: string;
	tokens: number;
	stats: ContextStats;
}

function renderSide(side: MeasuredSide, largest: number, columns: number): Line {
	const { name, tokens, stats } = side;
	const figures = `${formatNumber(tokens).padStart(formatNumber(largest).length)} tokens in ${formatCount(stats.messageCount, 'message')}`;
	const width = Math.min(maxBarColumns, columns - 10 - figures.length);
	const bar =
		width < 8
			? []
			: [...renderStackedBar([{ size: tokens, tone: stateTones[stats.state] }], largest, width), span('  ')];
	return [span(padEnd(name, 8), 'gray'), ...bar, span(figures)];
}

function renderSides({ result, before, after }: MeasuredCompaction, columns: number): Line[] {
	const { tokensBefore, tokensAfter } = result;
	const largest = Math.max(tokensBefore, tokensAfter);
	const rewrite = describeRewrite(result.cache);
	return [
		renderSide({ name: 'Before', tokens: tokensBefore, stats: before }, largest, columns),
		renderSide({ name: 'After', tokens: tokensAfter, stats: after }, largest, columns),
		...(rewrite === undefined ? [] : [[span('Cache   ', 'gray'), span(rewrite, 'gray')]]),
	];
}

function renderHeadline({ result }: MeasuredCompaction): Line {
	const { tokensSaved, tokensBefore, targetTokens } = result;
	if (!result.compacted) {
		return [
			span('Nothing was compacted', 'bold'),
			span(`: ${makePrintable(result.reason ?? result.outcome)}`),
		];
	}
	const ratio = tokensBefore > 0 ? tokensSaved / tokensBefore : 0;
	// A compaction that only removes selected results has no target size.
	const target = targetTokens < tokensBefore ? ` · target ${formatNumber(targetTokens)}` : '';
	return [
		span(`Freed ${formatNumber(tokensSaved)} tokens`, 'bold'),
		span(` · ${formatPercent(ratio)} of the history${target}`, 'gray'),
	];
}

function renderStage(stage: StageOutcome, figureWidth: number): Line {
	const name = padEnd(stage.stage, 12);
	const reason = stage.reason === undefined ? '' : makePrintable(stage.reason);
	if (!stage.ran || stage.messagesAffected === 0)
		return [span(`· ${name}`, 'gray'), span(reason || 'not needed', 'gray')];
	const figures = `${formatNumber(stage.tokensBefore).padStart(figureWidth)} → ${formatNumber(stage.tokensAfter).padStart(figureWidth)}`;
	const files = stage.filesDeduped ? `, ${formatCount(stage.filesDeduped, 'file')}` : '';
	return [
		span('✓ ', 'green'),
		span(`${name}${figures}`),
		span(`  ${formatCount(stage.messagesAffected, 'message')}${files}${reason && ` · ${reason}`}`, 'gray'),
	];
}

interface RemovedGroup {
	label: string;
	change: RemovedMessage['change'];
	messages: number;
	tokens: number;
	tools: Map<string, number>;
}

/** Groups the changed messages by kind and change, the group with the most tokens first. */
function groupRemovedMessages(removed: readonly RemovedMessage[]): RemovedGroup[] {
	const groups = new Map<string, RemovedGroup>();
	for (const message of removed) {
		const label = message.role === 'tool' ? 'tool result' : `${message.role} message`;
		const key = `${label} ${message.change}`;
		const group = groups.get(key) ?? {
			label,
			change: message.change,
			messages: 0,
			tokens: 0,
			tools: new Map(),
		};
		group.messages++;
		group.tokens += message.tokens;
		const { toolName } = message;
		if (toolName !== undefined) group.tools.set(toolName, (group.tools.get(toolName) ?? 0) + 1);
		groups.set(key, group);
	}
	return [...groups.values()].sort((a, b) => b.tokens - a.tokens);
}

function listTools(tools: ReadonlyMap<string, number>): string {
	const shownTools = [...tools]
		.sort((a, b) => b[1] - a[1])
		.map(([tool, times]) => `${makePrintable(tool)} ${formatNumber(times)}`);
	if (shownTools.length === 0) return '';
	const others = shownTools.length - maxShownTools;
	return `: ${shownTools.slice(0, maxShownTools).join(', ')}${others > 0 ? ` and ${formatCount(others, 'other')}` : ''}`;
}

function renderRemoved({ result, labels }: MeasuredCompaction, columns: number): Line[] {
	const { removed } = result;
	if (removed.length === 0) return [];
	const largest = [...removed].sort((a, b) => b.tokens - a.tokens).slice(0, maxShownRemoved);
	const width = Math.max(...largest.map(({ tokens }) => formatNumber(tokens).length + 1));
	return [
		[],
		[span('What changed', 'bold')],
		...groupRemovedMessages(removed).map(({ label, change, messages, tokens, tools }) => [
			span(`  ${formatCount(messages, label)} ${change}`),
			span(` · ${formatNumber(tokens)} tokens${listTools(tools)}`, 'gray'),
		]),
		[],
		[span('Largest savings', 'bold')],
		...largest.map((message) => [
			renderFigureCell(`-${formatNumber(message.tokens)}`, width + 2),
			...renderMessageCells(message, labels.get(message.messageId), columns - width - 4),
		]),
	];
}

function renderSummary({ result, output }: MeasuredCompaction): Line[] {
	const { summary } = result;
	if (!summary?.text) return [];
	const by =
		summary.by === 'extract' ? "from the conversation's own words" : `by ${makePrintable(summary.by)}`;
	const hint = output === null ? '' : '; see --json';
	return [
		[],
		[span('Summary', 'bold'), span(` · ${by}`, 'gray')],
		...renderSummaryPreview(summary.text, hint),
	];
}

function renderOutputFile(output: string | undefined): Line {
	if (output === undefined) return [span('Nothing was written; -o OUT writes the compacted history', 'gray')];
	return [
		span('Written to ', 'gray'),
		output === '-' ? span('standard output', 'gray') : span(makePrintable(output)),
	];
}

function renderClosing({ before, after, output }: MeasuredCompaction): Line[] {
	const usage = `Context: ${formatPercent(before.usageRatio)} → ${formatPercent(after.usageRatio)} used`;
	return [[], [span(usage, stateTones[after.state])], ...(output === null ? [] : [renderOutputFile(output)])];
}

/** Renders the report of a compaction: what each stage did, what was removed, and what replaces it. */
export function renderCompaction(compaction: MeasuredCompaction, columns: number): Line[] {
	const { result } = compaction;
	const figureWidth = formatNumber(result.tokensBefore).length;
	const tables = [
		...renderSides(compaction, columns),
		...renderSummary(compaction),
		...(result.stages.length > 0 ? [[], [span('Stages', 'bold')]] : []),
		...result.stages.map((stage) => renderStage(stage, figureWidth)),
		...renderRemoved(compaction, columns),
	];
	return [
		renderHeadline(compaction),
		[],
		...tables.map((line) => clipLine(line, columns)),
		...renderClosing(compaction),
	];
}
