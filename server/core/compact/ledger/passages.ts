import type { ToolCall } from '../../../protocol/conversation.ts';
import type { Ledger, LedgerEntry } from './ledger.ts';
import { withoutLineNumbers } from './lineNumber.ts';
import { callAt, partsOf, type Source, type SourcePart } from './source.ts';

/** Longer segments are data without structure, and are never quoted. UTF-16 units. */
const maxQuotedLength = 400;

/** Finds the words of a segment: the ledger holds places only. */
export interface Passages {
	ledger: Ledger;
	/** By the place of their segments. */
	entries: { entry: LedgerEntry; source: Source }[];
	/** Calls by id, for the label of their results. */
	calls: Map<string, ToolCall>;
	/** The parts of the source read last: neighbours are asked for together. */
	parts: SourcePart[];
	partsOf: Source | undefined;
}

/** Of these sources, all of which must have been added to the ledger. */
export function createPassages(ledger: Ledger, sources: readonly Source[]): Passages {
	const entries: Passages['entries'] = [];
	const calls = new Map<string, ToolCall>();
	for (const source of sources) {
		for (const call of source.calls) calls.set(call.id, call);
		const entry = ledger.entries.get(source.seq);
		if (entry !== undefined && entry.to > entry.from) entries.push({ entry, source });
	}
	entries.sort((a, b) => a.entry.from - b.entry.from);
	return { ledger, entries, calls, parts: [], partsOf: undefined };
}

/** The segments that may be quoted, each with a group: its message, or the long arguments of it. */
export function candidatesOf(passages: Passages): { candidates: number[]; groups: number[] } {
	const candidates: number[] = [];
	const groups: number[] = [];
	const { from, to, part } = passages.ledger.segments;
	// By message: what is read in another order is chosen alike.
	for (const { entry } of [...passages.entries].sort((a, b) => a.entry.seq - b.entry.seq)) {
		for (let segment = entry.from; segment < entry.to; segment++) {
			if (to.data[segment]! - from.data[segment]! > maxQuotedLength) continue;
			candidates.push(segment);
			groups.push(entry.seq * 2 + Math.min(1, part.data[segment]!));
		}
	}
	return { candidates, groups };
}

/** Where a segment stands: its message, and the call that it is of, or that it is the result of. */
export interface PassagePlace {
	source: Source;
	call?: ToolCall;
	/** The whole text that it is a piece of; a long argument of the call where `isArgument`. */
	part: SourcePart;
	isArgument: boolean;
}

/** The place of a segment. */
export function placeOf(passages: Passages, segment: number): PassagePlace {
	const { entries, ledger } = passages;
	let low = 0;
	let high = entries.length - 1;
	while (low < high) {
		const middle = (low + high + 1) >> 1;
		if (entries[middle]!.entry.from <= segment) low = middle;
		else high = middle - 1;
	}
	const { source } = entries[low]!;
	if (passages.partsOf !== source) {
		passages.parts = partsOf(source);
		passages.partsOf = source;
	}
	const number = ledger.segments.part.data[segment]!;
	const part = passages.parts[number]!;
	const index = callAt(part, ledger.segments.to.data[segment]!);
	const call = index === undefined ? passages.calls.get(source.toolCallId ?? '') : source.calls[index];
	return { source, call, part, isArgument: number > 0 };
}

/** The words of a segment, without the line numbers of a read tool. */
export function wordsOf(passages: Passages, segment: number): string {
	const { source, part } = placeOf(passages, segment);
	const { from, to } = passages.ledger.segments;
	const text = part.text.slice(from.data[segment], to.data[segment]);
	return source.role === 'tool' ? withoutLineNumbers(text) : text;
}
