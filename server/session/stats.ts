/** How full the window of a session is. */

import { dueLevels, type TargetBasis } from '../core/compact/target.ts';
import { targetPolicy } from '../core/compact/tuning.ts';
import { cacheExpiryAt, dollarsOf } from '../core/cost/cacheExpiry.ts';
import type { DecidedPolicy } from '../core/cost/policy.ts';
import { lookupPrices } from '../core/cost/prices.ts';
import { growthPerRequest, sessionPrices } from '../core/cost/sessionPrices.ts';
import { newestRequests } from '../core/cost/sessionRequests.ts';
import { spentTokens } from '../core/cost/spent.ts';
import { contextGrowth } from '../core/history/growth.ts';
import { findLargest } from '../core/history/largest.ts';
import type { Row } from '../core/history/row.ts';
import { liveSteps, type State } from '../core/history/state.ts';
import type { RequestCounts } from '../core/measure/measure.ts';
import { emptyMeter, type Meter } from '../core/meter/meter.ts';
import {
	type MeterReading,
	readMeter,
	scaleDetails,
	weighFileReads,
	weighRow,
} from '../core/meter/reading.ts';
import { addVisible, emptyTotals, type Totals } from '../core/meter/totals.ts';
import { type Budget, budgetOf, usageRatio } from '../core/models/budget.ts';
import { contextState } from '../core/models/profiles.ts';
import { settingsFor } from '../core/models/settingsFor.ts';
import { withoutUndefined } from '../core/shape.ts';
import { isAgentCompaction } from '../core/transcript/agentCompaction.ts';
import { pluginAgentOf } from '../core/transcript/plugins.ts';
import { stateWithinLimit } from '../core/transcript/reading/limit.ts';
import type { CompactionSummary } from '../protocol/compaction.ts';
import type { EstimatorName } from '../protocol/conversation.ts';
import type { Asked } from '../protocol/declaration.ts';
import type { Settings } from '../protocol/settings.ts';
import type {
	ContextState,
	ContextStats,
	NeedsCompactionParams,
	SessionSavings,
	StatsOverlay,
} from '../protocol/stats.ts';
import { messagesOf } from './bodies.ts';
import type { ClientContext } from './clientContext.ts';
import { decideFor } from './decision.ts';
import { savingsOf } from './savings.ts';
import type { Session } from './session.ts';
import { type ModelNames, sessionBudget } from './sessionBudget.ts';

/** A session's usage under an overlay: everything that stats, compaction and prepare decide by. */
export interface ContextUsage {
	provider: string;
	model: string;
	estimator: EstimatorName;
	/** Settings of the requesting client. */
	settings: Settings;
	budget: Budget;
	/** The usual threshold: the share at which compaction is due if it pays back before the next one. */
	usualShare: number;
	/** Whether compaction is due, and the figures that decided; undefined if contextd does not compact the session. */
	policy?: DecidedPolicy;
	/** The agent whose limit applies: the session mirrors its transcript, or its plugin feeds the session. */
	agent?: string;
	reading: MeterReading;
	meter: Meter;
	totals: Totals;
	/** The largest visible messages, largest first. */
	largest: readonly Row[];
	request: RequestCounts;
}

/** The request's counts: the session's own, each part overridden by the call's. */
function requestOf(session: Session, overlay: StatsOverlay, same: boolean): RequestCounts {
	const { provider, model } = modelOf(session, overlay);
	const own = session.state.request;
	const { request } = overlay;
	if (!request && same) return own;
	const measure = session.world.measures.for(provider, model, estimatorOf(session, overlay));
	const counted = measure.countRequest(request ?? {});
	const part = (name: keyof RequestCounts): number =>
		request?.[name] === undefined ? own[name] : counted[name];
	return {
		systemPrompt: part('systemPrompt'),
		currentPrompt: part('currentPrompt'),
		toolDefinitions: part('toolDefinitions'),
		fileAttachments: part('fileAttachments'),
	};
}

function modelOf(session: Session, overlay: StatsOverlay): ModelNames {
	const { info } = session.state;
	return { provider: overlay.provider ?? info.provider, model: overlay.model ?? info.model };
}

function estimatorOf(session: Session, overlay: StatsOverlay): EstimatorName {
	return overlay.estimator ?? session.estimator();
}

