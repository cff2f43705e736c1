import type { TruncateToolOutputParams, TruncateToolOutputResult } from '../../protocol/output.ts';
import { Failure } from '../failure.ts';
import { utf8Length } from './textSize.ts';

/** UTF-8 bytes that a tool output may have where nothing else is said. */
const defaultMaxOutputBytes = 51_200;
/** Lines that a tool output may have where nothing else is said. */
const defaultMaxOutputLines = 2_000;
/** Share of the head where both ends are kept and nothing else is said. */
const defaultHeadRatio = 0.5;

/** What an output may become, and what is to be said about it. */
export interface Limits {
	/** UTF-8 bytes of the content, the notice included. */
	maxBytes: number;
	/** Lines of the content, the notice included. */
	maxLines: number;
	direction: NonNullable<TruncateToolOutputParams['direction']>;
	/** Share of the room that the head takes where both ends are kept. */
	headRatio: number;
	/** Where the whole output can be read; the notice names it. */
	savedPath?: string;
}

/** Limits as a caller names them; what is absent takes its default. */
export type LimitOptions = Partial<Limits>;

/** An output within its limits, and what became of the rest. */
export type Truncation = Omit<TruncateToolOutputResult, 'savedPath'>;

/** Limits with the defaults filled in: 51 200 bytes, 2 000 lines, the tail, both ends alike. Refuses what is no size. */
export function resolveLimits(options: LimitOptions): Limits {
	return {
		maxBytes: size('maxBytes', options.maxBytes ?? defaultMaxOutputBytes),
		maxLines: size('maxLines', options.maxLines ?? defaultMaxOutputLines),
		direction: options.direction ?? 'tail',
		headRatio: share('headRatio', options.headRatio ?? defaultHeadRatio),
		savedPath: options.savedPath,
	};
}

function share(field: string, value: number): number {
	if (value >= 0 && value <= 1) return value;
	throw new Failure('InvalidParams', `${field}: expected a number from 0 to 1, got ${value}`);
}

function size(field: string, value: number): number {
	if (Number.isSafeInteger(value) && value >= 0) return value;
	throw new Failure('InvalidParams', `${field}: expected a whole number from 0 up, got ${value}`);
}

/** What a notice says. */
export interface Notice {
	/** UTF-8 bytes of the output as it came. */
	originalSize: number;
	/** UTF-8 bytes of it that were kept. */
	keptBytes: number;
	savedPath?: string;
	/** A further word after the notice, in brackets of its own. */
	remark?: string;
}

/** The one line that stands for what was left out of an output. */
export function noticeText(notice: Notice): string {
	const saved = notice.savedPath === undefined ? '' : `. Full output saved to: ${oneLine(notice.savedPath)}`;
	const remark = notice.remark === undefined ? '' : ` [${notice.remark}]`;
	const sizes = `from ${notice.originalSize} bytes to ${notice.keptBytes} bytes`;
	return `[Output truncated ${sizes}${saved}]${remark}`;
}

/** UTF-8 bytes that a notice needs at most, whatever number of kept bytes up to `keptBytes` it will name. */
export function noticeSize(notice: Notice): number {
	return utf8Length(noticeText(notice));
}

function oneLine(path: string): string {
	return path.replace(/[\r\n]/g, ' ');
}
