/** Compacts a session: plans on a snapshot and applies the plan to the current state, all or nothing. */

import type { MessageAnalyses } from '../../core/analysis/analyses.ts';
import type { Chain } from '../../core/ask/chain.ts';
import type { Clearings } from '../../core/compact/clearings.ts';
import { type Plan, plan } from '../../core/compact/plan/plan.ts';
import type { Policy } from '../../core/compact/policy.ts';
import { requiresReasoningBlock, type Thinking } from '../../core/compact/reasoningBlock.ts';
import type { DecidedPolicy } from '../../core/cost/policy.ts';
import { Failure } from '../../core/failure.ts';
import { admit } from '../../core/history/admit.ts';
import { computeProtection, type Protection } from '../../core/history/protection.ts';
import type { Seq } from '../../core/history/record.ts';
import { findReplacedRows } from '../../core/history/replacedRows.ts';
import type { Row, Unit } from '../../core/history/row.ts';
import type { State } from '../../core/history/state.ts';
import { weighRow } from '../../core/meter/reading.ts';
import { withoutUndefined } from '../../core/shape.ts';
import { findPluginAgent } from '../../core/transcript/agents.ts';
import type { CompactResult } from '../../protocol/compact.ts';
import type { FreeSelection } from '../../protocol/sources.ts';
import { readRowMessages } from '../bodies.ts';
import type { ClientContext } from '../clientContext.ts';
import { commit } from '../commit.ts';
import { isCacheCold } from '../decision.ts';
import { renderRows } from '../history.ts';
import type { PrefetchedSummary } from '../prefetchedSummary.ts';
import { runWithSessionCache } from '../readingCache.ts';
import { type Session, selectMeasure } from '../session.ts';
import { runInSlices } from '../slices.ts';
import { selectClearings } from '../sources/selectClearings.ts';
import { type ClearingRules, findSourcedResults } from '../sources/sourcedResults.ts';
import {
	computeCacheCost,
	countHistoryTokens,
	countStablePrefix,
	createCompactionResult,
	createEmptyPlanResult,
	createNothingToFreeResult,
	createPlaceholderIds,
	createTooSmallResult,
	createUnchangedResult,
	listStagesUsed,
	type Proposal,
} from './receipt.ts';
import { createSourceReader } from './sourceReader.ts';
import { computeStateAfterStep, createStepRecord } from './stepRecord.ts';
import { type SummaryModels, type WrittenSummary, writeSummary } from './summary.ts';
import { maxPlanAttempts, minSaving } from './tuning.ts';

export interface CompactionOptions {
	/** The client that requested the compaction, and whose models write the summary. */
	client: ClientContext;
	cause: 'compact' | 'recover';
	policy: Policy;
	/** Target size of the history, in tokens. */
	targetTokens: number;
	/** The decision that made the compaction due; absent if the user requested it. */
	decidedPolicy?: DecidedPolicy;
	/** The models to ask for the summary; absent: the summary is an extract. */
	chain?: Chain;
	/** A model's summary that was requested in advance. */
	prefetched?: PrefetchedSummary;
	/** Whether a prefetched summary is used as it is, even if models could still be asked about later messages. */
	canBePartial?: boolean;
	/** Receives a model's answer. */
	onAnswer?(answer: PrefetchedSummary): void;
	/** Whether the compaction fails with `SummarizerFailed` if no model gives a usable summary. */
	isModelRequired?: boolean;
	preserve?: readonly string[];
	/** Limits the compaction to these rows. */
	range?: { from: Seq; to: Seq };
	/** Clears only the outdated results of these files and commands. */
	free?: FreeSelection;
	/** A sentence in the summary that says where the originals can be read. */
	recallHint?: string;
	/** Returns why the planned history is refused, so that nothing changes; undefined if it is accepted. */
	findRefusal?(after: State): string | undefined;
	signal: AbortSignal;
	/** Reports progress. */
	report(what: string, percentage: number): void;
}

function resolveProtection(session: Session, options: CompactionOptions): Protection {
	const { cutUserMessages } = options.policy;
	const keepsRunningCalls = findPluginAgent(session.id) !== undefined;
	return computeProtection(session.state, { preserve: options.preserve, keepsRunningCalls, cutUserMessages });
}

/** Returns the models to ask for the summary; undefined if no model is to write it. */
function selectSummaryModels(session: Session, options: CompactionOptions): SummaryModels | undefined {
	const { chain, signal, isModelRequired = false, report } = options;
	const { askModel, log, settings } = options.client;
	const { now, wait } = session.services;
	if (!askModel || !chain || (chain.links.length === 0 && chain.isExtractive)) return undefined;
	const instead = chain.isExtractive ? 'extract' : 'nothing';
	return {
		sessionId: session.id,
		chain,
		ask: askModel,
		signal,
		now,
		wait,
		models: settings().models,
		renderItems: async (rows) => (await renderRows(session, rows, 'openai-responses')).messages,
		onFallback(from, to, why) {
			log.warn(`${from} wrote no summary of "${session.id}", asking ${to}: ${why}`);
			report(`${from} wrote no summary, asking ${to}`, 60);
		},
		onFailure: isModelRequired ? 'fail' : instead,
	};
}