/** Counts the visible history with a measure other than the session's own; O(visible). */
async function recounted(
	session: Session,
	overlay: StatsOverlay,
): Promise<Pick<ContextUsage, 'totals' | 'largest'>> {
	const { provider, model } = modelOf(session, overlay);
	const measure = session.world.measures.for(provider, model, estimatorOf(session, overlay));
	const view = [...session.state.view];
	const found = await messagesOf(
		session,
		view.map((unit) => unit.row),
	);
	const totals = emptyTotals();
	const units = view.map((unit, index) => {
		const message = found[index]?.message;
		const row = message ? { ...unit.row, counts: measure.countMessage(message) } : unit.row;
		addVisible(totals, row, -1);
		return { ...unit, row };
	});
	return { totals, largest: findLargest(units).map(({ row }) => row) };
}

/** Reads a session's meter under an overlay. O(1), but O(visible) with another measure. */
export async function contextUsageOf(
	session: Session,
	client: ClientContext,
	overlay: StatsOverlay = {},
): Promise<ContextUsage> {
	const { state } = session;
	const { provider, model } = modelOf(session, overlay);
	const { threshold, targetRatio } = state.info;
	const settings = settingsFor(client.settings(), { provider, model, threshold, targetRatio });
	const asked = estimatorOf(session, overlay);
	const same =
		provider === state.info.provider && model === state.info.model && overlay.estimator === undefined;
	if (!same) await session.world.measures.ready(provider, model, asked);
	const measure = session.world.measures.for(provider, model, asked);
	const own = same || measure.key === state.measure;
	const request = requestOf(session, overlay, own);
	const counted = own
		? { totals: state.totals, largest: state.largest.map((unit) => unit.row) }
		: await recounted(session, overlay);
	const meter = own ? state.meter : emptyMeter();
	const ownBudget = budgetOf({
		provider,
		model,
		settings,
		contextWindow: overlay.model === undefined ? state.info.contextWindow : undefined,
		maxOutputTokens:
			overlay.request?.maxOutputTokens ?? state.requestMaxOutputTokens ?? state.info.maxOutputTokens,
		systemPrompt: request.systemPrompt,
	});
	const { agent, budget } = sessionBudget(session, { provider, model, settings }, ownBudget);
	const usage: ContextUsage = {
		provider,
		model,
		estimator: measure.estimator,
		settings,
		budget,
		usualShare: budget.thresholds.compact,
		...withoutUndefined({ agent }),
		reading: readMeter(meter, counted.totals, request),
		meter,
		...counted,
		request,
	};
	const { share: compact } = dueLevels(targetBasisOf(session, usage));
	const decided = { ...usage, budget: { ...budget, thresholds: { ...budget.thresholds, compact } } };
	if (!isCompactedHere(decided)) return decided;
	return { ...decided, policy: decideFor(session, targetBasisOf(session, usage), usage.reading.tokens) };
}

/** Whether compaction is due in a session, by the call's own threshold if it has one. */
export async function needsCompaction(
	session: Session,
	client: ClientContext,
	{ threshold, ...over }: Asked<NeedsCompactionParams>,
): Promise<boolean> {
	if (session.state.view.length === 0) return false;
	const contextUsage = await contextUsageOf(session, client, over);
	if (threshold === undefined) return isCompactionDue(contextUsage);
	return (
		isCompactedHere(contextUsage) &&
		usageRatio(contextUsage.reading.tokens, contextUsage.budget.available) >= threshold
	);
}

/**
 * Maximum tokens of a request before it must be made smaller.
 *
 * Usually the available tokens. The window if contextd compacts for an agent with its own limit, since the agent adapts
 * the size of the answer it requests.
 */
export function maxTokens(contextUsage: ContextUsage): number {
	const { agent, budget } = contextUsage;
	return agent !== undefined && isCompactedHere(contextUsage) ? budget.contextWindow : budget.available;
}

/** What the default target of a session's compaction depends on. O(1). */
export function targetBasisOf(session: Session, contextUsage: ContextUsage): TargetBasis {
	const { rows, meter } = session.state;
	const { provider, model, budget, reading, settings } = contextUsage;
	const agent = pluginAgentOf(session.id)?.plugin;
	return {
		breakdown: reading.breakdown,
		budget,
		settings,
		...withoutUndefined({
			growth: growthPerRequest(rows, meter.factor),
			prices: sessionPrices(rows, provider, model),
			usdPerMillion: lookupPrices(provider, model, settings.prices).usdPerMillion,
			agentLeaves: agent && (agent.compactionLeaves ?? targetPolicy.cost.agentLeavesTokens),
		}),
	};
}

