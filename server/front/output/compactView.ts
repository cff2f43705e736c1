import { describeRewrite } from '../../core/cost/compactionCost.ts';
import { formatNumber, formatPercent } from '../../core/figures.ts';
import type { CompactResult, StageOutcome } from '../../protocol/compact.ts';
import type { RemovedMessage } from '../../protocol/compaction.ts';
import type { ContextStats } from '../../protocol/stats.ts';
import { renderStackedBar } from './bar.ts';
import { countWithUnit } from './figures.ts';
import type { Labels } from './labels.ts';
import { clipLine, type Line, span } from './line.ts';
import { figureCell, messageCells } from './messageRow.ts';
import { printableText } from './printable.ts';
import type { Canvas } from './statsView.ts';
import { summaryPreview } from './summaryView.ts';
import { padEnd } from './width.ts';
import { stateTones } from './words.ts';

/** A compaction with its measurements. */
export interface Compaction {
	result: CompactResult;
	before: ContextStats;
	after: ContextStats;
	labels: Labels;
	/** Where the compacted history was written; null: the report is not for a terminal and names no options. */
	output?: string | null;
}

const widestBar = 40;
const shownRemoved = 8;
const shownTools = 4;

interface Side {
	name: string;
	tokens: number;
	stats: ContextStats;
}

function sideLine(side: Side, largest: number, canvas: Canvas): Line {
	const { name, tokens, stats } = side;
	const figures = `${formatNumber(tokens).padStart(formatNumber(largest).length)} tokens in ${countWithUnit(stats.messageCount, 'message')}`;
	const width = Math.min(widestBar, canvas.columns - 10 - figures.length);
	const bar =
		width < 8
			? []
			: [...renderStackedBar([{ size: tokens, tone: stateTones[stats.state] }], largest, width), span('  ')];
	return [span(padEnd(name, 8), 'gray'), ...bar, span(figures)];
}

function sideLines({ result, before, after }: Compaction, canvas: Canvas): Line[] {
	const { tokensBefore, tokensAfter } = result;
	const largest = Math.max(tokensBefore, tokensAfter);
	const rewrite = describeRewrite(result.cache, formatNumber);
	return [
		sideLine({ name: 'Before', tokens: tokensBefore, stats: before }, largest, canvas),
		sideLine({ name: 'After', tokens: tokensAfter, stats: after }, largest, canvas),
		...(rewrite === undefined ? [] : [[span('Cache   ', 'gray'), span(rewrite, 'gray')]]),
	];
}

function headlineOf({ result }: Compaction): Line {
	const { tokensSaved, tokensBefore, targetTokens } = result;
	if (!result.compacted) {
		return [
			span('Nothing was compacted', 'bold'),
			span(`: ${printableText(result.reason ?? result.outcome)}`),
		];
	}
	const ratio = tokensBefore > 0 ? tokensSaved / tokensBefore : 0;
	// A compaction that removes a selection aims at no size.
	const target = targetTokens < tokensBefore ? ` · target ${formatNumber(targetTokens)}` : '';
	return [
		span(`Freed ${formatNumber(tokensSaved)} tokens`, 'bold'),
		span(` · ${formatPercent(ratio)} of the history${target}`, 'gray'),
	];
}

function stageLine(stage: StageOutcome, figureWidth: number): Line {
	const name = padEnd(stage.stage, 12);
	const reason = stage.reason === undefined ? '' : printableText(stage.reason);
	if (!stage.ran || stage.messagesAffected === 0) {
		return [span(`· ${name}`, 'gray'), span(reason || 'not needed', 'gray')];
	}
	const figures = `${formatNumber(stage.tokensBefore).padStart(figureWidth)} → ${formatNumber(stage.tokensAfter).padStart(figureWidth)}`;
	const files = stage.filesDeduped ? `, ${countWithUnit(stage.filesDeduped, 'file')}` : '';
	return [
		span('✓ ', 'green'),
		span(`${name}${figures}`),
		span(`  ${countWithUnit(stage.messagesAffected, 'message')}${files}${reason && ` · ${reason}`}`, 'gray'),
	];
}

