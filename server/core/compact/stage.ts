/** What a stage of a compaction is: it looks at a draft, and makes it smaller or says why not. */

import type { StageFailure } from '../../protocol/compact.ts';
import type { StageName } from '../../protocol/compaction.ts';
import type { IdentifiedMessage } from '../../protocol/conversation.ts';
import type { Protection } from '../history/protection.ts';
import type { Seq } from '../history/record.ts';
import type { Row, Unit } from '../history/row.ts';
import type { Meter } from '../meter/meter.ts';
import type { Draft, Effects } from './draft.ts';
import type { Policy } from './policy.ts';
import type { Thinking } from './reasoningBlock.ts';
import type { RowColumns } from './rowColumns.ts';

/** Shrinks a result to its best lines within some raw tokens; the empty text where none is worth it. */
export type BestLines = (row: Row, message: IdentifiedMessage, tokens: number) => string;

/** What a summarizer is given. */
export interface SummaryTask {
	/** The original rows that the summary will stand for, in order. */
	rows: Row[];
	/** The newest summary among what it replaces, and the rows that this one told of. */
	before?: { row: Row; holds(seq: Seq): boolean };
	/** Rows that stay visible beside it. */
	visible: Row[];
	/** Whether all of these are as they were appended, and none stands for others. */
	isVisibleAppended?: boolean;
	/** First row of a turn whose later part stays in the history; absent where no turn is cut in two. */
	turnPrefix?: Seq;
	/** Raw tokens of what it replaces. */
	replacedTokens: number;
	/** Raw tokens that the text may have. */
	tokens: number;
	/** Raw tokens that the whole history comes down to. */
	targetTokens: number;
	instructions?: string;
	headings: Policy['headings'];
}

/** A summary's text; empty where there is none, with what went wrong. */
export interface SummaryText {
	text: string;
	/** What the message carries beside it. */
	metadata?: Record<string, unknown>;
	/** `extract`, or the model that wrote it. */
	by?: string;
	failure?: StageFailure;
}

/** Makes a summary's text; rejects where the compaction was cancelled. */
export type Summarize = (task: SummaryTask) => Promise<SummaryText>;

/** What a compaction is planned from. */
export interface PlanInput {
	view: readonly Unit[];
	rows: readonly Row[];
	/** What shows each row as it was appended. */
	units: readonly Unit[];
	/** What earlier plans asked of the rows, to which it is added; nothing where absent. */
	columns?: RowColumns;
	meter: Meter;
	protection: Protection;
	policy: Policy;
	/** Tokens that the history should come down to, on the meter's scale. */
	target: number;
	/** First row that a summary at hand does not describe: the kept tail begins there if it fits. */
	summarizedTo?: Seq;
	/** The original rows that a visible summary or marker stands for. */
	behind: (unit: Unit) => readonly Row[];
	/** Ids for the messages that the plan may make. */
	ids: { summary: string; marker: string };
	effects: Effects;
	/** Makes the judgement of best lines ready; called before the first of them is asked for. */
	weigh(): Promise<void>;
	bestLines: BestLines;
	summarize: Summarize;
	/** What the reasoning in front of a summary is made of, where the model reads none without; the summary is an answer then. */
	thinking?: Thinking;
}

/** What a stage says of itself; the rest is read off the draft. */
export interface StageReport {
	/** Why it did nothing, or less than was asked. */
	reason?: string;
	filesDeduped?: number;
	/** Why there is no summary. */
	failure?: StageFailure;
}

export interface Stage {
	name: StageName;
	/** Whether it has anything to say here; one that has not is not told of. */
	applies(draft: Draft, input: PlanInput): boolean;
	/** Takes what is still needed, and no more; changes nothing but the draft. Rejects only where the effects do. */
	run(draft: Draft, input: PlanInput): Promise<StageReport>;
}

/** What a stage says that made no summary, whoever might have written it. */
export function noSummary(code: StageFailure['code'], reason: string): StageReport {
	return { reason, failure: { code, message: reason, retryable: false } };
}

export const disabled: StageReport = { reason: 'disabled' };

/** Why a stage has nothing to do: the history is down to its target, or to what protected messages leave of one. */
export function reached(draft: Draft, { target }: PlanInput): StageReport {
	const over = Math.ceil(draft.tokens - target);
	if (over <= 0) return { reason: 'the target is reached' };
	const kept = Math.round(draft.protectedTokens);
	return { reason: `protected messages take ${kept} tokens: the history stays ${over} above its target` };
}