/** Whether contextd compacts the session, rather than the agent itself. */
function isCompactedHere({ agent, budget }: ContextUsage): boolean {
	return agent === undefined || budget.limit.compacts === 'contextd';
}

/** Whether compaction is due: by the policy, or by the user's own threshold or number of tokens. */
export function isCompactionDue({ policy }: ContextUsage): boolean {
	return policy?.decision.isDue === true;
}

/** Whether compaction is delayed beyond its threshold, since it would not pay back. */
function isHeldBack({ budget, reading, settings, usualShare, policy }: ContextUsage): boolean {
	if (policy === undefined || policy.decision.isDue) return false;
	const { reason } = policy.decision;
	if (reason === 'paysBackLate' || reason === 'shortSession') return true;
	const isReached = usageRatio(reading.tokens, budget.available) >= usualShare;
	return isReached && usualShare < budget.thresholds.compact && settings.compaction.policy !== 'full';
}

/** The compactions of a session, oldest first, including undone ones. */
export function compactionsOf(state: State): CompactionSummary[] {
	return state.steps.flatMap((step) =>
		step.receipt
			? [
					{
						compactionId: step.id,
						at: step.at,
						tokensBefore: step.receipt.tokensBefore,
						tokensAfter: step.receipt.tokensAfter,
						stagesUsed: step.receipt.stagesUsed,
						...withoutUndefined({ cache: step.receipt.cache, decision: step.receipt.policy?.decision }),
						undone: state.undone.has(step.id),
						...(isAgentCompaction(step.id) && { byAgent: true as const }),
						...(step.receipt.told && { told: step.receipt.told }),
					},
				]
			: [],
	);
}

/** The figures of a session; null if it has no messages. */
export async function statsOf(
	session: Session,
	client: ClientContext,
	overlay: StatsOverlay = {},
): Promise<ContextStats | null> {
	return describeUsage(session, await contextUsageOf(session, client, overlay));
}

/** Returns a session's figures from its usage; null if it has no messages. */
export async function describeUsage(
	session: Session,
	contextUsage: ContextUsage,
): Promise<ContextStats | null> {
	const { state } = session;
	if (state.view.length === 0) return null;
	const { budget, reading, meter } = contextUsage;
	const ratio = usageRatio(reading.tokens, budget.available);
	const compactions = compactionsOf(state);
	const lastCompaction = compactions.at(-1);
	const undoable = compactions.findLast(({ undone }) => !undone);
	return {
		sessionId: session.id,
		provider: contextUsage.provider,
		model: contextUsage.model,
		messageCount: state.view.length,
		revision: state.revision,
		contextWindow: budget.contextWindow,
		contextWindowSource: budget.contextWindowSource,
		outputReserve: budget.outputReserve,
		availableInputTokens: budget.available,
		limit: { tokens: budget.available, ...budget.limit },
		reserve: { tokens: budget.outputReserve, didOverride: budget.isReserveRaised },
		...(state.info.contextWindowLearned && { isLimitLearned: true as const }),
		...withoutUndefined({ agent: contextUsage.agent, lastActivityAt: lastActivityOf(state) }),
		estimatedInputTokens: reading.tokens,
		usageRatio: ratio,
		withinBudget: reading.tokens <= budget.available,
		shouldCompact: isCompactionDue(contextUsage),
		...(isHeldBack(contextUsage) && { isHeldBack: true as const }),
		...withoutUndefined({ decision: contextUsage.policy?.decision }),
		state: rateContextUsage(contextUsage),
		thresholds: budget.thresholds,
		source: reading.source,
		estimator: contextUsage.estimator,
		...(session.headEstimator && { headEstimator: session.headEstimator }),
		breakdown: reading.breakdown,
		...withoutUndefined({
			details: state.info.told && scaleDetails(reading.breakdown, state.info.told.parts),
		}),
		history: reading.history,
		largest: largestBy(meter, contextUsage.largest),
		fileBudget: fileBudgetOf(contextUsage),
		staleReads: session.world.files?.staleReads(session) ?? [],
		// Figures of another model's counter are not comparable with the session's own.
		...withoutUndefined({ growth: meter === state.meter ? contextGrowth(state, reading) : undefined }),
		...moneyOf(session, contextUsage),
		...withoutUndefined({ savings: await savingsFor(session, contextUsage.settings) }),
		...withoutUndefined({ lastCompaction, undoable }),
	};
}

