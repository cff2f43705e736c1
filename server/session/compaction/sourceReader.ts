/** Loads the messages that a compaction reads, on demand and only once. */

import { headAndTail } from '../../core/compact/cutMiddle.ts';
import { bestLines } from '../../core/compact/choice/bestLines.ts';
import { addSource, type FactIndex } from '../../core/analysis/factIndex.ts';
import { factValues } from '../../core/compact/choice/rank.ts';
import type { Source } from '../../core/analysis/source.ts';
import type { AnalysisCache } from '../../core/analysis/analyses.ts';
import { messageSource } from '../../core/analysis/messageSource.ts';
import type { Reading } from '../../core/analysis/reading.ts';
import { lastUserIndex, type RowColumns } from '../../core/compact/rowColumns.ts';
import type { BestLines } from '../../core/compact/stage.ts';
import { workLimits } from '../../core/compact/tuning.ts';
import type { Row } from '../../core/history/row.ts';
import { textOf } from '../../core/history/text.ts';
import { withoutDataUrls } from '../../core/measure/embeddedImages.ts';
import type { IdentifiedMessage } from '../../protocol/conversation.ts';
import { callOverheadLength, maxMessageLength, readPortionLength } from './tuning.ts';

export interface SourceReader {
	factIndex: FactIndex;
	found: AnalysisCache;
	/** Sources of the rows within the read limit, in order. */
	sources(rows: readonly Row[]): Promise<Source[]>;
	/** Sources of appended rows, most of which are skipped without being visited. */
	originals(rows: readonly Row[]): Promise<Source[]>;
	/** Loads everything needed to judge the best lines of results. */
	weigh(rows: readonly Row[]): Promise<void>;
	bestLines: BestLines;
}

/** Approximate length of a row's text and calls. UTF-16 units. */
export function approximateLengthOf(row: Row): number {
	return row.chars + row.counts.calls * callOverheadLength;
}

/**
 * The rows within the read limit, in order: the newest ones, and older ones of users.
 * @param before returns the index of the last user's row up to `last`, or -1
 */
function withinReadLimit(
	rows: readonly Row[],
	before: (rows: readonly Row[], last: number) => number,
): Row[] {
	let { newest, users } = workLimits.maxReadLength;
	const found: Row[] = [];
	let index = rows.length - 1;
	for (; index >= 0 && newest > 0; index--) {
		const row = rows[index] as Row;
		newest -= Math.min(maxMessageLength, approximateLengthOf(row));
		found.push(row);
	}
	for (index = before(rows, index); index >= 0 && users > 0; index = before(rows, index - 1)) {
		const row = rows[index] as Row;
		users -= Math.min(maxMessageLength, approximateLengthOf(row));
		found.push(row);
	}
	return found.reverse();
}

/** Index of the last user's row up to `last`; -1 if there is none. */
function userAmong(rows: readonly Row[], last: number): number {
	let index = last;
	while (index >= 0 && rows[index]?.role !== 'user') index--;
	return index;
}

/** Splits rows into portions to read at once. */
function portionsOf(rows: readonly Row[]): Row[][] {
	const portions: Row[][] = [];
	let chars = 0;
	for (const row of rows) {
		const last = portions.at(-1);
		chars += approximateLengthOf(row);
		if (last && last.length < readPortionLength.rows && chars <= readPortionLength.chars) last.push(row);
		else {
			portions.push([row]);
			chars = approximateLengthOf(row);
		}
	}
	return portions;
}

/** Whether a row was read; a different row may have been read under the same number. */
export function isKnown({ known }: Reading, row: Row): boolean {
	return known.get(row.seq)?.id === row.id;
}

/** Adds a row's message to the analysis. */
export function addMessage(reading: Reading, row: Row, message: IdentifiedMessage): Source {
	const source = messageSource(row, message);
	reading.factIndex.entries.delete(row.seq);
	reading.known.set(row.seq, source);
	reading.chars += approximateLengthOf(row);
	addSource(reading.factIndex, source, maxMessageLength);
	return source;
}

interface SourceReaderOptions {
	/** Loads the messages of rows. */
	read(rows: readonly Row[]): Promise<IdentifiedMessage[]>;
	pause(): Promise<void>;
	/** Returns raw tokens. */
	countText(text: string): number;
	/** Analysis of messages that were read before. */
	reading: Reading;
	/** Facts about all rows. */
	columns: RowColumns;
}

/** Creates a reader over one session's messages. */
export function createSourceReader({
	read,
	pause,
	countText,
	reading,
	columns,
}: SourceReaderOptions): SourceReader {
	const { factIndex, known, found } = reading;
	let values: Float32Array | undefined;

	async function sourcesOf(near: readonly Row[]): Promise<Source[]> {
		const parts = portionsOf(near.filter((row) => !isKnown(reading, row)));
		await pause();
		for (const part of parts) {
			for (const [index, message] of (await read(part)).entries()) {
				const row = part[index];
				if (row) addMessage(reading, row, message);
			}
			await pause();
		}
		return near.flatMap((row) => known.get(row.seq) ?? []);
	}

	const sources = (rows: readonly Row[]): Promise<Source[]> => sourcesOf(withinReadLimit(rows, userAmong));
	const originals = (rows: readonly Row[]): Promise<Source[]> =>
		sourcesOf(withinReadLimit(rows, (among, last) => lastUserIndex(columns, among, last)));

	return {
		factIndex,
		found,
		sources,
		originals,
		async weigh(rows) {
			values = factValues(factIndex, await originals(rows));
		},
		bestLines(row, message, tokens) {
			const source = known.get(row.seq);
			if (values && source)
				return bestLines(factIndex, source, { budgetTokens: tokens, count: countText, values });
			const text = withoutDataUrls(textOf(message));
			return headAndTail(text, Math.floor((text.length * tokens) / Math.max(1, row.counts.text)), '…');
		},
	};
}
