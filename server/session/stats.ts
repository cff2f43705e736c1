/** Computes the stats of a session, and records why a session is not compacted. */

import { computeCacheExpiry, convertTokensToUsd } from '../core/cost/cacheExpiry.ts';
import { lookupPrices } from '../core/cost/prices.ts';
import { computeSavedTokens } from '../core/cost/saved.ts';
import { findSessionPrices } from '../core/cost/sessionPrices.ts';
import { listNewestRequests } from '../core/cost/sessionRequests.ts';
import { computeSpentTokens } from '../core/cost/spent.ts';
import { measureGrowth } from '../core/history/growth.ts';
import type { Row } from '../core/history/row.ts';
import { listLiveSteps, type State } from '../core/history/state.ts';
import type { Meter } from '../core/meter/meter.ts';
import { scaleDetails, weighCategory, weighRow } from '../core/meter/reading.ts';
import { computeUsageRatio } from '../core/models/budget.ts';
import { pickDefined } from '../core/shape.ts';
import { isAgentCompaction } from '../core/transcript/index.ts';
import type { CompactionSummary } from '../protocol/compaction.ts';
import type { Settings } from '../protocol/settings.ts';
import type { ContextStats, SessionCost, SessionSavings, StatsOverlay } from '../protocol/stats.ts';
import type { ClientContext } from './clientContext.ts';
import { commit } from './commit.ts';
import {
	type ContextUsage,
	classifyContextUsage,
	isCompactionDelayed,
	isCompactionDue,
	readContextUsage,
} from './contextUsage.ts';
import type { Session } from './session.ts';

/** Lists the compactions of a session, oldest first, including undone ones. */
export function listCompactions(state: State): CompactionSummary[] {
	return state.steps.flatMap((step) =>
		step.receipt
			? [
					{
						compactionId: step.id,
						at: step.at,
						tokensBefore: step.receipt.tokensBefore,
						tokensAfter: step.receipt.tokensAfter,
						stagesUsed: step.receipt.stagesUsed,
						...pickDefined({ cache: step.receipt.cache, decision: step.receipt.policy?.decision }),
						undone: state.undoneStepIds.has(step.id),
						...(isAgentCompaction(step.id) && { byAgent: true as const }),
						...(step.receipt.told && { told: step.receipt.told }),
					},
				]
			: [],
	);
}

/** Returns the stats of a session; null if the session has no messages. */
export async function readStats(
	session: Session,
	client: ClientContext,
	overlay: StatsOverlay = {},
): Promise<ContextStats | null> {
	return describeUsage(session, await readContextUsage(session, client, overlay));
}

/** Returns the stats of a session from its usage, which the caller has read; null if the session has no messages. */
export async function describeUsage(session: Session, usage: ContextUsage): Promise<ContextStats | null> {
	const { state } = session;
	if (state.view.length === 0) return null;
	const { budget, meterReading, meter } = usage;
	const ratio = computeUsageRatio(meterReading.tokens, budget.available);
	const compactions = listCompactions(state);
	const lastCompaction = compactions.at(-1);
	const undoable = compactions.findLast(({ undone }) => !undone);
	return {
		sessionId: session.id,
		provider: usage.provider,
		model: usage.model,
		messageCount: state.view.length,
		revision: state.revision,
		contextWindow: budget.contextWindow,
		contextWindowSource: budget.contextWindowSource,
		outputReserve: budget.outputReserve,
		availableInputTokens: budget.available,
		limit: { tokens: budget.available, ...budget.limit },
		reserve: { tokens: budget.outputReserve, didOverride: budget.isReserveRaised },
		...(state.info.contextWindowLearned && { isLimitLearned: true as const }),
		...pickDefined({ agent: usage.agent, lastActivityAt: findLastActivity(state) }),
		estimatedInputTokens: meterReading.tokens,
		usageRatio: ratio,
		withinBudget: meterReading.tokens <= budget.available,
		shouldCompact: isCompactionDue(usage),
		...(isCompactionDelayed(usage) && { isHeldBack: true as const }),
		...pickDefined({ decision: usage.policy?.decision }),
		state: classifyContextUsage(usage),
		thresholds: budget.thresholds,
		source: meterReading.source,
		estimator: usage.estimator,
		...(session.headEstimator && { headEstimator: session.headEstimator }),
		breakdown: meterReading.breakdown,
		...pickDefined({
			details: state.info.told && scaleDetails(meterReading.breakdown, state.info.told.parts),
		}),
		history: meterReading.history,
		largest: listLargest(meter, usage.largest),
		fileBudget: describeFileBudget(usage),
		staleReads: session.services.files?.listStaleReads(session) ?? [],
		// Tokens as counted for another model are not comparable with the earlier ones of the session.
		...pickDefined({ growth: meter === state.meter ? measureGrowth(state, meterReading) : undefined }),
		...describeCacheAndCost(session, usage),
		...pickDefined({ savings: await readSavings(session, usage.settings) }),
		...pickDefined({ lastCompaction, undoable }),
	};
}

