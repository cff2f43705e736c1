/** Writes the summary of a compaction: by a model, or as an extract of the messages. */

import type { Source } from '../../core/analysis/source.ts';
import type { Effects } from '../../core/compact/draft.ts';
import type { SummaryTask } from '../../core/compact/stage.ts';
import { writeExtract } from '../../core/compact/summary/summary.ts';
import { createItemsMetadata } from '../../core/compactedItems.ts';
import { Failure } from '../../core/failure.ts';
import type { StageFailure, Summary, SummaryAttempt } from '../../protocol/compact.ts';
import { type ModelAnswer, measureCoverage, type PrefetchedSummary } from '../prefetchedSummary.ts';
import { type AskingContext, askForSummary, completeSummary } from './modelSummary.ts';
import type { SourceReader } from './sourceReader.ts';
import { maxTurnShare } from './tuning.ts';

/** The models to ask, and what to do if none of their answers is usable. */
export interface SummaryModels extends Omit<AskingContext, 'countText' | 'read'> {
	/** What to do if no answer is usable: use an extract, use no summary, or fail the compaction. */
	onFailure: 'extract' | 'nothing' | 'fail';
}

export interface SummaryDependencies extends Pick<Effects, 'countText' | 'pause' | 'read'> {
	/** A model's summary that was requested in advance. */
	prefetched?: PrefetchedSummary;
	/** Receives a model's answer before it is checked. */
	onAnswer?(answer: PrefetchedSummary): void;
	/** Whether a prefetched summary of the first messages suffices; the extracted record then covers the rest. */
	canBePartial?: boolean;
	/** A sentence in the summary that says where the originals can be read. */
	recallHint?: string;
}

/** A summary, or why there is none. */
export interface WrittenSummary extends Summary {
	failure?: StageFailure;
	/** Members of the summary's message besides its text. */
	metadata?: Record<string, unknown>;
	/** What the user should know about the summary. */
	warnings?: string[];
}

/**
 * Returns a note, with its tokens, on how much of an unfinished turn the summary replaces; empty if the summary ends
 * between two turns, or if the note would be too long.
 */
function describeTurnInProgress(
	task: SummaryTask,
	lists: readonly (readonly Source[])[],
	countText: (text: string) => number,
): { text: string; tokens: number } {
	const none = { text: '', tokens: 0 };
	const turn = task.turnPrefix;
	const last = task.rows.at(-1)?.seq;
	if (turn === undefined || last === undefined) return none;
	const hidden = lists.flatMap((sources) => sources.filter(({ seq }) => seq > turn && seq <= last));
	if (hidden.length === 0) return none;
	const calls = hidden.reduce((sum, source) => sum + source.calls.length, 0);
	const first =
		hidden.length === 1
			? 'Its first message is'
			: `Its first ${hidden.length} messages (${calls} tool calls) are`;
	const text = `## Turn in progress\n ${first} part of this summary; the rest follows.`;
	const tokens = countText(text) + 2;
	return tokens <= task.tokens * maxTurnShare ? { text, tokens } : none;
}

/** Returns the failure for the case that no model gave a usable answer. */
function createAllFailed(attempts: readonly SummaryAttempt[], tokensBefore: number): StageFailure {
	const errors = attempts.map(({ model, error }) => `${model}: ${error}`).join('; ');
	return {
		code: 'ALL_MODELS_FAILED',
		message: errors === '' ? 'no model could be asked' : errors,
		retryable: attempts.some(({ failure }) => failure?.retryable),
		tokensBefore,
	};
}

/** The usable answer of a chain of models, if there is one, and all attempts. */
interface ChainAnswer {
	answer?: ModelAnswer;
	/** Name of the last model that was asked. */
	by: string;
	attempts: SummaryAttempt[];
}

/**
 * Returns a prefetched answer if it suffices, else asks the models; undefined if there are no models to ask.
 *
 * A prefetched answer suffices if it describes everything, or if no model is to be asked about the rest.
 */
async function findAnswer(
	task: SummaryTask,
	sources: readonly Source[],
	{ countText, read, prefetched, canBePartial }: SummaryDependencies,
	models: SummaryModels | undefined,
): Promise<ChainAnswer | undefined> {
	const coverage = prefetched ? measureCoverage(prefetched, task) : 'nothing';
	const suffices = coverage === 'all' || (coverage === 'beginning' && (canBePartial || !models));
	if (prefetched && suffices) {
		const { value, by, attempts } = prefetched;
		return { answer: { value, by, attempts }, by, attempts };
	}
	if (!models) return undefined;
	const earlier = coverage === 'beginning' ? prefetched : undefined;
	const { value, by, attempts } = await askForSummary(task, sources, { ...models, countText, read }, earlier);
	return { ...(value !== undefined && { answer: { value, by, attempts } }), by, attempts };
}

/**
 * Returns a model's summary if one is usable, else an extract of the messages if `models.onFailure` allows it.
 *
 * Fails with `SummarizerFailed` if only a model's summary is accepted.
 */
export async function writeSummary(
	task: SummaryTask,
	sourceReader: SourceReader,
	dependencies: SummaryDependencies,
	models?: SummaryModels,
): Promise<WrittenSummary> {
	const { countText, pause, recallHint, onAnswer } = dependencies;
	const sources = await sourceReader.readSources(task.rows);
	const visible = await sourceReader.readSources(task.visible);
	const turn = describeTurnInProgress(task, [sources, visible], countText);
	const isWhole = ({ seq }: Source): boolean => !task.shortened.has(seq);
	const quotable = [...sources, ...visible.filter((one) => !isWhole(one))].sort((a, b) => a.seq - b.seq);
	const extract = async (budgetTokens: number): Promise<string> => {
		const steps = writeExtract(sourceReader.factIndex, quotable, {
			budgetTokens: budgetTokens - turn.tokens,
			count: countText,
			visible: visible.filter(isWhole),
			shortened: task.shortened,
			instructions: task.instructions,
			recallHint,
			headings: task.headings,
			targetTokens: task.targetTokens,
			cache: sourceReader.cache,
		});
		let step = steps.next();
		for (; !step.done; step = steps.next()) await pause();
		const { text } = step.value;
		if (text === '') return text;
		return turn.text === '' ? text : `${text}\n\n${turn.text}`;
	};
	const asked = await findAnswer(task, sources, dependencies, models);
	if (!asked) return { text: await extract(task.tokens), by: 'extract', attempts: [] };
	const { answer, by, attempts } = asked;
	if (answer) {
		onAnswer?.({ ...answer, describedSeqs: task.rows.map(({ seq }) => seq), headings: task.headings });
		const context = { visible, countText, extractRecord: extract };
		const { compacted, ...summary } = await completeSummary(answer, task, sources, context);
		return { ...summary, ...(compacted && { metadata: createItemsMetadata(compacted) }) };
	}
	if (models?.onFailure === 'fail') {
		throw new Failure('SummarizerFailed', `${by} gave no summary: ${attempts.at(-1)?.error}`);
	}
	if (models?.onFailure === 'extract') return { text: await extract(task.tokens), by: 'extract', attempts };
	return { text: '', by: 'none', attempts, failure: createAllFailed(attempts, task.replacedTokens) };
}