/** Returns the reasoning to put before a summary, if the session's model requires reasoning. */
function resolveThinking({ services, state }: Session, client: ClientContext): { thinking?: Thinking } {
	if (!requiresReasoningBlock(state.info.model)) return {};
	const { thinkingPrefix: prefix, includeTimestamp } = client.settings().summarization;
	return { thinking: { prefix, ...(includeTimestamp && { at: services.now() }) } };
}

/** Returns the summary in a plan; if the plan has none, lists the models that were asked for it. */
function extractSummary(
	{ patches }: Plan,
	written: WrittenSummary | undefined,
): Pick<Proposal, 'summary' | 'warnings'> {
	if (!written) return {};
	const { text, by, attempts, warnings } = written;
	if (patches.some((patch) => patch.replacement?.made === 'summary'))
		return { summary: { text, by, attempts }, warnings };
	return attempts.length > 0 ? { summary: { text: '', by: 'none', attempts } } : {};
}

/** Returns the results to clear for a selection of files and commands. */
async function findClearings(
	session: Session,
	free: FreeSelection,
	{
		policy,
		view,
		protection,
	}: Pick<CompactionOptions, 'policy'> & Pick<ClearingRules, 'view' | 'protection'>,
): Promise<Clearings> {
	const rules = { view, protection, protectedTools: policy.protectedTools };
	return runInSlices(selectClearings(await findSourcedResults(session, rules), free), session.services);
}

/** Plans a compaction on a snapshot of the session, and changes nothing. */
async function planCompaction(
	session: Session,
	options: CompactionOptions,
	id: string,
	reading: MessageAnalyses,
): Promise<Proposal> {
	const { services } = session;
	const { state } = session;
	const measure = selectMeasure(session);
	const { range } = options;
	const isWithin = ({ from, to }: Unit): boolean => !range || (from >= range.from && to <= range.to);
	const view = range ? state.view.filter(isWithin) : [...state.view];
	const beyond = range ? state.view.filter((unit) => !isWithin(unit)) : [];
	const tokensBeyond = beyond.reduce((sum, { row }) => sum + weighRow(state.meter, row), 0);
	const pause = async (): Promise<void> => {
		options.signal.throwIfAborted();
		await services.pause();
		options.signal.throwIfAborted();
	};
	const read = async (rows: readonly Row[]) =>
		(await readRowMessages(session, rows)).map(({ message }) => message);
	const { countText, countMessage } = measure;
	const sourceReader = createSourceReader({ read, pause, countText, reading });
	const protection = resolveProtection(session, options);
	const clearings =
		options.free && (await findClearings(session, options.free, { ...options, view, protection }));
	let written: WrittenSummary | undefined;
	const planned = await plan({
		view,
		rows: state.rows,
		withoutAttachments: session.readings.withoutAttachments,
		meter: state.meter,
		protection,
		policy: options.policy,
		...(clearings && { clearings }),
		target: Math.max(0, options.targetTokens - tokensBeyond),
		summarizedTo: options.prefetched && (options.prefetched.describedSeqs.at(-1) ?? -1) + 1,
		listHidden: (unit) => findReplacedRows(state, unit.row.id) ?? [],
		ids: createPlaceholderIds(id),
		effects: { read, pause, countText, countMessage },
		prepareBestLines: () =>
			sourceReader.prepareBestLines(view.filter((unit) => unit.layer === 0).map((unit) => unit.row)),
		bestLines: sourceReader.bestLines,
		...resolveThinking(session, options.client),
		async summarize(task) {
			options.report('writing the summary', 60);
			const { recallHint, prefetched, canBePartial, onAnswer } = options;
			const asked = { prefetched, canBePartial, onAnswer };
			const dependencies = { countText, pause, read, recallHint, ...asked };
			written = await writeSummary(task, sourceReader, dependencies, selectSummaryModels(session, options));
			return written;
		},
	});
	await pause();
	return {
		plan: planned,
		protection,
		...extractSummary(planned, written),
	};
}

/**
 * Asks the models for the summary that a compaction would need, without changing anything.
 *
 * Asks no model if the compaction would need no summary. Fails with `SummarizerFailed` if no answer is usable.
 */
export async function requestSummary(
	session: Session,
	options: CompactionOptions & Required<Pick<CompactionOptions, 'onAnswer'>>,
): Promise<void> {
	const id = session.services.createId();
	await runWithSessionCache(session.readings, (reading) =>
		planCompaction(session, { ...options, isModelRequired: true }, id, reading),
	);
}

