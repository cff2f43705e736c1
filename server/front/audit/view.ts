/** Formats an audit for a terminal: one screen of 80 to 100 columns. */

import type { Audit, AuditSum, CauseSum } from '../../core/cost/audit/audit.ts';
import type { CostCause } from '../../core/cost/audit/causes.ts';
import type { CostlyMoment } from '../../core/cost/audit/moments.ts';
import {
	addMoney,
	compareMoney,
	convertToInputTokens,
	convertToUsd,
	createZeroMoney,
	type Money,
} from '../../core/cost/audit/money.ts';
import { formatCount, formatDollars, formatShare, formatTokens } from '../../core/figures.ts';
import type { Alternatives } from '../../core/replay/alternatives.ts';
import type { StrategyName } from '../../core/replay/compare.ts';
import { findAgentLabel } from '../../core/transcript/index.ts';
import { chooseBarLevel, renderShareBar } from '../output/bar.ts';
import { clipLine, type Line, type Span, span, type Tone } from '../output/line.ts';
import { makePrintable } from '../output/printable.ts';
import { clipText, padEnd, padStart } from '../output/width.ts';
import { formatDay, formatDayAndTime } from './dates.ts';
import {
	causeLabels,
	chooseAdvice,
	describeMoment,
	describeUnpriced,
	formatDifference,
	formatMoney,
	shortenProjectNames,
} from './texts.ts';

/** An audit to show, on a page or in a terminal. */
export interface AuditToShow {
	audit: Audit;
	alternatives: Alternatives | undefined;
	/** Description of what was audited. */
	scope: string;
}

const minColumns = 60;
const maxColumns = 100;
const columnWidths = { cause: 25, bar: 8, share: 5, money: 9, time: 12 };
/** Columns of a project's name in the list of moments: `wide` if the report has at least `wideFrom` columns. */
const projectColumns = { narrow: 10, wide: 14, wideFrom: 92 };
/** Maximum rows of each table that is shown next to the list of causes. */
const maxTableRows = 3;

const causeTones: Readonly<Record<CostCause, Tone>> = {
	cacheReads: 'blue',
	growth: 'cyan',
	newInput: 'brightCyan',
	expiry: 'red',
	changedPrefix: 'magenta',
	compaction: 'yellow',
	coldStart: 'white',
	output: 'green',
	subAgents: 'brightMagenta',
};

/** Returns an amount as one number, for shares and bars: dollars, or tokens if nothing has a price. */
export function weighMoney(money: Money, total: Money): number {
	return total.nanoUsd > 0 ? convertToUsd(money) : convertToInputTokens(money);
}

/** Returns the causes that cost something, most expensive first. */
export function rankCauses({ byCause }: Audit): CauseSum[] {
	return byCause
		.filter(({ money, tokens }) => money.nanoUsd + money.milliInputs > 0 || tokens > 0)
		.sort((one, other) => compareMoney(one.money, other.money));
}

/** Returns the total cost as a heading, and what the total covers. */
export function describeTotal(audit: Audit): { amount: string; about: string } {
	const { total, calls, sessions, statedCost } = audit;
	const size = `for ${formatCount(calls, 'call')} in ${formatCount(sessions, 'session')}`;
	if (total.nanoUsd === 0 && total.milliInputs > 0) {
		return {
			amount: `${formatTokens(convertToInputTokens(total))} tokens`,
			about: `at the price of input ${size}`,
		};
	}
	const isStated = statedCost.nanoUsd > 0 && statedCost.nanoUsd === total.nanoUsd;
	const source = isStated
		? 'as reported by the agents'
		: statedCost.nanoUsd > 0
			? `at list prices (${formatDollars(convertToUsd(statedCost))} reported by agents)`
			: 'at list prices';
	return { amount: formatDollars(convertToUsd(total)), about: `${size}, ${source}` };
}

