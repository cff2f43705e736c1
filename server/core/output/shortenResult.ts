/** Shortens tool results: when they arrive, when a client asks for it, and in compactions. */

import type { TruncateToolOutputParams } from '../../protocol/output.ts';
import { estimateTokens, exceedsTokens } from '../measure/text/textCounter.ts';
import { findCharacterAround } from './characterBoundary.ts';
import { elideJson } from './elideJson.ts';
import { keepFailures } from './keepFailures.ts';
import { countLines, countUtf8Bytes, measureTextSize, replaceLoneSurrogates } from './textSize.ts';
import { describeBinary, type OutputEnds, truncateEnds } from './truncateEnds.ts';
import { type LimitOptions, type OutputLimits, resolveLimits, type Truncation } from './truncation.ts';

/** A limit in estimated tokens, including a final line with the number of lines and a hint where the whole text is. */
interface TokenBudget {
	tokens: number;
	hint: string;
}

/** A limit in UTF-16 units, not counting the text between the two ends. */
interface UnitBudget {
	units: number;
}

/**
 * Which parts of an output are kept. `plain` keeps one end or both; `json` keeps the structure of a JSON document and
 * shortens its long strings and lists; `failures` also keeps lines that report errors. An output that a strategy cannot
 * handle is shortened as with `plain`.
 */
type OutputStrategy = NonNullable<TruncateToolOutputParams['strategy']>;

/** Keeps equal parts of head and tail, with the line `between` between them. Never splits a character. */
interface EndsStrategy {
	between: string;
}

/** Keeps the lines that `choose` returns, or only the first ones if all together are too long. */
interface ChosenLinesStrategy {
	choose(): string;
}

/**
 * Shortens a tool result to its budget. If the budget is in tokens, or the strategy keeps two ends with a line
 * `between`, a text that would not become shorter is returned unchanged.
 *
 * A budget in bytes and lines (by default 51,200 and 2,000) returns the sizes of the output and its kept part, and
 * throws `InvalidParams` unless each limit is a whole number from 0. An output within the limits is unchanged,
 * except that lone surrogates, which UTF-8 cannot encode, become U+FFFD. Otherwise complete lines are kept, and a
 * separate line contains the notice `[Output truncated from X bytes to Y bytes]`: before a kept tail, after a kept
 * head, between the two ends of `both`. X is the size of the output, Y the size of the kept part without notices,
 * both in UTF-8 bytes. A line is cut only if it alone exceeds the limits. If not even the notice fits, it is
 * omitted, and `both` keeps the tail. Binary output is described instead of shown.
 */
export function shortenResult(text: string, budget?: LimitOptions, strategy?: OutputStrategy): Truncation;
export function shortenResult(text: string, budget: TokenBudget, strategy: OutputStrategy): string;
export function shortenResult(
	text: string,
	budget: UnitBudget,
	strategy: EndsStrategy | ChosenLinesStrategy,
): string;
export function shortenResult(
	text: string,
	budget: LimitOptions | TokenBudget | UnitBudget = {},
	strategy: OutputStrategy | EndsStrategy | ChosenLinesStrategy = 'plain',
): Truncation | string {
	if (typeof strategy === 'object') {
		const units = 'units' in budget ? budget.units : 0;
		return 'between' in strategy
			? keepHeadAndTail(text, units, strategy.between)
			: keepLeadingLines(strategy.choose(), units);
	}
	if ('tokens' in budget) return shortenToTokens(text, budget, strategy);
	return shortenToLimits(text, budget as LimitOptions, strategy);
}

function shortenToLimits(output: string, options: LimitOptions, strategy: OutputStrategy): Truncation {
	const limits = resolveLimits(options);
	const size = measureTextSize(output);
	const measured = { originalSize: size.bytes, originalLines: size.lines };
	if (size.bytes <= limits.maxBytes && size.lines <= limits.maxLines) {
		return { content: replaceLoneSurrogates(output), truncated: false, ...measured, keptBytes: size.bytes };
	}
	const ends = { head: output, tail: output, ...measured };
	if (looksBinary(output)) return describeBinary(ends, limits);
	return applyStrategy(output, ends, limits, strategy) ?? truncateEnds(ends, limits);
}

function applyStrategy(
	output: string,
	ends: OutputEnds,
	limits: OutputLimits,
	strategy: OutputStrategy,
): Truncation | undefined {
	switch (strategy) {
		case 'plain':
			return undefined;
		case 'json':
			return elideJson(output, ends, limits);
		case 'failures':
			return keepFailures(output, ends, limits);
	}
}

/** Share of the budget for the first attempt; notices take the other share. Each further attempt uses less. */
const initialShare = 0.95;
const shareFactor = 0.85;

/** Shortens a text to a number of tokens: keeps both ends, and what the strategy keeps between them. */
function shortenToTokens(text: string, { tokens, hint }: TokenBudget, strategy: OutputStrategy): string {
	if (!exceedsTokens(text, tokens)) return text;
	const footer = `[${countLines(text)} lines in all; ${hint}]`;
	const bytesPerToken = countUtf8Bytes(text) / Math.max(1, estimateTokens(text));
	const budget = Math.max(0, tokens - estimateTokens(footer));
	for (let share = initialShare; ; share *= shareFactor) {
		const maxBytes = Math.floor(budget * share * bytesPerToken);
		const limits = { maxBytes, maxLines: Number.MAX_SAFE_INTEGER, direction: 'both' } as const;
		const { content } = shortenToLimits(text, limits, strategy);
		const shortened = `${content.replace(/\n$/, '')}\n${footer}`;
		if (estimateTokens(shortened) <= tokens || maxBytes < bytesPerToken)
			return shortened.length < text.length ? shortened : text;
	}
}

/** Share of the kept text that comes from the head. */
const headShare = 0.5;

function keepHeadAndTail(text: string, units: number, between: string): string {
	if (units >= text.length) return text;
	const fromHead = Math.floor(units * headShare);
	const head = findCharacterAround(text, fromHead).start;
	const tail = findCharacterAround(text, text.length - (units - fromHead)).end;
	const shortened = `${text.slice(0, head)}\n${between}\n${text.slice(tail)}`;
	return shortened.length < text.length ? shortened : text;
}

function keepLeadingLines(text: string, units: number): string {
	return text.length <= units ? text : text.slice(0, Math.max(0, text.lastIndexOf('\n', units)));
}

const sampleUnits = 4096;
const binaryShare = 0.1;

/**
 * Whether a text is binary data: more than a tenth of its first or last 4,096 units are control characters or replacement
 * characters of undecodable bytes. Line ends, tabs, form feeds, backspaces and the escape of terminal colours count as
 * text.
 */
export function looksBinary(text: string): boolean {
	const head = text.slice(0, sampleUnits);
	const tail = text.slice(Math.max(head.length, text.length - sampleUnits));
	return isMostlyControlCharacters(head) || isMostlyControlCharacters(tail);
}

function isMostlyControlCharacters(sample: string): boolean {
	let control = 0;
	for (let index = 0; index < sample.length; index += 1) {
		if (isControlCharacter(sample.charCodeAt(index))) control += 1;
	}
	return control > sample.length * binaryShare;
}

function isControlCharacter(unit: number): boolean {
	if (unit === 0xfffd || unit === 0x7f) return true;
	return unit < 0x20 && !(unit >= 0x08 && unit <= 0x0d) && unit !== 0x1b;
}