/** The provider's cache, and what the session cost so far. O(1). */
function moneyOf(
	{ state, world }: Session,
	{ provider, model, settings, reading }: ContextUsage,
): Pick<ContextStats, 'cache' | 'cost' | 'usdPerMillion'> {
	const prices = sessionPrices(state.rows, provider, model);
	const money = lookupPrices(provider, model, settings.prices);
	const requests = newestRequests(state);
	const nextTokens = reading.tokens;
	const cache = cacheExpiryAt(world.now(), { provider, model, requests, nextTokens, prices, money });
	const known = prices ?? (money.isKnown ? money : undefined);
	const tokens = known && spentTokens(state.spent, known);
	const cost =
		tokens === undefined
			? undefined
			: { tokens, ...withoutUndefined({ usd: dollarsOf(tokens, money.usdPerMillion) }) };
	return withoutUndefined({ cache, cost, usdPerMillion: money.usdPerMillion });
}

/** What compactions saved in a session and in all of them; undefined if nothing was saved yet. */
async function savingsFor(
	{ id, state, world }: Session,
	{ prices }: Settings,
): Promise<SessionSavings | undefined> {
	const own = savingsOf(state, prices);
	const all = await world.savings?.total(id, own);
	const total = all?.tokens === own?.tokens ? undefined : all;
	return own === undefined && total === undefined
		? undefined
		: { tokens: 0, ...own, ...withoutUndefined({ total }) };
}

/** How full the window is: at least `warning` if compaction is due, which may be below a model's warning level. */
export function rateContextUsage(contextUsage: ContextUsage): ContextState {
	const state = stateByLevels(contextUsage);
	return state === 'healthy' && isCompactionDue(contextUsage) ? 'warning' : state;
}

/** The state within an agent's own limit; a request that was answered is not an overflow. */
function stateByLevels({ agent, budget, reading }: ContextUsage): ContextState {
	if (agent === undefined) {
		return contextState(usageRatio(reading.tokens, budget.available), budget.thresholds);
	}
	const limit = { window: budget.contextWindow, tokens: budget.available };
	const tokens = reading.source === 'reported' ? Math.min(reading.tokens, limit.window) : reading.tokens;
	return stateWithinLimit(limit, tokens, budget.thresholds);
}

/** Maximum number of newest messages searched for a timestamp. */
const maxSearchedMessages = 64;

/** When the newest message arrived: its own timestamp, else when it was appended, unless imported. */
function lastActivityOf({ view, info, appendedAt }: State): number | undefined {
	const last = Math.max(0, view.length - maxSearchedMessages);
	for (let index = view.length - 1; index >= last; index--) {
		const at = view[index]?.row.at;
		if (at !== undefined) return at;
	}
	return info.source === undefined ? appendedAt : undefined;
}

/** The largest messages by weight: a raw token weighs less before a low usage figure than after it. */
function largestBy(meter: Meter, rows: readonly Row[]): ContextStats['largest'] {
	const weighed = rows.map((row) => ({
		messageId: row.id,
		role: row.role,
		...(row.tool !== undefined && { toolName: row.tool }),
		tokens: Math.round(weighRow(meter, row)),
	}));
	return weighed.sort((a, b) => b.tokens - a.tokens);
}

/** The budget for file reads: what they take now, plus a share of what the window has left. */
function fileBudgetOf(contextUsage: ContextUsage): ContextStats['fileBudget'] {
	const { budget, reading, meter, totals, settings } = contextUsage;
	const share = settings.compaction.fileReadBudgetPercent;
	const used = Math.round(weighFileReads(meter, totals));
	const remaining = Math.max(
		0,
		Math.floor((budget.contextWindow - reading.tokens - budget.outputReserve) * share),
	);
	return { tokens: remaining + used, used, remaining };
}

/** Whether a live compaction is the last change of a session; not one that only cleared a selection. */
export function isJustCompacted(state: State): boolean {
	const last = liveSteps(state).at(-1);
	if (!last?.receipt || last.rows !== state.rows.length) return false;
	if (last.receipt.removed.some(({ reason }) => reason !== undefined)) return false;
	return state.steps.at(-1) === last;
}
