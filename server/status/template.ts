/** Formats the line of a status command. */

import { formatExpiry, isExpiryNear } from '../core/cost/cacheExpiry.ts';
import { formatAge, formatTokens } from '../core/figures.ts';
import { profiles } from '../core/models/profiles.ts';
import { lookupModel } from '../core/models/registry.ts';
import { type AgentLimit, findStateWithinLimit, inactiveMs } from '../core/transcript/index.ts';
import { helpHint } from '../front/console/arguments.ts';
import { createInputFailure } from '../front/console/failure.ts';
import { stateTones } from '../front/output/categories.ts';
import { type Line, type Span, span, type Tone } from '../front/output/line.ts';
import { makePrintable } from '../front/output/printable.ts';
import { measureWidth } from '../front/output/width.ts';
import type { CacheExpiry, ContextState } from '../protocol/stats.ts';

/** Width of the bar, in columns. */
const barWidth = 10;

type RenderPart = (figures: StatusFigures, isAscii: boolean) => Span;

/** Renders each placeholder that a template may contain. In the order of the help. */
export const rendererByPlaceholder: Readonly<Record<string, RenderPart>> = {
	agent: ({ agent }) => span(agent),
	model: ({ model }) => span(makePrintable(model)),
	bar: (figures, isAscii) => span(renderBar(figures, isAscii), getTone(figures)),
	percent: (figures) => span(`${formatPercent(figures)}%`, getTone(figures)),
	number: (figures) => span(formatPercent(figures), getTone(figures)),
	state: (figures) => span(figures.state, getTone(figures)),
	color: (figures) => span(getTone(figures)),
	used: ({ used }) => span(formatTokens(used)),
	left: (figures) => span(formatTokens(countRemainingTokens(figures))),
	limit: ({ limit }) => span(formatTokens(limit.tokens)),
	window: ({ limit }) => span(formatTokens(limit.window)),
	cold: ({ cache }) => span(cache ? formatTokens(cache.coldTokens) : ''),
	cache: (figures) => span(formatNearExpiry(figures) ?? ''),
	age: ({ idleMs }) => span(formatAge(idleMs)),
};

const placeholderPattern = /\{\{|\}\}|\{([^{}]*)\}/g;

/** Throws with exit code 2 if a template has an unknown placeholder. */
export function checkTemplate(command: string, template: string): void {
	for (const [, name] of template.matchAll(placeholderPattern)) {
		if (name === undefined || Object.hasOwn(rendererByPlaceholder, name)) continue;
		const placeholders = Object.keys(rendererByPlaceholder)
			.map((one) => `{${one}}`)
			.join(' ');
		throw createInputFailure(`${command}: --format has no {${name}}, only ${placeholders}; ${helpHint}`);
	}
}

/** Fills in a template; `{{` and `}}` print braces. */
export function fillTemplate(template: string, figures: StatusFigures, isAscii: boolean): Line {
	const line: Span[] = [];
	let from = 0;
	for (const match of template.matchAll(placeholderPattern)) {
		line.push(span(template.slice(from, match.index)));
		const [whole, name] = match;
		const renderPart = name === undefined ? undefined : rendererByPlaceholder[name];
		line.push(renderPart?.(figures, isAscii) ?? span(whole.charAt(0)));
		from = match.index + whole.length;
	}
	return [...line, span(template.slice(from))].filter(({ text }) => text !== '');
}

/** Renders the default line, without its last parts if it would be wider than the columns. */
export function renderDefaultLine(
	figures: StatusFigures,
	isAscii: boolean,
	columns = Number.POSITIVE_INFINITY,
): Line {
	const { idleMs } = figures;
	const expiry = formatNearExpiry(figures);
	const tail = [
		`${formatTokens(countRemainingTokens(figures))} left`,
		...(expiry === undefined ? [] : [expiry]),
		...(idleMs > inactiveMs ? [formatAge(idleMs)] : []),
	];
	const separator = isAscii ? ' | ' : ' · ';
	const tone = getTone(figures);
	const head = [span(renderBar(figures, isAscii), tone), span(` ${formatPercent(figures)}%`, tone)];
	const createLine = (count: number): Line => [
		...head,
		span([...(count > 0 ? [''] : []), ...tail.slice(0, count)].join(separator)),
	];
	let shownCount = tail.length;
	while (shownCount > 0 && measureLine(createLine(shownCount)) > columns) shownCount--;
	return createLine(shownCount);
}

/** Formats when the cache expires and what that costs; undefined unless the expiry is near. */
function formatNearExpiry({ cache, now }: StatusFigures): string | undefined {
	return cache && isExpiryNear(cache, now) ? formatExpiry(cache, now) : undefined;
}

function measureLine(line: Line): number {
	return measureWidth(line.map(({ text }) => text).join(''));
}

function getTone({ state }: StatusFigures): Tone {
	return stateTones[state];
}

function countRemainingTokens({ limit, used }: StatusFigures): number {
	return Math.max(0, limit.tokens - used);
}

function computeRatio({ limit, used }: StatusFigures): number {
	return used / limit.tokens;
}

function formatPercent(figures: StatusFigures): string {
	return `${figures.limit.of === 'guess' ? '~' : ''}${Math.round(100 * computeRatio(figures))}`;
}

function renderBar(figures: StatusFigures, isAscii: boolean): string {
	const ratio = computeRatio(figures);
	const cells = Math.round(Math.min(1, ratio) * barWidth);
	const fullCells = ratio > 0 ? Math.max(1, cells) : 0;
	const [on, off] = isAscii ? ['#', '-'] : ['█', '░'];
	return `${on.repeat(fullCells)}${off.repeat(barWidth - fullCells)}`;
}

export interface StatusFigures {
	agent: string;
	model: string;
	/** Tokens of the next request. */
	used: number;
	limit: AgentLimit;
	state: ContextState;
	/** The provider's cache of the prompt; absent if there is none or its state is unknown. */
	cache?: CacheExpiry;
	/** Milliseconds since the session's last activity. */
	idleMs: number;
	/** Milliseconds since the epoch. */
	now: number;
}

/** Returns the state of a session within its agent's limit, by the thresholds of its model. */
export function rateAgentLimit(
	limit: AgentLimit,
	used: number,
	provider: string,
	model: string,
): ContextState {
	return findStateWithinLimit(limit, used, profiles[lookupModel(provider, model).profile]);
}
