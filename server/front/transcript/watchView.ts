import { formatCount, formatNumber, formatPercent } from '../../core/figures.ts';
import type { ContextStats, TimelineResult } from '../../protocol/stats.ts';
import { chooseBarLevel } from '../output/bar.ts';
import { type Line, span } from '../output/line.ts';
import { makePrintable } from '../output/printable.ts';
import { renderCategories, renderMeter, renderUsageNotice } from '../output/statsView.ts';

/** A watched transcript, with how full its window is and was. */
export interface WatchedTranscript {
	agent: string;
	name: string;
	/** Stats of the session; null if there is no message yet. */
	stats: ContextStats | null;
	timeline: TimelineResult;
}

/** Number of newest answers from which the trend is computed. */
const maxTrendAnswers = 10;

/** Renders the usage of the window, answer by answer, as a row of small bars. */
export function renderSparkline(ratios: readonly number[], width: number): string {
	return ratios.slice(-width).map(chooseBarLevel).join('');
}

/** Returns how fast the window fills in tokens per answer, since its usage last dropped; undefined if unknown. */
export function computeGrowth(points: TimelineResult['points']): number | undefined {
	const newest = points.slice(-maxTrendAnswers);
	let from = newest.length - 1;
	while (from > 0 && (newest[from - 1]?.tokens ?? 0) <= (newest[from]?.tokens ?? 0)) from--;
	const answers = newest.length - 1 - from;
	return answers > 0 ? ((newest.at(-1)?.tokens ?? 0) - (newest[from]?.tokens ?? 0)) / answers : undefined;
}

function renderTrend(
	{ availableInputTokens, estimatedInputTokens, thresholds }: ContextStats,
	timeline: TimelineResult,
	columns: number,
): Line[] {
	const { points, compactions } = timeline;
	if (points.length < 2) return [];
	const growth = computeGrowth(points);
	const budget = availableInputTokens * thresholds.compact - estimatedInputTokens;
	const answers = growth !== undefined && growth > 0 && budget > 0 ? Math.floor(budget / growth) : undefined;
	const facts = [
		growth === undefined ? undefined : `${growth < 0 ? '' : '+'}${formatNumber(growth)} tokens per answer`,
		answers === undefined ? undefined : `about ${formatCount(answers, 'answer')} until compaction`,
		compactions.length === 0 ? undefined : formatCount(compactions.length, 'compaction'),
	].filter((word) => word !== undefined);
	const bars = renderSparkline(
		points.map(({ usageRatio }) => usageRatio),
		Math.min(40, Math.floor(columns / 3)),
	);
	return [[span(bars, 'cyan'), span(`  ${facts.join(' · ')}`, 'gray')]];
}

/** Renders the live meter for a terminal. */
export function renderWatch({ agent, name, stats, timeline }: WatchedTranscript, columns: number): Line[] {
	const title: Line = [span(agent, 'bold'), span(`  ${makePrintable(name)}`, 'gray')];
	if (stats === null) return [title, [], [span('No messages yet.', 'gray')]];
	return [
		title,
		[],
		renderMeter(stats, columns),
		[
			span(formatNumber(stats.estimatedInputTokens), 'bold'),
			span(` of ${formatNumber(stats.availableInputTokens)} tokens`),
			span(
				` · ${formatCount(stats.messageCount, 'message')} · ${makePrintable(stats.model || stats.provider)} · ${stats.source}`,
				'gray',
			),
		],
		...renderTrend(stats, timeline, columns),
		[],
		...renderCategories(stats, columns),
		[],
		[span('Ctrl-C ends', 'gray')],
	];
}

/** Renders the meter in one line, for an output that is not a terminal. */
export function renderWatchLine({ agent, stats }: WatchedTranscript, time: string): Line {
	if (stats === null) return [span(`${time} ${agent}: no messages yet`)];
	const { usageRatio, state, estimatedInputTokens, availableInputTokens, messageCount } = stats;
	const figures = `${formatNumber(estimatedInputTokens)} / ${formatNumber(availableInputTokens)} tokens`;
	const notice =
		renderUsageNotice(stats).length > 0 ? ` · ${stats.shouldCompact ? 'compaction due' : 'filling up'}` : '';
	return [
		span(
			`${time} ${agent}: ${formatPercent(usageRatio)} ${state} · ${figures} · ${formatCount(messageCount, 'message')}${notice}`,
		),
	];
}
