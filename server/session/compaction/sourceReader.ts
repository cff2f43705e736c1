/** Reads the messages that a compaction needs, each only once. */

import { collectOutcomes, findRepeatedChecks } from '../../core/analysis/calls/outcomes.ts';
import type { MessageAnalyses } from '../../core/analysis/message/analyses.ts';
import { addSource } from '../../core/analysis/message/factIndex.ts';
import { createSource, repeatsAnswer } from '../../core/analysis/message/messageSource.ts';
import { printedOutputName } from '../../core/analysis/message/observation.ts';
import type { Source } from '../../core/analysis/message/source.ts';
import { pairWrittenCall } from '../../core/analysis/message/writtenCalls.ts';
import { selectBestLines } from '../../core/compact/choice/bestLines.ts';
import { computeFactValues } from '../../core/compact/choice/rank.ts';
import type { Effects } from '../../core/compact/draft.ts';
import { describeEnd } from '../../core/compact/plan/resultOutcome.ts';
import type { BestLines } from '../../core/compact/stage.ts';
import type { SummaryBasis } from '../../core/compact/summary/summary.ts';
import { workLimits } from '../../core/compact/tuning.ts';
import type { Seq } from '../../core/history/record.ts';
import type { Row, Unit } from '../../core/history/row.ts';
import { getMessageText } from '../../core/history/text.ts';
import { replaceDataUrls } from '../../core/measure/embeddedImages.ts';
import { keepHeadAndTail } from '../../core/output/shortenResult.ts';
import type { IdentifiedMessage } from '../../protocol/conversation.ts';
import { splitPortions } from '../bodies.ts';
import { runInSlices } from '../services.ts';
import { callOverheadUnits, maxReadMessageUnits, readLimits } from './tuning.ts';

/** Returns the approximate length of a row's text and calls. UTF-16 units. */
export function estimateRowLength(row: Row): number {
	return row.chars + row.counts.calls * callOverheadUnits;
}

/** Returns the rows within the read limit, in order: the newest rows, and older rows of users. */
function selectWithinReadLimit(rows: readonly Row[]): Row[] {
	let { newest, users } = workLimits.maxReadLength;
	const selectedRows: Row[] = [];
	for (let index = rows.length - 1; index >= 0 && users > 0; index--) {
		const row = rows[index] as Row;
		if (newest <= 0 && row.role !== 'user') continue;
		const length = Math.min(maxReadMessageUnits, estimateRowLength(row));
		if (newest > 0) newest -= length;
		else users -= length;
		selectedRows.push(row);
	}
	return selectedRows.reverse();
}

/** Whether a row was read. Compares ids, since a different row may have had the same sequence number. */
export function isRowRead({ sources }: MessageAnalyses, row: Row): boolean {
	return sources.get(row.seq)?.id === row.id;
}

/** Records which message of a session is the agent's first. Must be called before messages are added. */
export function locateFirstAnswer(analyses: MessageAnalyses, rows: readonly Row[]): void {
	analyses.firstAnswerSeq = rows.find(({ role }) => role === 'assistant')?.seq;
}

/** Adds a row's message to the analysis. An output also adds its call to the message before, which writes it as text. */
export function addToAnalyses(analyses: MessageAnalyses, row: Row, message: IdentifiedMessage): void {
	const { firstAnswerSeq = Number.POSITIVE_INFINITY } = analyses;
	const source = createSource(row, message, row.seq < firstAnswerSeq);
	analyses.textLength += estimateRowLength(row);
	const isPrinted = source.toolName === printedOutputName && source.toolCallId === undefined;
	const pair = isPrinted ? pairWrittenCall(analyses.sources.get(row.seq - 1), source) : undefined;
	if (pair) storeSource(analyses, pair.caller);
	if (repeatsAnswer(source, findAnswerBefore(analyses, row.seq))) source.isInjected = true;
	storeSource(analyses, pair?.result ?? source);
}

/** Number of messages of an agent's program that may be between an answer and its repetition. */
const maxNoticesBetween = 2;

/** Returns the agent's message before a row, which only notices of the agent's program separate from it. */
function findAnswerBefore({ sources }: MessageAnalyses, seq: Seq): Source | undefined {
	for (let before = seq - 1; before >= seq - 1 - maxNoticesBetween; before--) {
		const source = sources.get(before);
		if (source?.role === 'assistant') return source;
	}
	return undefined;
}

function storeSource({ factIndex, sources }: MessageAnalyses, source: Source): void {
	factIndex.entries.delete(source.seq);
	sources.set(source.seq, source);
	addSource(factIndex, source, maxReadMessageUnits);
}

/** Reads the messages of one session for a compaction. */
export type SourceReader = ReturnType<typeof createSourceReader>;

/**
 * Creates a reader over one session's messages.
 * @param analyses analysis of messages that were read before
 */
export function createSourceReader({ read, pause, countText }: Effects, analyses: MessageAnalyses) {
	const { factIndex, sources, cache } = analyses;
	let basis: SummaryBasis | undefined;

	/** Reads the rows that are within the read limit; returns their analyzed messages, in order. */
	async function readSources(rows: readonly Row[]): Promise<Source[]> {
		const rowsInLimit = selectWithinReadLimit(rows);
		const unread = rowsInLimit.filter((row) => !isRowRead(analyses, row));
		const portions = splitPortions(unread, estimateRowLength, readLimits);
		await pause();
		for (const portion of portions) {
			for (const [index, message] of (await read(portion)).entries()) {
				const row = portion[index];
				if (row) addToAnalyses(analyses, row, message);
			}
			await pause();
		}
		return rowsInLimit.flatMap((row) => sources.get(row.seq) ?? []);
	}

	const bestLines: BestLines = (row, message, tokens) => {
		const source = sources.get(row.seq);
		if (basis && source) {
			const { values } = basis;
			return selectBestLines(factIndex, source, { budgetTokens: tokens, count: countText, values });
		}
		const text = replaceDataUrls(getMessageText(message));
		const units = Math.floor((text.length * tokens) / Math.max(1, row.counts.text));
		return keepHeadAndTail(text, units, '…');
	};

	return {
		factIndex,
		cache,
		readSources,
		/** Lets `bestLines` use the analyses of a summary of the same messages, unless they were prepared before. */
		prepareFrom(summaryBasis: SummaryBasis): void {
			basis ??= summaryBasis;
		},
		/**
		 * Prepares `bestLines` for a view, unless it is prepared. Returns the results of checks that ran again later.
		 */
		async prepareResults(view: readonly Unit[]): Promise<ReadonlySet<Seq>> {
			if (!basis) {
				const rows = view.filter(({ layer }) => layer === 0).map(({ row }) => row);
				const viewSources = await readSources(rows);
				const outcomes = await runInSlices(collectOutcomes(viewSources, cache), { pause });
				basis = { outcomes, values: computeFactValues(factIndex, viewSources) };
			}
			return findRepeatedChecks(basis.outcomes);
		},
		bestLines,
		/** Returns how the call of a result ended; undefined if that is unknown, or if another call started the command. */
		describeKnownEnd(row: Row): string | undefined {
			const source = isRowRead(analyses, row) ? sources.get(row.seq) : undefined;
			const outcome = source && basis?.outcomes.byResult.get(source);
			return outcome && outcome.call === outcome.reader ? describeEnd(outcome) : undefined;
		},
	};
}