function renderCauses(audit: Audit): Line[] {
	const total = weighMoney(audit.total, audit.total);
	return rankCauses(audit).map(({ cause, money }) => {
		const weight = weighMoney(money, audit.total);
		const bar = renderShareBar(weight, total, columnWidths.bar, causeTones[cause]);
		return [
			span(padEnd(causeLabels[cause], columnWidths.cause)),
			span(padStart(formatMoney(money), columnWidths.money), 'bold'),
			span(padStart(formatShare(weight, total), columnWidths.share), 'gray'),
			span(' '),
			span(padEnd(bar.text, columnWidths.bar), bar.tone),
		];
	});
}

/** Returns a table of the most expensive names, with a row for all others. */
function renderSums(
	title: string,
	sums: readonly AuditSum[],
	nameOf: (name: string) => string,
	width: number,
): Line[] {
	const renderRow = (name: string, money: Money): Line => [
		span(padEnd(clipText(name, width - columnWidths.money), width - columnWidths.money)),
		span(padStart(formatMoney(money), columnWidths.money)),
	];
	const shownSums = sums.slice(0, sums.length > maxTableRows ? maxTableRows - 1 : maxTableRows);
	const rest = sums.slice(shownSums.length);
	const others = createZeroMoney();
	for (const { money } of rest) addMoney(others, money);
	return [
		[span(title, 'bold')],
		...shownSums.map(({ name, money }) => renderRow(nameOf(name), money)),
		...(rest.length > 0 ? [renderRow(`${rest.length} more`, others)] : []),
	];
}

/** Puts two columns of lines next to each other. */
function joinColumns(left: readonly Line[], right: readonly Line[], leftWidth: number): Line[] {
	return Array.from({ length: Math.max(left.length, right.length) }, (_, index) => {
		const leftLine = left[index] ?? [];
		const usedColumns = leftLine.reduce((sum, { text }) => sum + text.length, 0);
		return [...leftLine, span(' '.repeat(Math.max(0, leftWidth - usedColumns))), ...(right[index] ?? [])];
	});
}

const dayMs = 86_400_000;

/** The cost of one or more days, beginning with `day`. */
export interface DaySum {
	day: string;
	money: Money;
}

/**
 * Returns the cost by day, including days without calls. If there are more days than `maxSums`, each sum covers
 * several days; the last one may cover fewer.
 */
export function sumDays({ byDay }: Audit, maxSums: number): { sums: DaySum[]; days: number } {
	const [first, last] = [byDay[0]?.name, byDay.at(-1)?.name];
	if (first === undefined || last === undefined) return { sums: [], days: 1 };
	const start = Date.parse(first);
	const dayIndexOf = (day: string): number => Math.round((Date.parse(day) - start) / dayMs);
	const daysPerSum = Math.ceil((dayIndexOf(last) + 1) / maxSums);
	const sums = Array.from({ length: Math.floor(dayIndexOf(last) / daysPerSum) + 1 }, (_, index) => ({
		day: new Date(start + index * daysPerSum * dayMs).toISOString().slice(0, 10),
		money: createZeroMoney(),
	}));
	for (const { name, money } of byDay) {
		const sum = sums[Math.floor(dayIndexOf(name) / daysPerSum)];
		if (sum !== undefined) addMoney(sum.money, money);
	}
	return { sums, days: daysPerSum };
}

function renderDays(audit: Audit, columns: number): Line[] {
	const start = formatDay(audit.byDay[0]?.name ?? '');
	// The line shows up to three dates. Dates of other years are longer.
	const dateWidth = 3 * start.length;
	const { sums, days } = sumDays(audit, Math.min(60, columns - 30 - dateWidth));
	if (sums.length < 2) return [];
	const weights = sums.map(({ money }) => weighMoney(money, audit.total));
	const maxWeight = Math.max(...weights);
	const topSum = sums[weights.indexOf(maxWeight)];
	const bars = weights.map((weight) => (weight === 0 ? ' ' : chooseBarLevel(weight / maxWeight)));
	return [
		[
			span(days === 1 ? 'By day  ' : `Per ${days} days  `, 'bold'),
			span(`${start} `, 'gray'),
			span(bars.join(''), 'cyan'),
			span(` ${formatDay(audit.byDay.at(-1)?.name ?? '')}`, 'gray'),
			span(`   most: ${formatDay(topSum?.day ?? '')}, ${formatMoney(topSum?.money ?? audit.total)}`),
		],
		[],
	];
}

