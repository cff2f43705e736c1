/** Who writes the summary of a compaction. */

import type { Effects } from '../../core/compact/draft.ts';
import type { Source } from '../../core/compact/ledger/source.ts';
import type { SummaryTask } from '../../core/compact/stage.ts';
import { summarySteps } from '../../core/compact/summary/summary.ts';
import { turnPrefixPart } from '../../core/compact/summary/summaryShape.ts';
import { toMetadata } from '../../core/compactedItems.ts';
import { Failure } from '../../core/failure.ts';
import type { StageFailure, Summary, SummaryAttempt } from '../../protocol/compact.ts';
import { coverageOf, type ModelAnswer, type PrefetchedSummary } from '../prefetchedSummary.ts';
import { type AskingContext, askForSummary, completeSummary } from './modelSummary.ts';
import type { SourceReader } from './sourceReader.ts';
import { mostOfTurn } from './tuning.ts';

/** Those who may be asked, and what follows where none of their answers may stand. */
export interface SummaryModels extends Omit<AskingContext, 'countText' | 'read'> {
	/** An extract in its place, no summary at all, or a failure of the compaction. */
	otherwise: 'extract' | 'nothing' | 'fail';
}

export interface SummaryDependencies extends Pick<Effects, 'countText' | 'pause' | 'read'> {
	/** A model's summary that was requested earlier. */
	prefetched?: PrefetchedSummary;
	/** Called with what a model answered, before it is checked. */
	onAnswer?(answer: PrefetchedSummary): void;
	/** Uses it even if models could be asked for what it does not describe; the record covers the rest. */
	acceptsPartial?: boolean;
	/** What is said of where the originals can be read. */
	recallHint?: string;
}

/** A summary, or why there is none. */
export interface WrittenSummary extends Summary {
	failure?: StageFailure;
	/** What its message carries beside the text. */
	metadata?: Record<string, unknown>;
	/** What the user should know of it. */
	warnings?: string[];
}

/** What is said of a turn that the summary breaks off in, with its tokens; nothing where there is none, or no room. */
function turnPart(
	task: SummaryTask,
	lists: readonly (readonly Source[])[],
	countText: (text: string) => number,
): { text: string; tokens: number } {
	const last = task.rows.at(-1)?.seq;
	if (task.turnPrefix === undefined || last === undefined) return { text: '', tokens: 0 };
	const text = turnPrefixPart(lists, task.turnPrefix, last);
	const tokens = text === '' ? 0 : countText(text) + 2;
	return tokens <= task.tokens * mostOfTurn ? { text, tokens } : { text: '', tokens: 0 };
}

/** What is told where everybody who was asked failed. */
function allFailed(attempts: readonly SummaryAttempt[], tokensBefore: number): StageFailure {
	const told = attempts.map(({ model, error }) => `${model}: ${error}`).join('; ');
	return {
		code: 'ALL_MODELS_FAILED',
		message: told === '' ? 'nobody could be asked' : told,
		retryable: attempts.some(({ failure }) => failure?.retryable),
		tokensBefore,
	};
}

/** What the models were asked, and what follows if none of them gave a usable answer. */
interface Asked {
	answer?: ModelAnswer;
	/** Of the last model that was asked. */
	by: string;
	attempts: SummaryAttempt[];
}

/**
 * A prefetched answer if it describes all that is summarized, or if nobody is asked about the rest; else what the
 * models say now. Undefined if there is neither.
 */
async function answerFor(
	task: SummaryTask,
	sources: readonly Source[],
	{ countText, read, prefetched, acceptsPartial }: SummaryDependencies,
	models: SummaryModels | undefined,
): Promise<Asked | undefined> {
	const coverage = prefetched ? coverageOf(prefetched, task) : 'nothing';
	const suffices = coverage === 'all' || (coverage === 'beginning' && (acceptsPartial || !models));
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
 * A summary by a model if its answer is usable, else an extract of the messages' own words if that is allowed. Fails
 * with `SummarizerFailed` if only a model's summary was wanted.
 */
export async function writeSummary(
	task: SummaryTask,
	sourceReader: SourceReader,
	dependencies: SummaryDependencies,
	models?: SummaryModels,
): Promise<WrittenSummary> {
	const { countText, pause, recallHint, onAnswer } = dependencies;
	const sources = await sourceReader.originals(task.rows);
	const visible = await (task.isVisibleAppended
		? sourceReader.originals(task.visible)
		: sourceReader.sources(task.visible));
	const turn = turnPart(task, [sources, visible], countText);
	const extract = async (budgetTokens: number): Promise<string> => {
		const steps = summarySteps(sourceReader.ledger, sources, {
			budgetTokens: budgetTokens - turn.tokens,
			count: countText,
			visible,
			instructions: task.instructions,
			recallHint,
			headings: task.headings,
			targetTokens: task.targetTokens,
			found: sourceReader.found,
		});
		let step = steps.next();
		for (; !step.done; step = steps.next()) await pause();
		const { text } = step.value;
		if (text === '') return text;
		return turn.text === '' ? text : `${text}\n\n${turn.text}`;
	};
	const asked = await answerFor(task, sources, dependencies, models);
	if (!asked) return { text: await extract(task.tokens), by: 'extract', attempts: [] };
	const { answer, by, attempts } = asked;
	if (answer) {
		onAnswer?.({ ...answer, seqs: task.rows.map(({ seq }) => seq), headings: task.headings });
		const context = { visible, countText, record: extract };
		const { compacted, ...summary } = await completeSummary(answer, task, sources, context);
		return { ...summary, ...(compacted && { metadata: toMetadata(compacted) }) };
	}
	if (models?.otherwise === 'fail') {
		throw new Failure('SummarizerFailed', `${by} gave no summary: ${attempts.at(-1)?.error}`);
	}
	if (models?.otherwise === 'extract') return { text: await extract(task.tokens), by: 'extract', attempts };
	return { text: '', by: 'none', attempts, failure: allFailed(attempts, task.replacedTokens) };
}
