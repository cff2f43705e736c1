/** The interface of a compaction's stages: each shortens a draft, or reports why it did not. */

import type { StageFailure } from '../../protocol/compact.ts';
import type { StageName } from '../../protocol/compaction.ts';
import type { IdentifiedMessage } from '../../protocol/conversation.ts';
import type { Protection } from '../history/protection.ts';
import type { Seq } from '../history/record.ts';
import type { Row, Unit } from '../history/row.ts';
import type { Meter } from '../meter/meter.ts';
import type { Clearings } from './clearings.ts';
import type { Draft, Effects } from './draft.ts';
import type { Policy } from './policy.ts';

/** Returns a result's best lines within `tokens` raw tokens; empty if no line is worth showing. */
export type BestLines = (row: Row, message: IdentifiedMessage, tokens: number) => string;

/** The input of a summarizer. */
export interface SummaryTask {
	/** The original rows that the summary replaces, in order. */
	rows: Row[];
	/** The newest summary among the replaced messages; `covers` returns whether it replaces a row. */
	previousSummary?: { row: Row; covers(seq: Seq): boolean };
	/** Rows that stay visible next to the summary. */
	visible: Row[];
	/** Remaining text of shortened visible messages, by row. The summary may quote the removed text. */
	shortened: ReadonlyMap<Seq, string>;
	/** First row of the turn that the summary splits; absent if it splits no turn. */
	turnPrefix?: Seq;
	/** Raw tokens of the rows that the summary replaces. */
	replacedTokens: number;
	/** Maximum raw tokens of the summary's text. */
	maxTokens: number;
	/** Target size of the whole history, in raw tokens. */
	targetTokens: number;
	instructions?: string;
	headings: Policy['headings'];
}

/** A summary's text; empty if there is no summary, with `failure` if an error occurred. */
export interface SummaryText {
	text: string;
	/** Metadata for the summary's message. */
	metadata?: Record<string, unknown>;
	/** `extract`, or the model that wrote the text. */
	by?: string;
	failure?: StageFailure;
}

/** Writes a summary. Rejects only if the compaction is cancelled. */
export type Summarize = (task: SummaryTask) => Promise<SummaryText>;

/** The content of a reasoning block. */
export interface Thinking {
	/** Text at the beginning of the block. */
	prefix: string;
	/** Time that the block shows, if any: milliseconds since the epoch. */
	at?: number;
}

/** The input of a plan. */
export interface PlanInput {
	view: readonly Unit[];
	rows: readonly Row[];
	/** User messages that are known to have no attachments. The plan adds more. */
	withoutAttachments?: WeakSet<Row>;
	meter: Meter;
	protection: Protection;
	policy: Policy;
	/** Clears only these results instead of running the stages. */
	clearings?: Clearings;
	/** Target size of the history, in tokens on the meter's scale. */
	target: number;
	/** First row after the prepared summary, if any. The tail begins at this row if the tail then fits. */
	summarizedTo?: Seq;
	/** Returns the original rows that a visible summary or marker replaces. */
	listHidden: (unit: Unit) => readonly Row[];
	/** Ids for the messages that the plan may create. */
	ids: { summary: string; marker: string };
	effects: Effects;
	/**
	 * Prepares `bestLines` for the original rows of a view; must be awaited before `bestLines` is called. Returns those of
	 * the rows that are results of a check that ran again later.
	 */
	prepareResults(view: readonly Unit[]): Promise<ReadonlySet<Seq>>;
	bestLines: BestLines;
	/** Returns how the call of a result ended, as its placeholder says it; undefined if `prepareResults` did not find it. */
	describeKnownEnd?: (row: Row) => string | undefined;
	summarize: Summarize;
	/** Reasoning before the summary, which is then an assistant message. Some models reject answers without reasoning. */
	thinking?: Thinking;
}

/** A stage's own report. The other members of its outcome are computed from the draft. */
export interface StageReport {
	/** Why the stage did nothing, or less than it was asked to. */
	reason?: string;
	filesDeduped?: number;
	/** Why there is no summary. */
	failure?: StageFailure;
}

export interface Stage {
	name: StageName;
	/** Whether the stage applies. A stage that does not apply is omitted from the report. */
	applies(draft: Draft, input: PlanInput): boolean;
	/** Shortens the draft only as far as the target requires. Rejects only if an effect rejects. */
	run(draft: Draft, input: PlanInput): Promise<StageReport>;
}

/** Returns the report of a summarize stage without a summary. */
export function reportNoSummary(code: StageFailure['code'], reason: string): StageReport {
	return { reason, failure: { code, message: reason, retryable: false } };
}

export const disabledReport: StageReport = { reason: 'disabled' };

/** Returns why a stage has nothing to do: the target is reached, or only protected messages exceed it. */
export function reportReached(draft: Draft, { target }: PlanInput): StageReport {
	const excess = Math.ceil(draft.tokens - target);
	if (excess <= 0) return { reason: 'the target is reached' };
	const kept = Math.round(draft.protectedTokens);
	return { reason: `protected messages take ${kept} tokens: the history stays ${excess} above its target` };
}
