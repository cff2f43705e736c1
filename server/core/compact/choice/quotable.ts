/** Segments of messages that may be quoted. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { findReplacedRanges, listAddedLines } from '../../analysis/calls/changedLines.ts';
import type { FactIndex } from '../../analysis/message/factIndex.ts';
import { listSourceTexts, type Source, type SourcePart } from '../../analysis/message/source.ts';
import { cleanText } from '../../analysis/text/clean.ts';
import { removeLineNumbers } from '../../analysis/text/lineNumbers.ts';
import type { TextSpan } from '../../analysis/text/outline.ts';
import type { TextSegment } from '../../analysis/text/scan.ts';
import { listPatchedFiles, type PatchedFile } from '../../files/touches/patch.ts';
import { getOrInsert } from '../../getOrInsert.ts';

/** Longer segments are unstructured data, and are never quoted. UTF-16 units. */
const maxQuotedLength = 400;

/** Length that is counted for a line break, in UTF-16 units. */
const lineBreakLength = 2;

/** A segment that may be quoted, with its message. */
export interface Quotable {
	source: Source;
	segment: TextSegment;
	/** Index among the segments of its message. */
	position: number;
	/** Equal for segments that share a label: a message's text and first lines of calls, or its long arguments. */
	group: number;
}

/** The context of a segment: its message, and the call whose arguments or result contain the segment. */
export interface QuotableContext {
	source: Source;
	call?: ToolCall;
	/** Whether the segment is part of a long argument of the call. */
	isArgument: boolean;
	/** Whether the segment is text that an edit removes. */
	isOldSide: boolean;
	/** The file that a patch of one or more files changes in the segment. */
	patchedPath?: string;
}

/** Returns the segments of messages, in order. The messages must be in the index. */
export function listQuotables({ entries }: FactIndex, sources: readonly Source[]): Quotable[] {
	const quotables: Quotable[] = [];
	for (const source of sources)
		for (const [position, segment] of (entries.get(source.seq)?.segments ?? []).entries())
			if (segment.to - segment.from <= maxQuotedLength)
				quotables.push({ source, segment, position, group: 2 * source.seq + Math.min(1, segment.partIndex) });
	return quotables;
}

/** Returns the length of a segment and of the line break after it, in UTF-16 units. */
export function measureSegment({ from, to }: TextSegment): number {
	return to - from + lineBreakLength;
}

/** Returns the lines that a patch removes, without the sign and spaces at their ends. */
function listRemovedLines(patch: string): Set<string> {
	const removed = patch.split('\n').filter((line) => line.startsWith('-'));
	return new Set(removed.map((line) => line.slice(1).trimEnd()));
}

/** Finds the text of segments and the calls that they belong to. */
export class QuotableReader {
	private readonly findCall: (result: Source) => ToolCall | undefined;
	private readonly isUndone: (answer: Source) => boolean;
	/** The lines that edits add, by message and part. */
	private readonly changedLines = new Map<string, ReadonlySet<string>>();
	private readonly removedLines = new WeakMap<SourcePart, ReadonlySet<string>>();
	private readonly replacedRanges = new WeakMap<Source, readonly TextSpan[]>();
	private readonly patchedFiles = new WeakMap<SourcePart, PatchedFile[]>();
	/** The parts of the last source, cached because neighbouring segments are looked up together. */
	private parts: SourcePart[] = [];
	private lastSource: Source | undefined;

	/**
	 * @param findCall returns the call that a result answers
	 * @param isUndone whether the edits of an answer were undone, so that their old sides are current again
	 */
	constructor(
		findCall: (result: Source) => ToolCall | undefined = () => undefined,
		isUndone: (answer: Source) => boolean = () => false,
	) {
		this.findCall = findCall;
		this.isUndone = isUndone;
	}

	/** Returns the message and call of a segment. */
	findContext({ source, segment }: Quotable): QuotableContext {
		const part = this.getPart(source, segment);
		const index = part?.heads.findLast((head) => head.from < segment.to)?.call;
		const call = index === undefined ? this.findCall(source) : source.calls[index];
		const isArgument = segment.partIndex > 0;
		const files = part && isArgument ? this.listFiles(part) : [];
		// The first segment may begin above the name of the first file.
		const file =
			files.findLast(({ from }) => from <= segment.from) ?? files.find(({ from }) => from < segment.to);
		const patchedPath = file?.path;
		return { source, call, isArgument, isOldSide: part?.isOldSide === true, patchedPath };
	}

	private listFiles(part: SourcePart): PatchedFile[] {
		let files = this.patchedFiles.get(part);
		if (!files) {
			files = listPatchedFiles(part.text);
			this.patchedFiles.set(part, files);
		}
		return files;
	}

	/** Returns the text of a segment, without a read tool's line numbers and without lines that a SEARCH/REPLACE block replaces. */
	getText({ source, segment }: Quotable): string {
		const text = this.getPart(source, segment)?.text ?? '';
		const shown = text.slice(segment.from, segment.to);
		if (source.role === 'tool') return removeLineNumbers(shown);
		if (source.role !== 'assistant' || segment.partIndex > 0 || this.isUndone(source)) return shown;
		return this.removeReplaced(source, segment, shown);
	}

	private removeReplaced(source: Source, { from, to }: TextSegment, text: string): string {
		const ranges = getOrInsert(this.replacedRanges, source, () => findReplacedRanges(source.text));
		return ranges
			.filter((range) => range.from < to && range.to > from)
			.reduceRight(
				(rest, range) => rest.slice(0, Math.max(0, range.from - from)) + rest.slice(range.to - from),
				text,
			);
	}

	/**
	 * Whether a line is the same before and after an edit: its new text contains a line of its old text, or a line of a patch is
	 * unmarked, or added and removed.
	 */
	isUnchanged({ source, segment }: Quotable, line: string): boolean {
		const part = segment.partIndex > 0 ? this.getPart(source, segment) : undefined;
		if (part === undefined) return false;
		const patchedCount = this.listFiles(part).length;
		if (patchedCount > 0 && !/^[+*@-]/.test(line)) return true;
		// In a patch of several files, the line may move to another file.
		if (patchedCount < 2 && line.startsWith('+'))
			return getOrInsert(this.removedLines, part, () => listRemovedLines(part.text)).has(line.slice(1));
		const { text, replacedText } = part;
		if (replacedText === undefined) return false;
		const changed = getOrInsert(this.changedLines, `${source.seq} ${segment.partIndex}`, () => {
			const lines = listAddedLines(text, replacedText).flat();
			return new Set(cleanText(lines.join('\n')).split('\n'));
		});
		return !changed.has(line);
	}

	private getPart(source: Source, { partIndex }: TextSegment): SourcePart | undefined {
		if (this.lastSource !== source) this.parts = listSourceTexts(source);
		this.lastSource = source;
		return this.parts[partIndex];
	}
}
