/** `context/prepare`: returns the history for the next request, compacted if necessary. */

import type { Chain } from '../../core/ask/chain.ts';
import { type Policy, resolvePolicy } from '../../core/compact/policy.ts';
import { computeHistoryBudget } from '../../core/cost/target.ts';
import { Failure, rejectIfAborted } from '../../core/failure.ts';
import { computeUsageRatio } from '../../core/models/budget.ts';
import { findContextState } from '../../core/models/profiles.ts';
import { isSilentOverflow } from '../../core/overflow/outcome.ts';
import type { CompactResult, PrepareParams, PrepareResult } from '../../protocol/compact.ts';
import type { OwnParams } from '../../protocol/declaration.ts';
import type { ConfirmCompactionResult } from '../../protocol/push.ts';
import type { ContextState, ContextStats } from '../../protocol/stats.ts';
import type { ClientContext } from '../clientContext.ts';
import {
	type ContextUsage,
	findMaxRequestTokens,
	isCompactionDue,
	readContextUsage,
} from '../contextUsage.ts';
import { renderHistory } from '../history.ts';
import type { Session } from '../session.ts';
import { isJustCompacted, journalDecision, readStats } from '../stats.ts';
import { runCompaction } from './compact.ts';
import { type AskToCompact, confirmCompaction } from './confirm.ts';
import { isEffective, mergeResults } from './mergeResults.ts';
import { cancelPrefetch, canPrefetch, prefetchSummary, recordGrowth } from './prefetch.ts';
import { describeCutMessages } from './receipt.ts';
import { createMutexTicket, findPrefetched, resolveClientChain, type TaskContext } from './request.ts';
import { hasStalled, recordStall } from './stall.ts';
import { minUserCutTargetShare } from './tuning.ts';

/** Limits a policy to the stages allowed in a state: at `warning` only pruning, below `overflow` no emergency cut. */
function limitPolicyToState(state: ContextState, policy: Policy): Policy {
	if (state === 'overflow') return policy;
	const base: Policy = { ...policy, emergencyCut: 'never' };
	if (state !== 'warning') return base;
	return { ...base, stages: { ...policy.stages, deduplicate: false, summarize: false, truncate: false } };
}

/** Whether a request is too large to be sent. */
function isOverLimit(contextUsage: ContextUsage): boolean {
	return contextUsage.meterReading.tokens > findMaxRequestTokens(contextUsage);
}

function readUsageRatio(contextUsage: ContextUsage): number {
	return computeUsageRatio(contextUsage.meterReading.tokens, contextUsage.budget.available);
}

/** Whether tool results are pruned from the warning level on, before a compaction is due. */
function shouldPruneOnWarning({ settings }: ContextUsage): boolean {
	const { onWarning, profile } = settings.compaction;
	return onWarning === null ? profile !== null : onWarning === 'prune';
}

/**
 * Returns the state whose stages may run.
 *
 * With a profile, this is `critical` if a compaction is due, otherwise the present state. Without a profile, it is
 * `overflow` (all stages) if a compaction is due, otherwise `warning` (only pruning).
 */
function findAllowedState(contextUsage: ContextUsage): ContextState {
	const hasProfile = contextUsage.settings.compaction.profile !== null;
	const state = findContextState(readUsageRatio(contextUsage), contextUsage.budget.thresholds);
	if (state === 'overflow') return state;
	if (isCompactionDue(contextUsage)) return hasProfile ? 'critical' : 'overflow';
	return hasProfile ? state : 'warning';
}

function hasCompactionStalled(session: Session, contextUsage: ContextUsage): boolean {
	const { conversationHistory } = contextUsage.meterReading.breakdown;
	return hasStalled(session, conversationHistory, findAllowedState(contextUsage));
}

/** Whether to compact now: a level is reached, and compaction is neither off, paused, nor just done. */
function shouldCompactNow(session: Session, contextUsage: ContextUsage): boolean {
	const { state } = session;
	const { compaction } = contextUsage.settings;
	if (!compaction.enabled || !session.journal) return false;
	const isOverflowing = readUsageRatio(contextUsage) >= contextUsage.budget.thresholds.overflow;
	if (isOverflowing) return true;
	if (state.isAutoCompactPaused || isJustCompacted(state)) return false;
	if (isCompactionDue(contextUsage)) return true;
	const isWarned = readUsageRatio(contextUsage) >= contextUsage.budget.thresholds.warning;
	const allowedState = findAllowedState(contextUsage);
	// After a prune that saved nothing, a summary can still be prefetched.
	return (
		isWarned &&
		allowedState === 'warning' &&
		shouldPruneOnWarning(contextUsage) &&
		!hasCompactionStalled(session, contextUsage)
	);
}

/** Whether to request a summary now, because a compaction will be due soon. */
function shouldPrefetch(session: Session, contextUsage: ContextUsage): boolean {
	const { state } = session;
	if (!contextUsage.settings.compaction.enabled || !session.journal) return false;
	if (state.isAutoCompactPaused || isJustCompacted(state)) return false;
	if (hasStalled(session, contextUsage.meterReading.breakdown.conversationHistory, 'overflow')) return false;
	return canPrefetch(session, contextUsage);
}

