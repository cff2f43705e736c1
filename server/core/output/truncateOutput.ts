import type { TruncateToolOutputParams } from '../../protocol/output.ts';
import { elideJson } from './elideJson.ts';
import { keepFailures } from './keepFailures.ts';
import { replaceLoneSurrogates, textSize } from './textSize.ts';
import { describeBinary, type OutputEnds, truncateEnds } from './truncateEnds.ts';
import { type LimitOptions, type Limits, resolveLimits, type Truncation } from './truncation.ts';

/**
 * How to shorten an output that is too large. `plain` keeps one end or both; `json` keeps the
 * structure of a JSON document and shortens its long strings and lists; `failures` keeps the lines that report errors
 * in addition to the ends. An output that a strategy cannot handle is shortened as `plain`.
 */
export type TruncateOptions = LimitOptions & Pick<TruncateToolOutputParams, 'strategy'>;

/**
 * Shortens a tool output to its limits. Throws `InvalidParams` for a limit that is not a whole number
 * from 0.
 *
 * An output within the limits is unchanged, except that lone surrogates, which UTF-8 cannot encode, become U+FFFD.
 * Otherwise complete lines are kept, and a separate line contains the notice `[Output truncated from X bytes to Y
 * bytes]`: before a kept tail, after a kept head, between the two of `both`. X is the size of the output, Y the size
 * of the kept part without notices, both in UTF-8 bytes.
 *
 * A line is cut only if it alone exceeds the limits. If not even the notice fits, it is omitted, and `both` keeps the
 * tail. Binary output is described instead of shown.
 */
export function truncateOutput(output: string, options: TruncateOptions = {}): Truncation {
	const limits = resolveLimits(options);
	const size = textSize(output);
	const measured = { originalSize: size.bytes, originalLines: size.lines };
	if (size.bytes <= limits.maxBytes && size.lines <= limits.maxLines) {
		return { content: replaceLoneSurrogates(output), truncated: false, ...measured, keptBytes: size.bytes };
	}
	const ends = { head: output, tail: output, ...measured };
	if (looksBinary(output)) return describeBinary(ends, limits);
	return applyStrategy(output, ends, limits, options.strategy ?? 'plain') ?? truncateEnds(ends, limits);
}

function applyStrategy(
	output: string,
	ends: OutputEnds,
	limits: Limits,
	strategy: NonNullable<TruncateOptions['strategy']>,
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

const sampleUnits = 4096;
const binaryShare = 0.1;

/**
 * Whether a text is binary data: more than a tenth of its first or last 4,096 units are control
 * characters or replacement characters of undecodable bytes. Line ends, tabs, form feeds, backspaces and the escape
 * of terminal colours count as text.
 */
export function looksBinary(text: string): boolean {
	const head = text.slice(0, sampleUnits);
	const tail = text.slice(Math.max(head.length, text.length - sampleUnits));
	return isMostlyControl(head) || isMostlyControl(tail);
}

function isMostlyControl(sample: string): boolean {
	let control = 0;
	for (let index = 0; index < sample.length; index += 1) {
		if (isControl(sample.charCodeAt(index))) control += 1;
	}
	return control > sample.length * binaryShare;
}

function isControl(unit: number): boolean {
	if (unit === 0xfffd || unit === 0x7f) return true;
	return unit < 0x20 && !(unit >= 0x08 && unit <= 0x0d) && unit !== 0x1b;
}
