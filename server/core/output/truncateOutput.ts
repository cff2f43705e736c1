import type { TruncateToolOutputParams } from '../../protocol/output.ts';
import { elideJson } from './elideJson.ts';
import { keepFailures } from './keepFailures.ts';
import { textSize, wellFormed } from './textSize.ts';
import { describeBinary, type OutputEnds, truncateEnds } from './truncateEnds.ts';
import { type LimitOptions, type Limits, resolveLimits, type Truncation } from './truncation.ts';

/**
 * How an output that is too large is shortened: `plain` keeps one end or both; `json` keeps the structure
 * of a JSON document and shortens its long strings and lists; `failures` keeps the lines that report
 * errors beside the ends. What a strategy cannot do for an output is done as `plain`.
 */
export type TruncateOptions = LimitOptions & Pick<TruncateToolOutputParams, 'strategy'>;

/**
 * A tool output within its limits. Within them it comes back as it is (lone surrogates, which UTF-8 cannot
 * hold, as U+FFFD). Beyond them complete lines are kept, and the notice `[Output truncated from X bytes to
 * Y bytes]` stands on a line of its own: before a kept tail, after a kept head, between the two of `both`.
 * X is the size of the output, Y what was kept of it without notices, both in UTF-8 bytes. A line is cut
 * only where it alone is larger than what the limits leave. Where not even the notice fits, it goes, and
 * `both` keeps the tail. Binary output is described instead of shown. Throws `InvalidParams` for a limit
 * that is no whole number from 0 up.
 */
export function truncateOutput(output: string, options: TruncateOptions = {}): Truncation {
	const limits = resolveLimits(options);
	const size = textSize(output);
	const measured = { originalSize: size.bytes, originalLines: size.lines };
	if (size.bytes <= limits.maxBytes && size.lines <= limits.maxLines) {
		return { content: wellFormed(output), truncated: false, ...measured, keptBytes: size.bytes };
	}
	const ends = { head: output, tail: output, ...measured };
	if (looksBinary(output)) return describeBinary(ends, limits);
	return byStrategy(output, ends, limits, options.strategy ?? 'plain') ?? truncateEnds(ends, limits);
}

function byStrategy(
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
 * Whether a text is the dump of something that is no text: more than a tenth of its first and last 4 096
 * units are control characters or the replacement characters that undecodable bytes became. Line ends,
 * tabs, form feeds, backspaces and the escape of terminal colours are text.
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