interface RemovedGroup {
	what: string;
	change: RemovedMessage['change'];
	messages: number;
	tokens: number;
	tools: Map<string, number>;
}

function whatOf({ role }: RemovedMessage): string {
	return role === 'tool' ? 'tool result' : `${role} message`;
}

/** What was removed, by kind and change, the most tokens first. */
function removedGroups(removed: readonly RemovedMessage[]): RemovedGroup[] {
	const groups = new Map<string, RemovedGroup>();
	for (const message of removed) {
		const what = whatOf(message);
		const key = `${what} ${message.change}`;
		const group = groups.get(key) ?? {
			what,
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

function toolsText(tools: ReadonlyMap<string, number>): string {
	const named = [...tools]
		.sort((a, b) => b[1] - a[1])
		.map(([tool, times]) => `${printableText(tool)} ${formatNumber(times)}`);
	if (named.length === 0) return '';
	const others = named.length - shownTools;
	return `: ${named.slice(0, shownTools).join(', ')}${others > 0 ? ` and ${countWithUnit(others, 'other')}` : ''}`;
}

function removedLines({ result, labels }: Compaction, { columns }: Canvas): Line[] {
	const { removed } = result;
	if (removed.length === 0) return [];
	const largest = [...removed].sort((a, b) => b.tokens - a.tokens).slice(0, shownRemoved);
	const width = Math.max(...largest.map(({ tokens }) => formatNumber(tokens).length + 1));
	return [
		[],
		[span('What changed', 'bold')],
		...removedGroups(removed).map(({ what, change, messages, tokens, tools }) => [
			span(`  ${countWithUnit(messages, what)} ${change}`),
			span(` · ${formatNumber(tokens)} tokens${toolsText(tools)}`, 'gray'),
		]),
		[],
		[span('Largest savings', 'bold')],
		...largest.map((message) => [
			figureCell(`-${formatNumber(message.tokens)}`, width + 2),
			...messageCells(message, labels.get(message.messageId), columns - width - 4),
		]),
	];
}

function summaryLines({ result, output }: Compaction): Line[] {
	const { summary } = result;
	if (!summary?.text) return [];
	const by =
		summary.by === 'extract' ? "from the conversation's own words" : `by ${printableText(summary.by)}`;
	const hint = output === null ? '' : '; see --json';
	return [[], [span('Summary', 'bold'), span(` · ${by}`, 'gray')], ...summaryPreview(summary.text, hint)];
}

function writtenLine(output: string | undefined): Line {
	if (output === undefined) return [span('Nothing was written; -o OUT writes the compacted history', 'gray')];
	return [
		span('Written to ', 'gray'),
		output === '-' ? span('standard output', 'gray') : span(printableText(output)),
	];
}

function closingLines({ before, after, output }: Compaction): Line[] {
	const used = `Context: ${formatPercent(before.usageRatio)} → ${formatPercent(after.usageRatio)} used`;
	return [[], [span(used, stateTones[after.state])], ...(output === null ? [] : [writtenLine(output)])];
}

/** The report of a compaction: what each stage did, what was removed, and what replaces it. */
export function compactView(compaction: Compaction, canvas: Canvas): Line[] {
	const { result } = compaction;
	const figureWidth = formatNumber(result.tokensBefore).length;
	const tables = [
		...sideLines(compaction, canvas),
		...summaryLines(compaction),
		...(result.stages.length > 0 ? [[], [span('Stages', 'bold')]] : []),
		...result.stages.map((stage) => stageLine(stage, figureWidth)),
		...removedLines(compaction, canvas),
	];
	return [
		headlineOf(compaction),
		[],
		...tables.map((line) => clipLine(line, canvas.columns)),
		...closingLines(compaction),
	];
}
