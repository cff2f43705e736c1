/** An audit as one self-contained page with charts: no script, no library, no network. */

import type { Audit, AuditSum } from '../../core/cost/audit/audit.ts';
import type { CostCause } from '../../core/cost/audit/causes.ts';
import { addMoney, createZeroMoney, type Money } from '../../core/cost/audit/money.ts';
import { formatCount, formatDollars, formatShare, formatTokens } from '../../core/figures.ts';
import type { Alternatives } from '../../core/replay/alternatives.ts';
import type { StrategyName } from '../../core/replay/compare.ts';
import { escapeHtml } from '../../core/restore/html.ts';
import { findAgentLabel } from '../../core/transcript/index.ts';
import { formatDay, formatDayAndTime } from './dates.ts';
import { pageStyle } from './pageStyle.ts';
import {
	causeDescriptions,
	causeLabels,
	chooseAdvice,
	describeMoment,
	describeUnpriced,
	formatDifference,
	formatMoney,
	replayAssumptions,
	shortenProjectNames,
	strategyLabels,
} from './texts.ts';
import { type AuditToShow, describeTotal, rankCauses, sumDays, weighMoney } from './view.ts';

/** A row of a chart with horizontal bars. */
interface BarRow {
	label: string;
	/** Explanation below the label. */
	explanation?: string;
	/** Length of the bar, relative to the other rows. */
	weight: number;
	/** The CSS class that gives the bar its colour. */
	colourClass: CostCause | 'plain';
	figure: string;
	/** Text in the last column. */
	comparison: string;
}

function createMoneyRow(label: string, money: Money, total: Money): BarRow {
	const weight = weighMoney(money, total);
	const comparison = formatShare(weight, weighMoney(total, total));
	return { label, weight, colourClass: 'plain', figure: formatMoney(money), comparison };
}

function renderBarTable(rows: readonly BarRow[]): string {
	const maxWeight = Math.max(...rows.map(({ weight }) => weight));
	const cells = rows.map(({ label, explanation, weight, colourClass, figure, comparison }) => {
		const width = maxWeight > 0 ? (100 * weight) / maxWeight : 0;
		const explanationHtml = explanation === undefined ? '' : `<small>${escapeHtml(explanation)}</small>`;
		return `<tr><th scope="row">${escapeHtml(label)}${explanationHtml}</th>
<td class="bar"><svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect class="${colourClass}" width="${width.toFixed(2)}" height="10"/></svg></td>
<td class="figure">${escapeHtml(figure)}</td><td class="share">${escapeHtml(comparison)}</td></tr>`;
	});
	return `<table>${cells.join('\n')}</table>`;
}

const chartSize = { width: 960, height: 180, bottom: 24 };
/** Maximum bars of a chart. */
const maxBars = 92;

/** Returns a chart with one bar per day, or per several days. */
function renderDayChart(audit: Audit): string {
	const { sums, days } = sumDays(audit, maxBars);
	const weights = sums.map(({ money }) => weighMoney(money, audit.total));
	const peak = Math.max(...weights);
	const step = chartSize.width / Math.max(1, sums.length);
	const bars = sums.map(({ day, money }, index) => {
		const height = peak > 0 ? ((chartSize.height - chartSize.bottom) * (weights[index] ?? 0)) / peak : 0;
		const position = `x="${(index * step + step * 0.1).toFixed(1)}" width="${(step * 0.8).toFixed(1)}"`;
		return `<rect class="cacheReads" ${position} y="${(chartSize.height - chartSize.bottom - height).toFixed(1)}" height="${height.toFixed(1)}"><title>${escapeHtml(`${formatDay(day)}: ${formatMoney(money)}`)}</title></rect>`;
	});
	const labelStep = Math.ceil(sums.length / 7);
	const labels = sums.flatMap(({ day }, index) =>
		index % labelStep === 0 && sums.length - index > labelStep / 2
			? [
					`<text${index === 0 ? ' class="first"' : ''} x="${(index === 0 ? 0 : index * step + step / 2).toFixed(1)}" y="${chartSize.height - 6}">${formatDay(day)}</text>`,
				]
			: [],
	);
	const title = days === 1 ? 'By day' : `Per ${days} days`;
	return `<section><h2>${title}</h2>
<svg class="days" viewBox="0 0 ${chartSize.width} ${chartSize.height}" role="img" aria-label="${title}">${bars.join('')}${labels.join('')}</svg></section>`;
}

