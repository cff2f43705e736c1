import { formatNumber, formatPercent } from '../../core/figures.ts';
import type { ContextStats, TimelineResult } from '../../protocol/stats.ts';
import { countWithUnit } from '../output/figures.ts';
import { type Line, span } from '../output/line.ts';
import { printableText } from '../output/printable.ts';
import { type Canvas, categoryLines, meterLine, usageNotice } from '../output/statsView.ts';

/** A watched transcript, and how full its window is. */
export interface WatchedTranscript {
	agent: string;
	name: string;
	/** Null if there is no message yet. */
	stats: ContextStats | null;
	timeline: TimelineResult;
}

const levels = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/** Number of answers for the trend. */
const trendAnswers = 10;

/** The window's usage answer by answer, as a row of small bars. */
export function sparkline(ratios: readonly number[], width: number): string {
	return ratios
		.slice(-width)
		.map((ratio) => levels[Math.max(0, Math.min(levels.length - 1, Math.floor(ratio * levels.length)))])
		.join('');
}

/** How fast the window fills: tokens per answer, since it last became emptier. */
export function growthOf(points: TimelineResult['points']): number | undefined {
	const newest = points.slice(-trendAnswers);
	let from = newest.length - 1;
	while (from > 0 && (newest[from - 1]?.tokens ?? 0) <= (newest[from]?.tokens ?? 0)) from--;
	const answers = newest.length - 1 - from;
	return answers > 0 ? ((newest.at(-1)?.tokens ?? 0) - (newest[from]?.tokens ?? 0)) / answers : undefined;
}

function trendLine(
	{ availableInputTokens, estimatedInputTokens, thresholds }: ContextStats,
	timeline: TimelineResult,
	columns: number,
): Line[] {
	const { points, compactions } = timeline;
	if (points.length < 2) return [];
	const growth = growthOf(points);
	const room = availableInputTokens * thresholds.compact - estimatedInputTokens;
	const left = growth !== undefined && growth > 0 && room > 0 ? Math.floor(room / growth) : undefined;
	const words = [
		growth === undefined ? undefined : `${growth < 0 ? '' : '+'}${formatNumber(growth)} tokens per answer`,
		left === undefined ? undefined : `about ${countWithUnit(left, 'answer')} until compaction`,
		compactions.length === 0 ? undefined : countWithUnit(compactions.length, 'compaction'),
	].filter((word) => word !== undefined);
	const bars = sparkline(
		points.map(({ usageRatio }) => usageRatio),
		Math.min(40, Math.floor(columns / 3)),
	);
	return [[span(bars, 'cyan'), span(`  ${words.join(' · ')}`, 'gray')]];
}

/** The live meter on a terminal. */
export function watchView({ agent, name, stats, timeline }: WatchedTranscript, canvas: Canvas): Line[] {
	const title: Line = [span(agent, 'bold'), span(`  ${printableText(name)}`, 'gray')];
	const lines: Line[] =
		stats === null
			? [title, [], [span('No messages yet.', 'gray')]]
			: [
					title,
					[],
					meterLine(stats, canvas),
					[
						span(formatNumber(stats.estimatedInputTokens), 'bold'),
						span(` of ${formatNumber(stats.availableInputTokens)} tokens`),
						span(
							` · ${countWithUnit(stats.messageCount, 'message')} · ${printableText(stats.model || stats.provider)} · ${stats.source}`,
							'gray',
						),
					],
					...trendLine(stats, timeline, canvas.columns),
					[],
					...categoryLines(stats, canvas),
					[],
					[span('Ctrl-C ends', 'gray')],
				];
	return lines;
}

/** The meter in one line, for an output that is not a terminal. */
export function watchLine({ agent, stats }: WatchedTranscript, time: string): Line {
	if (stats === null) return [span(`${time} ${agent}: no messages yet`)];
	const { usageRatio, state, estimatedInputTokens, availableInputTokens, messageCount } = stats;
	const figures = `${formatNumber(estimatedInputTokens)} / ${formatNumber(availableInputTokens)} tokens`;
	const notice =
		usageNotice(stats).length > 0 ? ` · ${stats.shouldCompact ? 'compaction due' : 'filling up'}` : '';
	return [
		span(
			`${time} ${agent}: ${formatPercent(usageRatio)} ${state} · ${figures} · ${countWithUnit(messageCount, 'message')}${notice}`,
		),
	];
}