/** The request of `context/prepare`. */
interface PrepareContext extends TaskContext {
	/** Asks the client before a compaction; absent if the client does not want to be asked. */
	askToCompact?: AskToCompact;
}

/** Limits of a compaction that `context/prepare` makes. */
interface AllowedCompaction {
	target: number;
	cutUserMessages: Policy['cutUserMessages'];
	chain?: Chain;
	/** Instructions from the client's confirmation. */
	instructions?: string;
}

async function compactToTarget(
	session: Session,
	contextUsage: ContextUsage,
	{ target, cutUserMessages, chain, instructions }: AllowedCompaction,
	context: TaskContext,
): Promise<CompactResult> {
	const policy = resolvePolicy({
		settings: contextUsage.settings,
		instructions,
		contextWindow: contextUsage.budget.contextWindow,
		cutUserMessages,
	});
	const { runningRequest } = session.prefetch;
	if (chain && !instructions && runningRequest) await rejectIfAborted(runningRequest.settled, context.signal);
	return runCompaction(session, {
		client: context.client,
		cause: 'compact',
		policy: cutUserMessages === 'never' ? limitPolicyToState(findAllowedState(contextUsage), policy) : policy,
		targetTokens: target,
		...(contextUsage.policy?.decision.isDue && { decidedPolicy: contextUsage.policy }),
		chain,
		prefetched: instructions ? undefined : findPrefetched(session, context.client),
		canBePartial: true,
		signal: context.signal,
		report: context.report,
	});
}

/**
 * Returns the models that are asked for a summary while the caller waits; undefined if no model is asked.
 *
 * No model is asked if an extract may replace the answer: models are then asked in advance instead.
 */
function selectBlockingChain(client: ClientContext): Chain | undefined {
	const chain = resolveClientChain(client);
	return chain.isExtractive ? undefined : chain;
}

/**
 * Warns if the newest answer came from a prompt larger than the window.
 *
 * Some providers silently truncate such a prompt; only the answer's usage figures show it. The next request is compacted
 * anyway, but the answer may be based on an incomplete prompt.
 */
function warnAboutTruncatedPrompt(session: Session, contextUsage: ContextUsage): string[] {
	const row = session.state.view.findLast((unit) => unit.row.role === 'assistant')?.row;
	const { contextWindow } = contextUsage.budget;
	if (!row) return [];
	// If the meter ignores the usage figures, they do not describe this one call.
	const usage = session.state.meter.anchor?.seq === row.seq ? row.usage : undefined;
	if (!isSilentOverflow({ usage, stopReason: row.stopReason, contextWindow })) return [];
	return [
		`the prompt of message ${row.id} exceeded the window of ${contextWindow} tokens: the provider may have truncated it`,
	];
}

function createBudgetFailure(
	session: Session,
	contextUsage: ContextUsage,
	stagesUsed: CompactResult['stagesUsed'],
): Failure {
	const { meterReading, budget } = contextUsage;
	return new Failure(
		'ContextBudgetExceeded',
		`the request has about ${meterReading.tokens} tokens, ${budget.available} are available, and nothing more can be removed`,
		{
			sessionId: session.id,
			estimated: meterReading.tokens,
			available: budget.available,
			stagesUsed,
			breakdown: meterReading.breakdown,
		},
	);
}

interface FitOutcome {
	compaction: CompactResult | null;
	warnings: string[];
}

/** Returns the target size of the history, in tokens. */
function computeTargetTokens(
	{ targetTokens }: OwnParams<PrepareParams>,
	{ policy, targets }: ContextUsage,
): number {
	const maxTarget = policy?.decision.isDue ? policy.decision.targetTokens : targets.automatic;
	return Math.min(maxTarget, targetTokens ?? maxTarget);
}

/** Asks the client about a compaction that is due now; returns an empty answer if the client is not asked. */
async function askClientToCompact(
	session: Session,
	params: OwnParams<PrepareParams>,
	contextUsage: ContextUsage,
	context: PrepareContext,
): Promise<ConfirmCompactionResult> {
	const { conversationHistory } = contextUsage.meterReading.breakdown;
	const target = computeTargetTokens(params, contextUsage);
	const isPlanned = shouldCompactNow(session, contextUsage) && !hasCompactionStalled(session, contextUsage);
	const isExpected = isOverLimit(contextUsage) || isPlanned;
	if (!context.askToCompact || conversationHistory <= target || !isExpected) return {};
	return confirmCompaction(session, contextUsage, target, { ...context, ask: context.askToCompact });
}

function describeRefusal(contextUsage: ContextUsage, reason = 'no reason given'): string {
	const { meterReading, budget } = contextUsage;
	const refusalText = `the client refused the compaction: ${reason}`;
	if (!isOverLimit(contextUsage)) return refusalText;
	return `about ${meterReading.tokens} tokens do not fit into the ${budget.available} available, and ${refusalText}`;
}