/** Maximum names in a table; one more row has the total of the others. */
const maxNames = 8;

function renderSumTable(
	title: string,
	sums: readonly AuditSum[],
	total: Money,
	nameOf: (name: string) => string,
): string {
	const others = sums.slice(maxNames);
	const rows = sums.slice(0, maxNames).map(({ name, money }) => createMoneyRow(nameOf(name), money, total));
	if (others.length > 0) {
		const money = createZeroMoney();
		for (const one of others) addMoney(money, one.money);
		rows.push(createMoneyRow(`${others.length} more`, money, total));
	}
	return `<section><h2>${title}</h2>${renderBarTable(rows)}</section>`;
}

function renderMomentTable({ moments }: Audit, names: ReadonlyMap<string, string>): string {
	const rows = moments.map((moment) => {
		const { at, agent, project, cause, money, model, path } = moment;
		const about = [names.get(project) ?? '', findAgentLabel(agent), model].filter((text) => text !== '');
		return `<tr><td class="figure">${escapeHtml(formatMoney(money))}</td><td class="time">${formatDayAndTime(at)}</td>
<td><b class="dot ${cause}"></b>${escapeHtml(describeMoment(moment))}<small title="${escapeHtml(path)}">${escapeHtml(about.join(' · '))}</small></td>
<td class="advice">${escapeHtml(chooseAdvice(moment))}</td></tr>`;
	});
	return `<section><h2>Most expensive moments (sizes in tokens)</h2><table class="moments">
<tr><th>Cost</th><th>When</th><th>What</th><th>What to do about it</th></tr>${rows.join('\n')}</table></section>`;
}

/** Returns a chart of what the same sessions would have cost with other compactions, with the assumptions. */
function renderAlternatives(alternatives: Alternatives | undefined): string {
	if (alternatives === undefined) return '';
	const { sessions, usd, recordedUsd } = alternatives;
	const names = Object.keys(strategyLabels) as StrategyName[];
	const rows = names.map(
		(name): BarRow => ({
			label: strategyLabels[name],
			weight: usd[name],
			colourClass: 'output',
			figure: `~${formatDollars(usd[name])}`,
			comparison: name === 'own' ? '' : formatDifference(usd[name], usd.own),
		}),
	);
	const about = `${formatCount(sessions, 'session')}, replayed; percentages compare with the agents' own compaction. Recorded without sub-agents: ${formatDollars(recordedUsd)}.`;
	return `<section><h2>With other compactions</h2>${renderBarTable(rows)}
<p class="scope">${escapeHtml(about)} ${escapeHtml(replayAssumptions)}</p></section>`;
}

function renderBody(audit: Audit): string {
	if (audit.calls === 0) return '<p>No agent reported a call in this time.</p>';
	const { total, byAgent, byModel, byProject } = audit;
	const names = shortenProjectNames(byProject.map(({ name }) => name));
	const causes = rankCauses(audit).map(
		({ cause, money, tokens }): BarRow => ({
			...createMoneyRow(causeLabels[cause], money, total),
			colourClass: cause,
			explanation: `${causeDescriptions[cause]} ${formatTokens(tokens)} tokens.`,
		}),
	);
	return `<section><h2>Why</h2>${renderBarTable(causes)}</section>
${renderDayChart(audit)}
${renderMomentTable(audit, names)}
<div class="columns">${renderSumTable('By agent', byAgent, total, findAgentLabel)}
${renderSumTable('By model', byModel, total, (name) => (name === '' ? '(unknown)' : name))}
${renderSumTable('By project', byProject, total, (name) => names.get(name) ?? name)}</div>`;
}

/** Returns an audit as an HTML page, light or dark like the reader's system. */
export function renderAuditPage({ audit, alternatives, scope }: AuditToShow): string {
	const { amount, about } = describeTotal(audit);
	const unpriced = describeUnpriced(audit);
	const warning = unpriced === undefined ? '' : `<p class="warning">${escapeHtml(unpriced)}</p>`;
	return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark"><title>contextd audit</title><style>${pageStyle}</style></head>
<body><main><header><p class="scope">contextd audit · ${escapeHtml(scope)}</p>
<h1>${escapeHtml(amount)}</h1><p>${escapeHtml(about)}. With a subscription, you pay its price instead.</p>${warning}</header>
${renderBody(audit)}
${renderAlternatives(alternatives)}
</main></body></html>
`;
}
