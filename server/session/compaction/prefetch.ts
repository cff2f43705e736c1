/**
 * Requests a model's summary before a compaction is due, so that no request has to wait for the model.
 *
 * The summary is stored until the threshold is reached, and changes nothing until then.
 */

import { getLinkName } from '../../core/ask/chain.ts';
import { resolvePolicy } from '../../core/compact/policy.ts';
import { computeTriggerTokens } from '../../core/cost/target.ts';
import type { State } from '../../core/history/state.ts';
import { findFirstUnitFrom } from '../../core/history/unitLookup.ts';
import type { ClientContext } from '../clientContext.ts';
import type { ContextUsage } from '../contextUsage.ts';
import type { PrefetchedSummary } from '../prefetchedSummary.ts';
import type { Session } from '../session.ts';
import { type CompactionOptions, requestSummary } from './compact.ts';
import { resolveClientChain } from './request.ts';
import { areAboutEqual } from './stall.ts';
import { growthDecay, minGrowthShare, minPrefetchMargin, minPrefetchTargetShare } from './tuning.ts';

/** Records how much the request grew since the last `context/prepare`. Must be called once per `context/prepare`. */
export function recordGrowth({ prefetch }: Session, { meterReading: { tokens } }: ContextUsage): void {
	const growth = Math.max(0, tokens - (prefetch.lastRequestTokens ?? tokens));
	prefetch.growthTokens = Math.max(growth, prefetch.growthTokens * growthDecay);
	prefetch.lastRequestTokens = tokens;
}

/**
 * Whether a summary should be requested now.
 *
 * True from the warning level on, or if two more requests would trigger a compaction. False soon after a compaction,
 * when there is little to summarize.
 */
export function canPrefetch(session: Session, contextUsage: ContextUsage): boolean {
	const { meterReading, budget, settings, targets } = contextUsage;
	const trigger = computeTriggerTokens(budget, settings);
	const margin = Math.max(minPrefetchMargin * budget.available, 2 * session.prefetch.growthTokens);
	const start = Math.min(budget.thresholds.warning * budget.available, trigger - margin);
	const target = targets.automatic + meterReading.tokens - meterReading.breakdown.conversationHistory;
	return meterReading.tokens >= Math.max(start, target + minGrowthShare * (trigger - target));
}

/** Whether the view still covers a row: as itself, shortened, or within a summary. False if a cut removed the row. */
function isInHistory({ view }: State, seq: number): boolean {
	const nextIndex = findFirstUnitFrom(view, seq + 1);
	const unit = view[nextIndex - 1];
	return unit !== undefined && seq < unit.to;
}

/** Drops a prefetched summary if a rewind, rollback or undo removed messages that it describes. */
function dropOutdatedSummary({ prefetch, state }: Session): void {
	const lastDescribedSeq = prefetch.summary?.describedSeqs.at(-1);
	if (lastDescribedSeq !== undefined && !isInHistory(state, lastDescribedSeq)) prefetch.summary = undefined;
}

/**
 * Requests a summary in the background from the client's models.
 *
 * Does nothing if a summary is stored or being written, or if the last request failed for about the same history. Drops
 * a summary that was requested for another client.
 */
export function prefetchSummary(session: Session, client: ClientContext, contextUsage: ContextUsage): void {
	const { prefetch } = session;
	dropOutdatedSummary(session);
	const chain = resolveClientChain(client);
	if (chain.links.length > 0 && prefetch.client !== client) {
		cancelPrefetch(session);
		prefetch.client = client;
		prefetch.summary = undefined;
		prefetch.lastFailure = undefined;
	}
	if (chain.links.length === 0 || prefetch.runningRequest || prefetch.summary) return;
	const tokens = contextUsage.meterReading.breakdown.conversationHistory;
	const models = chain.links.map(getLinkName).join(', ');
	const { lastFailure } = prefetch;
	if (lastFailure?.models === models && areAboutEqual(tokens, lastFailure.tokens)) return;
	const controller = new AbortController();
	const { signal } = controller;
	const onAnswer = (summary: PrefetchedSummary): void => {
		if (signal.aborted) return;
		prefetch.summary = summary;
		prefetch.lastFailure = undefined;
		// Only the answer is needed: the compaction at the threshold makes its own plan.
		prefetch.runningRequest = undefined;
		controller.abort(new Error('the summary was answered'));
	};
	/** Records that there is no summary: the request failed, or (without `error`) the compaction needs none. */
	const giveUp = (error?: unknown): void => {
		if (signal.aborted) return;
		prefetch.runningRequest = undefined;
		prefetch.lastFailure = { tokens, models };
		if (error) client.log.warn(`could not prefetch a summary of "${session.id}": ${error}`);
	};
	const settled = session
		.runWhileOpen(() =>
			requestSummaryInBackground(session, contextUsage, { client, chain, signal, onAnswer }),
		)
		.then(() => giveUp(), giveUp);
	prefetch.runningRequest = { controller, settled };
}

/**
 * Asks the models for the summary that a compaction at the threshold will need.
 *
 * The target is reduced by the growth until the threshold, since the messages of that growth stay unchanged.
 */
function requestSummaryInBackground(
	session: Session,
	contextUsage: ContextUsage,
	{
		client,
		chain,
		signal,
		onAnswer,
	}: Required<Pick<CompactionOptions, 'client' | 'chain' | 'signal' | 'onAnswer'>>,
): Promise<void> {
	const { settings, budget, meterReading } = contextUsage;
	const target = contextUsage.targets.automatic;
	const growth = computeTriggerTokens(budget, settings) - meterReading.tokens;
	const ticket = { signal, onWait: () => undefined };
	return session.prefetch.mutex.run(ticket, (running) =>
		requestSummary(session, {
			client,
			cause: 'compact',
			policy: {
				...resolvePolicy({ settings, contextWindow: budget.contextWindow }),
				emergencyCut: 'never',
			},
			targetTokens: Math.max(target - growth, minPrefetchTargetShare * target),
			chain,
			onAnswer,
			signal: running,
			report: () => undefined,
		}),
	);
}

/**
 * Cancels the background request, because a compaction is due now or the client disconnected.
 * @param client cancels only a request of this client; by default a request of any client
 */
export function cancelPrefetch({ prefetch }: Session, client = prefetch.client): void {
	if (prefetch.client !== client) return;
	prefetch.runningRequest?.controller.abort(new Error('the summary is no longer waited for'));
	prefetch.runningRequest = undefined;
}
