import type { TruncateToolOutputParams, TruncateToolOutputResult } from '../../protocol/output.ts';
import { Failure } from '../failure.ts';
import { countUtf8Bytes } from './textSize.ts';

/** Default maximum of a tool output, in UTF-8 bytes. */
const defaultMaxOutputBytes = 51_200;
/** Default maximum of a tool output, in lines. */
const defaultMaxOutputLines = 2_000;
/** Default share of the head if both ends are kept. */
const defaultHeadRatio = 0.5;

/** Limits of an output, and the content of its notice. */
export interface OutputLimits {
	/** Maximum UTF-8 bytes of the content, including the notice. */
	maxBytes: number;
	/** Maximum lines of the content, including the notice. */
	maxLines: number;
	direction: NonNullable<TruncateToolOutputParams['direction']>;
	/** Share of the limits that the head takes if both ends are kept. */
	headRatio: number;
	/** Path of the file with the whole output; the notice names it. */
	savedPath?: string;
}

/** Limits that a caller sets; absent limits have defaults. */
export type LimitOptions = Partial<OutputLimits>;

/** An output within its limits, with the sizes of the original and of the kept part. */
export type Truncation = Omit<TruncateToolOutputResult, 'savedPath'>;

/** Fills in defaults: 51,200 bytes, 2,000 lines, the tail, equal ends. Throws `InvalidParams`. */
export function resolveLimits(options: LimitOptions): OutputLimits {
	return {
		maxBytes: requireSize('maxBytes', options.maxBytes ?? defaultMaxOutputBytes),
		maxLines: requireSize('maxLines', options.maxLines ?? defaultMaxOutputLines),
		direction: options.direction ?? 'tail',
		headRatio: requireShare('headRatio', options.headRatio ?? defaultHeadRatio),
		savedPath: options.savedPath,
	};
}

function requireShare(field: string, value: number): number {
	if (value >= 0 && value <= 1) return value;
	throw new Failure('InvalidParams', `${field}: expected a number from 0 to 1, got ${value}`);
}

function requireSize(field: string, value: number): number {
	if (Number.isSafeInteger(value) && value >= 0) return value;
	throw new Failure('InvalidParams', `${field}: expected a whole number from 0 up, got ${value}`);
}

/** Sizes and texts of a truncation notice. */
export interface TruncationNotice {
	/** UTF-8 bytes of the original output. */
	originalSize: number;
	/** UTF-8 bytes of the output that were kept. */
	keptBytes: number;
	savedPath?: string;
	/** A remark after the notice, in its own brackets. */
	remark?: string;
}

/** Formats the line that replaces the removed part of an output. */
export function createTruncationNotice(notice: TruncationNotice): string {
	const saved =
		notice.savedPath === undefined ? '' : `. Full output saved to: ${toOneLine(notice.savedPath)}`;
	const remark = notice.remark === undefined ? '' : ` [${notice.remark}]`;
	const sizes = `from ${notice.originalSize} bytes to ${notice.keptBytes} bytes`;
	return `[Output truncated ${sizes}${saved}]${remark}`;
}

/** Returns the UTF-8 bytes of a notice: the maximum for any number of kept bytes up to `keptBytes`. */
export function countNoticeBytes(notice: TruncationNotice): number {
	return countUtf8Bytes(createTruncationNotice(notice));
}

function toOneLine(path: string): string {
	return path.replace(/[\r\n]/g, ' ');
}