/** Compacts if a compaction is due, and once more, more aggressively, if the request still does not fit. */
async function compactUntilFits(
	session: Session,
	params: OwnParams<PrepareParams>,
	context: PrepareContext,
): Promise<FitOutcome> {
	const overlay = { request: params.request };
	const outcome: FitOutcome = { compaction: null, warnings: [] };
	let contextUsage = await readContextUsage(session, context.client, overlay);
	// If the rest of the request fills the window, compacting the history cannot help.
	const isHopeless =
		computeHistoryBudget(contextUsage.meterReading.breakdown, contextUsage.budget.available) === 0;
	if (isHopeless && isOverLimit(contextUsage)) throw createBudgetFailure(session, contextUsage, []);
	const {
		proceed = true,
		reason,
		instructions,
	} = await askClientToCompact(session, params, contextUsage, context);
	if (!proceed) return { compaction: null, warnings: [describeRefusal(contextUsage, reason)] };
	const chain = instructions ? resolveClientChain(context.client) : selectBlockingChain(context.client);
	// Messages may have arrived while the client was asked.
	contextUsage = await readContextUsage(session, context.client, overlay);
	let warnings: string[] = [];
	if (shouldCompactNow(session, contextUsage)) {
		if (hasCompactionStalled(session, contextUsage)) {
			warnings = ['compaction has stalled: the history is left unchanged until it differs'];
		} else {
			const target = computeTargetTokens(params, contextUsage);
			const allowedCompaction = { target, cutUserMessages: 'never', chain, instructions } as const;
			outcome.compaction = await compactToTarget(session, contextUsage, allowedCompaction, context);
			warnings = recordStall(session, outcome.compaction, findAllowedState(contextUsage));
			contextUsage = await readContextUsage(session, context.client, overlay);
		}
	}
	if (!isOverLimit(contextUsage)) return { ...outcome, warnings };
	const share = Math.min(1, Math.max(minUserCutTargetShare, contextUsage.budget.thresholds.compact));
	const target = computeHistoryBudget(
		contextUsage.meterReading.breakdown,
		contextUsage.budget.available * share,
	);
	const cutUserMessages = 'when nothing else is left';
	// Models that were asked a moment ago are not asked again.
	const remainingChain = chain && outcome.compaction ? { ...chain, links: [] } : chain;
	const allowedCompaction = { target, cutUserMessages, chain: remainingChain, instructions } as const;
	const retry = await compactToTarget(session, contextUsage, allowedCompaction, context);
	outcome.warnings.push(...describeCutMessages(retry));
	outcome.compaction = mergeResults(outcome.compaction, retry, session.state);
	contextUsage = await readContextUsage(session, context.client, overlay);
	if (!isOverLimit(contextUsage)) return outcome;
	throw createBudgetFailure(session, contextUsage, outcome.compaction?.stagesUsed ?? []);
}

/**
 * Returns the history for the next model call, after a compaction if one is due.
 *
 * Fails with `ContextBudgetExceeded` if the request cannot be made to fit. If auto-compaction is off or the client
 * refuses the compaction, the history is unchanged, and a warning says that the request does not fit.
 */
export async function prepareHistory(
	session: Session,
	params: OwnParams<PrepareParams>,
	context: PrepareContext,
): Promise<PrepareResult> {
	const overlay = { request: params.request };
	const contextUsage = await readContextUsage(session, context.client, overlay);
	recordGrowth(session, contextUsage);
	const warnings = warnAboutTruncatedPrompt(session, contextUsage);
	const isOff = !contextUsage.settings.compaction.enabled || !session.journal;
	const isOver = isOverLimit(contextUsage);
	let compaction: CompactResult | null = null;
	if (isOff && isOver) {
		warnings.push(
			`about ${contextUsage.meterReading.tokens} tokens do not fit into the ${contextUsage.budget.available} available, and auto-compaction is off`,
		);
	} else if (
		!isOff &&
		(isOver || (session.state.view.length > 0 && shouldCompactNow(session, contextUsage)))
	) {
		// Pruning at the warning level needs no summary.
		const needsSummary = findAllowedState(contextUsage) !== 'warning';
		if (needsSummary && !selectBlockingChain(context.client)) cancelPrefetch(session);
		const outcome = await session.compactionMutex.run(createMutexTicket(context), (signal) =>
			compactUntilFits(session, params, { ...context, signal }),
		);
		compaction = outcome.compaction;
		warnings.push(...outcome.warnings);
	} else if (shouldPrefetch(session, contextUsage)) prefetchSummary(session, context.client, contextUsage);
	if (!isEffective(compaction)) await journalDecision(session, contextUsage);
	let version: number;
	let stats: ContextStats | null;
	do {
		({ version } = session.state);
		stats = await readStats(session, context.client, overlay);
		// Stats that lack messages which arrived meanwhile are read again.
	} while (session.state.version !== version);
	const { revision } = session.state;
	if (params.held === revision)
		return { messages: [], unchanged: true, revision, stats, compaction, warnings };
	const { messages, system, warnings: losses } = await renderHistory(session, params.format);
	return { messages, system, revision, stats, compaction, warnings: [...warnings, ...losses] };
}