/** Compacts a session that has messages. If cancelled, the session is unchanged. */
export async function runCompaction(session: Session, options: CompactionOptions): Promise<CompactResult> {
	const { state } = session;
	for (let attempt = 1; ; attempt++) {
		const { version, measure } = state;
		const id = session.services.createId();
		const proposal = await runWithSessionCache(session.readings, (reading) =>
			planCompaction(session, options, id, reading),
		);
		options.signal.throwIfAborted();
		const { plan: planned } = proposal;
		const protection = state.version === version ? proposal.protection : resolveProtection(session, options);
		const nothing = async (): Promise<CompactResult> => ({
			...(await runInSlices(
				options.free
					? createNothingToFreeResult(state, planned, options.targetTokens)
					: createEmptyPlanResult(state, planned, options, protection),
				session.services,
			)),
			...(proposal.summary?.text === '' && { summary: proposal.summary }),
		});
		if (planned.patches.length === 0) return nothing();
		const patches = planned.patches.map(({ from, to, replacement: show }) => ({
			from,
			to,
			...(show && { show: { id: show.message.id, counts: show.counts } }),
		}));
		const refusal = state.measure === measure ? admit(state, patches, protection) : 'recounted';
		if (refusal === 'grows') return nothing();
		if (refusal) {
			// If the history changed since planning, a new plan may be accepted. Otherwise the plan itself is wrong.
			if (state.version !== version && attempt < maxPlanAttempts) continue;
			throw new Failure('CompactionFailed', `the compaction was refused: ${refusal}`, { refusal });
		}
		return (await applyPlan(session, options, proposal, id)) ?? nothing();
	}
}

/** Applies a plan if it saves enough and is accepted; null if the plan saves nothing. */
async function applyPlan(
	session: Session,
	options: CompactionOptions,
	proposal: Proposal,
	id: string,
): Promise<CompactResult | null> {
	const { state } = session;
	const { step, bodies } = createStepRecord(session.services, state, proposal.plan, {
		id,
		cause: options.cause,
	});
	const after = computeStateAfterStep(state, step);
	const tokensBefore = countHistoryTokens(state);
	const tokensAfter = countHistoryTokens(after);
	if (tokensAfter >= tokensBefore) return null;
	const tokensSaved = tokensBefore - tokensAfter;
	const isNeeded = options.free || options.cause === 'recover' || options.policy.cutUserMessages !== 'never';
	if (!isNeeded && !isSavingWorthIt(tokensSaved, tokensBefore)) {
		return runInSlices(
			createTooSmallResult(state, options.targetTokens, tokensSaved, proposal.plan),
			session.services,
		);
	}
	const refusal = options.findRefusal?.(after);
	if (refusal !== undefined) {
		const { stages } = proposal.plan;
		return runInSlices(
			createUnchangedResult(state, options.targetTokens, {
				outcome: 'no_progress',
				reasonCode: 'no_progress',
				reason: refusal,
				stages,
			}),
			session.services,
		);
	}
	const { meter } = state;
	const prefix = countStablePrefix(state.view, after.view);
	const wasCold = isCacheCold(session) ? { wasCold: true as const } : {};
	const cache = computeCacheCost({ ...state, ...wasCold, view: after.view }, prefix, tokensSaved);
	const view = { before: state.view, after: after.view };
	const effect = { view, meter, tokensBefore, tokensAfter, prefix, cache };
	await commit(
		session,
		{
			t: 'step',
			step: {
				...step,
				receipt: {
					tokensBefore,
					tokensAfter,
					stagesUsed: listStagesUsed(proposal.plan),
					removed: proposal.plan.removed.rows,
					targetTokens: Math.round(options.targetTokens),
					cache,
					...withoutUndefined({ policy: options.decidedPolicy }),
				},
			},
		},
		bodies,
		after,
	);
	// A summary or marker replaced the messages that the prefetched summary describes.
	const replaced = listStagesUsed(proposal.plan);
	if (replaced.includes('summarize') || replaced.includes('truncate')) session.prefetch.summary = undefined;
	// Other tasks run first, because applying a step to a long history takes a hundred milliseconds.
	await session.services.pause();
	const result = await runInSlices(
		createCompactionResult(effect, proposal, options.targetTokens, id),
		session.services,
	);
	session.services.events.notifyCompacted(session.id, result);
	await session.services.pause();
	return result;
}

/**
 * Whether a compaction saves enough to be worth its costs. Used if requests would also fit without it.
 *
 * Each compaction invalidates the provider's prompt cache, and hides original messages from the model.
 */
function isSavingWorthIt(tokensSaved: number, tokensBefore: number): boolean {
	return tokensSaved >= minSaving.tokens && tokensSaved >= minSaving.share * tokensBefore;
}