/** Returns the state of the provider's cache, and what the session cost so far. O(1). */
function describeCacheAndCost(
	{ state, services }: Session,
	{ provider, model, settings, meterReading }: ContextUsage,
): Pick<ContextStats, 'cache' | 'cost' | 'usdPerMillion'> {
	const prices = findSessionPrices(state.rows, provider, model);
	const inputPrices = lookupPrices(provider, model, settings.prices);
	const requests = listNewestRequests(state);
	const nextTokens = meterReading.tokens;
	const cache = computeCacheExpiry(services.now(), {
		provider,
		model,
		requests,
		nextTokens,
		prices,
		inputPrices,
	});
	const usedPrices = prices ?? (inputPrices.isKnown ? inputPrices : undefined);
	const tokens = usedPrices && computeSpentTokens(state.spentUsage, usedPrices);
	const cost =
		tokens === undefined
			? undefined
			: { tokens, ...pickDefined({ usd: convertTokensToUsd(tokens, inputPrices.usdPerMillion) }) };
	return pickDefined({ cache, cost, usdPerMillion: inputPrices.usdPerMillion });
}

/** Returns what compactions saved in this session and in all sessions; undefined if nothing was saved yet. */
async function readSavings(
	{ id, state, services }: Session,
	{ prices }: Settings,
): Promise<SessionSavings | undefined> {
	const ownSavings = computeSavings(state, prices);
	const allSavings = await services.savings?.readTotal(id, ownSavings);
	const total = allSavings?.tokens === ownSavings?.tokens ? undefined : allSavings;
	return ownSavings === undefined && total === undefined
		? undefined
		: { tokens: 0, ...ownSavings, ...pickDefined({ total }) };
}

/** Maximum number of newest messages searched for a timestamp. */
const maxSearchedMessages = 64;

/** Returns the newest message's timestamp, else the time of its append unless it was imported. */
function findLastActivity({ view, info, appendedAt }: State): number | undefined {
	const minIndex = Math.max(0, view.length - maxSearchedMessages);
	for (let index = view.length - 1; index >= minIndex; index--) {
		const at = view[index]?.row.at;
		if (at !== undefined) return at;
	}
	return info.source === undefined ? appendedAt : undefined;
}

/** Returns the largest messages, largest first, in tokens on the meter's scale. */
function listLargest(meter: Meter, rows: readonly Row[]): ContextStats['largest'] {
	const weighedMessages = rows.map((row) => ({
		messageId: row.id,
		role: row.role,
		...(row.tool !== undefined && { toolName: row.tool }),
		tokens: Math.round(weighRow(meter, row)),
	}));
	return weighedMessages.sort((a, b) => b.tokens - a.tokens);
}

/** Returns the budget for file reads: their present tokens, plus a share of the window's free tokens. */
function describeFileBudget(contextUsage: ContextUsage): ContextStats['fileBudget'] {
	const { budget, meterReading, meter, totals, settings } = contextUsage;
	const share = settings.compaction.fileReadBudgetPercent;
	const used = Math.round(weighCategory(meter, totals, 'fileReads'));
	const remaining = Math.max(
		0,
		Math.floor((budget.contextWindow - meterReading.tokens - budget.outputReserve) * share),
	);
	return { tokens: remaining + used, used, remaining };
}

/** Whether a session's last change is a compaction, except one that was undone or only cleared selected results. */
export function isJustCompacted(state: State): boolean {
	const lastStep = listLiveSteps(state).at(-1);
	if (!lastStep?.receipt || lastStep.rowCount !== state.rows.length) return false;
	if (lastStep.receipt.removed.some(({ reason }) => reason !== undefined)) return false;
	return state.steps.at(-1) === lastStep;
}

/**
 * Returns what a session saved compared with one without compactions; negative if the compactions cost more. Undefined
 * if no call after a compaction was reported, or if the provider's cache prices are unknown. O(1).
 */
export function computeSavings(
	{ info, rows, savings }: Pick<State, 'info' | 'rows' | 'savings'>,
	prices: Settings['prices'],
): SessionCost | undefined {
	const { unreadTokens, unwrittenTokens, rewrittenTokens } = savings;
	if (unreadTokens === 0 && unwrittenTokens === 0 && rewrittenTokens === 0) return undefined;
	const inputPrices = lookupPrices(info.provider, info.model, prices);
	const usedPrices =
		findSessionPrices(rows, info.provider, info.model) ?? (inputPrices.isKnown ? inputPrices : undefined);
	if (usedPrices === undefined) return undefined;
	const tokens = computeSavedTokens(savings, usedPrices);
	return { tokens, ...pickDefined({ usd: convertTokensToUsd(tokens, inputPrices.usdPerMillion) }) };
}

/**
 * Writes a decision against a compaction to the journal, if its reason differs from that of the previous decision.
 * A compaction stores its decision in its own record. Does nothing if the session is not compacted automatically.
 * Resolves once the record is on disk.
 */
export async function journalDecision(
	session: Session,
	{ policy, settings }: Pick<ContextUsage, 'policy' | 'settings'>,
): Promise<void> {
	const { state, journal, services } = session;
	if (policy === undefined || !journal || !settings.compaction.enabled) return;
	if (policy.decision.reason === (state.decidedReason ?? 'notReached')) return;
	await commit(session, { t: 'decision', policy, at: services.now() });
}

/**
 * Returns a session's stats before its next request. If no compaction is due, also writes the reason to the journal;
 * otherwise the caller requests the compaction, which stores the decision.
 */
export async function readStatsBeforeRequest(
	session: Session,
	client: ClientContext,
): Promise<ContextStats | null> {
	const contextUsage = await readContextUsage(session, client);
	if (!isCompactionDue(contextUsage)) await journalDecision(session, contextUsage);
	return describeUsage(session, contextUsage);
}
