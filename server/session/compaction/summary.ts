/** Writes the summary of a compaction: by a model, or as an extract of the messages. */

import type { Source } from '../../core/analysis/message/source.ts';
import type { Chain } from '../../core/ask/chain.ts';
import type { Effects } from '../../core/compact/draft.ts';
import type { Summarize, SummaryTask } from '../../core/compact/stage.ts';
import { writeExtract } from '../../core/compact/summary/summary.ts';
import { Failure } from '../../core/failure.ts';
import type { StageFailure, SummaryAttempt } from '../../protocol/compact.ts';
import type { ClientContext } from '../clientContext.ts';
import { renderItems } from '../history.ts';
import { type ModelAnswer, measureCoverage, type PrefetchedSummary } from '../prefetchedSummary.ts';
import type { Session } from '../session.ts';
import { appendNote, describeFollowing } from './following.ts';
import { type AskingContext, askForSummary, completeSummary, type WrittenSummary } from './modelSummary.ts';
import type { SourceReader } from './sourceReader.ts';

/** What a compaction determines about its summary. */
export interface SummarizerOptions {
	/** The client that requested the compaction, and whose models write the summary. */
	client: ClientContext;
	/** The models to ask for the summary; absent: the summary is an extract. */
	chain?: Chain;
	/** A model's summary that was requested in advance. */
	prefetched?: PrefetchedSummary;
	/** Whether a prefetched summary of the first messages suffices; the extracted record then covers the rest. */
	canBePartial?: boolean;
	/** Receives a model's answer before it is checked. */
	onAnswer?(answer: PrefetchedSummary): void;
	/** Whether the compaction fails with `SummarizerFailed` if no model gives a usable summary. */
	isModelRequired?: boolean;
	/** A sentence in the summary that says where the originals can be read. */
	recallHint?: string;
	signal: AbortSignal;
	/** Reports progress. */
	report(step: string, percentage: number): void;
}

/** The models to ask, and what to do if none of their answers is usable. */
interface SummaryModels extends Omit<AskingContext, 'countText' | 'read'> {
	/** What to do if no answer is usable: use an extract, use no summary, or fail the compaction. */
	onFailure: 'extract' | 'nothing' | 'fail';
}

type SummaryEffects = Pick<Effects, 'countText' | 'pause' | 'read'>;

/** Writes the summary of one compaction. */
interface Summarizer {
	summarize: Summarize;
	/** The summary, once it is written. */
	written?: WrittenSummary;
}

/** Creates the summarizer of a compaction. */
export function createSummarizer(
	session: Session,
	options: SummarizerOptions,
	sourceReader: SourceReader,
	effects: SummaryEffects,
): Summarizer {
	const summarizer: Summarizer = {
		async summarize(task) {
			options.report('writing the summary', 60);
			const models = selectSummaryModels(session, options);
			const written = await writeSummary(task, sourceReader, { ...options, ...effects }, models);
			summarizer.written = written;
			return written;
		},
	};
	return summarizer;
}

/** Returns the models to ask for the summary; undefined if no model is to write it. */
function selectSummaryModels(session: Session, options: SummarizerOptions): SummaryModels | undefined {
	const { chain, signal, isModelRequired = false, report } = options;
	const { askModel, log, getSettings } = options.client;
	const { now, wait } = session.services;
	if (!askModel || !chain || (chain.links.length === 0 && chain.isExtractive)) return undefined;
	const onFailure = chain.isExtractive ? 'extract' : 'nothing';
	return {
		sessionId: session.id,
		chain,
		ask: askModel,
		signal,
		now,
		wait,
		models: getSettings().models,
		renderItems: async (rows) => (await renderItems(session, rows)).messages,
		onFallback(from, to, reason) {
			log.warn(`${from} wrote no summary of "${session.id}", asking ${to}: ${reason}`);
			report(`${from} wrote no summary, asking ${to}`, 60);
		},
		onFailure: isModelRequired ? 'fail' : onFailure,
	};
}

/** Returns the failure for the case that no model gave a usable answer. */
function createChainFailure(attempts: readonly SummaryAttempt[], tokensBefore: number): StageFailure {
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
	{ countText, read, prefetched, canBePartial }: SummarizerOptions & SummaryEffects,
	models: SummaryModels | undefined,
): Promise<ChainAnswer | undefined> {
	const coverage = prefetched ? measureCoverage(prefetched, task) : 'nothing';
	const isSufficient = coverage === 'all' || (coverage === 'beginning' && (canBePartial || !models));
	if (prefetched && isSufficient) {
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
async function writeSummary(
	task: SummaryTask,
	sourceReader: SourceReader,
	dependencies: SummarizerOptions & SummaryEffects,
	models?: SummaryModels,
): Promise<WrittenSummary> {
	const { countText, pause, recallHint, onAnswer } = dependencies;
	await sourceReader.readSources(task.rows);
	const visible = await sourceReader.readSources(task.visible);
	// An output that stays visible adds its call to the message before, so the messages are only complete now.
	const sources = await sourceReader.readSources(task.rows);
	const following = describeFollowing(task, { sources, visible }, countText);
	const isWhole = ({ seq }: Source): boolean => !task.shortened.has(seq);
	const quotable = [...sources, ...visible.filter((one) => !isWhole(one))].sort((a, b) => a.seq - b.seq);
	const extract = async (budgetTokens: number): Promise<string> => {
		const steps = writeExtract(sourceReader.factIndex, quotable, {
			budgetTokens: budgetTokens - following.tokens,
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
		const { text, basis } = step.value;
		sourceReader.prepareFrom(basis);
		return appendNote(text, following.text, budgetTokens, countText);
	};
	const reply = await findAnswer(task, sources, dependencies, models);
	if (!reply) return { text: await extract(task.maxTokens), by: 'extract', attempts: [] };
	const { answer, by, attempts } = reply;
	if (answer) {
		onAnswer?.({ ...answer, describedSeqs: task.rows.map(({ seq }) => seq), headings: task.headings });
		return completeSummary(answer, task, sources, { visible, countText, extractRecord: extract });
	}
	if (models?.onFailure === 'fail')
		throw new Failure('SummarizerFailed', `${by} gave no summary: ${attempts.at(-1)?.error}`);
	if (models?.onFailure === 'extract')
		return { text: await extract(task.maxTokens), by: 'extract', attempts };
	return { text: '', by: 'none', attempts, failure: createChainFailure(attempts, task.replacedTokens) };
}