/** Lists the most expensive moments, each with a letter, then the advice for each letter. */
function renderMoments(
	moments: readonly CostlyMoment[],
	names: ReadonlyMap<string, string>,
	columns: number,
): Line[] {
	if (moments.length === 0) return [];
	const letters = new Map<string, string>();
	const projectWidth = columns < projectColumns.wideFrom ? projectColumns.narrow : projectColumns.wide;
	const rows = moments.map((moment): Line => {
		const advice = chooseAdvice(moment);
		const letter = letters.get(advice) ?? String.fromCharCode(97 + letters.size);
		letters.set(advice, letter);
		const project = names.get(moment.project) ?? '';
		return clipLine(
			[
				span(padStart(formatMoney(moment.money), columnWidths.money), 'bold'),
				span(`  ${padEnd(formatDayAndTime(moment.at), columnWidths.time)}  `, 'gray'),
				span(`${padEnd(clipText(project, projectWidth), projectWidth)}  `),
				span(`${letter}  `, 'yellow'),
				span(describeMoment(moment)),
			],
			columns,
		);
	});
	const advice = [...letters].map(
		([text, letter]): Line => [span(`${letter}  `, 'yellow'), span(text, 'gray')],
	);
	return [
		[span('Most expensive moments (sizes in tokens), and what to do about them', 'bold')],
		...rows,
		...advice,
	];
}

/** Returns what the same sessions would have cost with other compactions, compared with the agents' own. */
function renderAlternatives(alternatives: Alternatives | undefined): Line[] {
	if (alternatives === undefined) return [];
	const { sessions, usd, recordedUsd } = alternatives;
	const renderStrategy = (name: StrategyName, label: string): Span[] => [
		span(`${label} `),
		span(`~${formatDollars(usd[name])}`, 'bold'),
		span(name === 'own' ? '' : ` (${formatDifference(usd[name], usd.own)})`, 'gray'),
		span('   '),
	];
	return [
		[],
		[
			span('With other compactions', 'bold'),
			span(
				`  estimated by replaying ${formatCount(sessions, 'session')} that cost ${formatDollars(recordedUsd)}`,
				'gray',
			),
		],
		[span('  '), ...renderStrategy('own', "agents' own"), ...renderStrategy('nothing', 'never')],
		[
			span('  contextd: '),
			...renderStrategy('full', 'full'),
			...renderStrategy('balanced', 'balanced'),
			...renderStrategy('cheap', 'cheap'),
		],
	];
}

/** Returns the report of an audit. */
export function renderAudit({ audit, alternatives, scope }: AuditToShow, terminalColumns: number): Line[] {
	const columns = Math.max(minColumns, Math.min(maxColumns, terminalColumns));
	const title: Span[] = [span('contextd audit', 'bold'), span(`  ${scope}`, 'gray')];
	if (audit.calls === 0) return [title, [], [span('No agent reported a call in this time.')]];
	const { amount, about } = describeTotal(audit);
	const unpriced = describeUnpriced(audit);
	const leftWidth = columnWidths.cause + columnWidths.money + columnWidths.share + columnWidths.bar + 4;
	const rightWidth = Math.max(24, columns - leftWidth);
	const names = shortenProjectNames(audit.byProject.map(({ name }) => name));
	const right = [
		...renderSums('By agent', audit.byAgent, findAgentLabel, rightWidth),
		...renderSums('By model', audit.byModel, (name) => makePrintable(name) || '(unknown)', rightWidth),
		...renderSums('By project', audit.byProject, (name) => names.get(name) ?? name, rightWidth),
	];
	const left = [[span('Why', 'bold')], ...renderCauses(audit)];
	return [
		clipLine(title, columns),
		[span(amount, 'bold'), span(` ${about}`)],
		...(unpriced === undefined ? [] : [[span(unpriced, 'yellow')]]),
		[],
		...(columns >= 78 ? joinColumns(left, right, leftWidth) : [...left, [], ...right]).map((line) =>
			clipLine(line, columns),
		),
		[],
		...renderDays(audit, columns),
		...renderMoments(audit.moments, names, columns),
		...renderAlternatives(alternatives),
	];
}
