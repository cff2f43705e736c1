/** Shortens tool results and other long texts: on arrival, at a client's request, and in compactions. */

import type { TruncateToolOutputParams } from '../../protocol/output.ts';
import { estimateTokens, exceedsTokens } from '../measure/text/textCounter.ts';
import { findCharacterBoundary } from './characterBoundary.ts';
import { elideJson } from './elideJson.ts';
import { keepFailures } from './keepFailures.ts';
import { countLines, countUtf8Bytes } from './textSize.ts';
import {
	describeBinary,
	type LimitOptions,
	resolveLimits,
	type Truncation,
	truncateEnds,
} from './truncation.ts';

/**
 * Which parts of an output are kept. `plain` keeps one end or both; `json` keeps the structure of a JSON document and
 * shortens its long strings and lists; `failures` also keeps lines that report errors. An output that a strategy cannot
 * handle is shortened as with `plain`.
 */
type OutputStrategy = NonNullable<TruncateToolOutputParams['strategy']>;

/**
 * Shortens an output to a limit in bytes and lines, by default 51,200 and 2,000. Returns the sizes of the output and of
 * its kept part. Throws `InvalidParams` unless each limit is a whole number from 0.
 *
 * An output within the limits is unchanged, except that lone surrogates, which UTF-8 cannot encode, become U+FFFD.
 * Otherwise complete lines are kept, and a separate line contains the notice `[Output truncated from X bytes to Y
 * bytes]`: before a kept tail, after a kept head, between the two ends of `both`. X is the size of the output, Y the
 * size of the kept part without notices, both in UTF-8 bytes. A line is cut only if it alone exceeds the limits. If not
 * even the notice fits, it is omitted, and `both` keeps the tail. Binary output is described instead of shown.
 */
export function shortenResult(
	output: string,
	options: LimitOptions = {},
	strategy: OutputStrategy = 'plain',
): Truncation {
	const limits = resolveLimits(options);
	const originalSize = countUtf8Bytes(output);
	const sizes = { originalSize, originalLines: countLines(output) };
	if (originalSize <= limits.maxBytes && sizes.originalLines <= limits.maxLines)
		return { content: output.toWellFormed(), truncated: false, ...sizes, keptBytes: originalSize };
	const ends = { head: output, tail: output, ...sizes };
	if (looksBinary(output)) return describeBinary(ends, limits);
	if (strategy === 'json') return elideJson(output, ends, limits) ?? truncateEnds(ends, limits);
	const shortened = strategy === 'failures' ? keepFailures(output, ends, limits) : undefined;
	return shortened ?? truncateEnds(ends, limits);
}

/** Share of the budget for the first attempt, which leaves space for notices. Each further attempt uses less. */
const initialShare = 0.95;
const shareFactor = 0.85;

/**
 * Shortens a text to a number of estimated tokens: keeps both ends and lines that report failures, and adds a line with
 * the number of lines and a hint where the whole text is. Returns a text that would not become shorter unchanged.
 * @param tokens limit that includes the added line
 */
export function shortenToTokens(text: string, tokens: number, hint: string): string {
	if (!exceedsTokens(text, tokens)) return text;
	const footer = `[${countLines(text)} lines in all; ${hint}]`;
	const bytesPerToken = countUtf8Bytes(text) / Math.max(1, estimateTokens(text));
	const budget = Math.max(0, tokens - estimateTokens(footer));
	for (let share = initialShare; ; share *= shareFactor) {
		const maxBytes = Math.floor(budget * share * bytesPerToken);
		const limits = { maxBytes, maxLines: Number.MAX_SAFE_INTEGER, direction: 'both' } as const;
		const { content } = shortenResult(text, limits, 'failures');
		const shortened = `${content.replace(/\n$/, '')}\n${footer}`;
		if (estimateTokens(shortened) <= tokens || maxBytes < bytesPerToken)
			return shortened.length < text.length ? shortened : text;
	}
}

/** Share of the kept text that comes from the head. */
const headShare = 0.5;

/**
 * Shortens a text to equal parts of head and tail, with `dividingLine` between them. Splits no character. Returns a
 * text that would not become shorter unchanged.
 * @param units UTF-16 units of both ends together
 */
export function keepHeadAndTail(text: string, units: number, dividingLine: string): string {
	if (units >= text.length) return text;
	const fromHead = Math.floor(units * headShare);
	const headEnd = findCharacterBoundary(text, fromHead, 'before');
	const tailStart = findCharacterBoundary(text, text.length - (units - fromHead), 'after');
	const shortened = `${text.slice(0, headEnd)}\n${dividingLine}\n${text.slice(tailStart)}`;
	return shortened.length < text.length ? shortened : text;
}

/** Returns the first complete lines of a text that fit into `units` UTF-16 units. */
export function keepLeadingLines(text: string, units: number): string {
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
	let controlCount = 0;
	for (let index = 0; index < sample.length; index += 1) {
		if (isControlCharacter(sample.charCodeAt(index))) controlCount += 1;
	}
	return controlCount > sample.length * binaryShare;
}

function isControlCharacter(unit: number): boolean {
	if (unit === 0xfffd || unit === 0x7f) return true;
	return unit < 0x20 && !(unit >= 0x08 && unit <= 0x0d) && unit !== 0x1b;
}
