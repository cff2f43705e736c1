/** How full the window of a session is, and whether a compaction is due. */

import { computeCacheState } from '../core/cost/cacheState.ts';
import { type DecidedPolicy, decideCompaction } from '../core/cost/policy.ts';
import { lookupPrices } from '../core/cost/prices.ts';
import { computeAverageGrowthTokens, findSessionPrices } from '../core/cost/sessionPrices.ts';
import { listNewestRequests } from '../core/cost/sessionRequests.ts';
import { computeSpentTokens } from '../core/cost/spent.ts';
import {
	type CompactionTargets,
	collectPolicyFigures,
	computeDueLevels,
	computeTargets,
	type TargetBasis,
	targetPolicy,
} from '../core/cost/target.ts';
import type { Row } from '../core/history/row.ts';
import { listLiveSteps, type State } from '../core/history/state.ts';
import type { RequestCounts } from '../core/measure/measure.ts';
import { createEmptyMeter, type Meter } from '../core/meter/meter.ts';
import { type MeterReading, readMeter } from '../core/meter/reading.ts';
import { addVisibleRow, createEmptyTotals, findLargestUnits, type Totals } from '../core/meter/totals.ts';
import { type Budget, computeBudget, computeUsageRatio } from '../core/models/budget.ts';
import { findContextState } from '../core/models/profiles.ts';
import { applySessionSettings } from '../core/models/registry.ts';
import { pickDefined } from '../core/shape.ts';
import { findPluginAgent, findStateWithinLimit } from '../core/transcript/index.ts';
import type { EstimatorName } from '../protocol/conversation.ts';
import type { OwnParams } from '../protocol/declaration.ts';
import type { Settings } from '../protocol/settings.ts';
import type { ContextState, NeedsCompactionParams, StatsOverlay } from '../protocol/stats.ts';
import { readRowMessages } from './bodies.ts';
import type { ClientContext } from './clientContext.ts';
import type { Session } from './session.ts';
import { type ModelNames, resolveSessionBudget } from './sessionBudget.ts';

/** How full a session's window is, for the model and request of one call. */
export interface ContextUsage {
	provider: string;
	model: string;
	estimator: EstimatorName;
	/** Settings of the requesting client. */
	settings: Settings;
	budget: Budget;
	/** Share of the window at which a compaction is due, provided that it pays back before the next compaction. */
	usualThreshold: number;
	/** Whether a compaction is due, and on what that decision is based; undefined if contextd does not compact the session. */
	policy?: DecidedPolicy;
	/** Target sizes of the history for a compaction whose caller names no target. */
	targets: CompactionTargets;
	/** The agent whose limit applies, because the session mirrors its transcript or receives messages from its plugin. */
	agent?: string;
	meterReading: MeterReading;
	meter: Meter;
	totals: Totals;
	/** The largest visible messages, largest first. */
	largest: readonly Row[];
	request: RequestCounts;
}

/** Returns the tokens of each part of the request; a part that the call lacks is taken from the session. */
function countRequestParts(session: Session, overlay: StatsOverlay, isSameModel: boolean): RequestCounts {
	const { provider, model } = selectModel(session, overlay);
	const ownCounts = session.state.request;
	const { request } = overlay;
	if (!request && isSameModel) return ownCounts;
	const measure = session.services.measures.getMeasure(provider, model, selectEstimator(session, overlay));
	const requestCounts = measure.countRequest(request ?? {});
	const countPart = (name: keyof RequestCounts): number =>
		request?.[name] === undefined ? ownCounts[name] : requestCounts[name];
	return {
		systemPrompt: countPart('systemPrompt'),
		currentPrompt: countPart('currentPrompt'),
		toolDefinitions: countPart('toolDefinitions'),
		fileAttachments: countPart('fileAttachments'),
	};
}

function selectModel(session: Session, overlay: StatsOverlay): ModelNames {
	const { info } = session.state;
	return { provider: overlay.provider ?? info.provider, model: overlay.model ?? info.model };
}

function selectEstimator(session: Session, overlay: StatsOverlay): EstimatorName {
	return overlay.estimator ?? session.getEstimator();
}

/** Counts the visible history for another model or estimator than the session's own. O(visible). */
async function recountView(
	session: Session,
	overlay: StatsOverlay,
): Promise<Pick<ContextUsage, 'totals' | 'largest'>> {
	const { provider, model } = selectModel(session, overlay);
	const measure = session.services.measures.getMeasure(provider, model, selectEstimator(session, overlay));
	const view = [...session.state.view];
	const resolvedMessages = await readRowMessages(
		session,
		view.map((unit) => unit.row),
	);
	const totals = createEmptyTotals();
	const units = view.map((unit, index) => {
		const message = resolvedMessages[index]?.message;
		const row = message ? { ...unit.row, counts: measure.countMessage(message) } : unit.row;
		addVisibleRow(totals, row, -1);
		return { ...unit, row };
	});
	return { totals, largest: findLargestUnits(units).map(({ row }) => row) };
}

/** Returns a session's usage for a call's model and request. O(1), but O(visible) for another model or estimator. */
export async function readContextUsage(
	session: Session,
	client: ClientContext,
	overlay: StatsOverlay = {},
): Promise<ContextUsage> {
	const { state } = session;
	const { provider, model } = selectModel(session, overlay);
	const { threshold, targetRatio } = state.info;
	const settings = applySessionSettings(client.getSettings(), { provider, model, threshold, targetRatio });
	const estimator = selectEstimator(session, overlay);
	const isSameModel =
		provider === state.info.provider && model === state.info.model && overlay.estimator === undefined;
	if (!isSameModel) await session.services.measures.load(provider, model, estimator);
	const measure = session.services.measures.getMeasure(provider, model, estimator);
	const isOwnMeasure = isSameModel || measure.key === state.measure;
	const request = countRequestParts(session, overlay, isOwnMeasure);
	const viewCounts = isOwnMeasure
		? { totals: state.totals, largest: state.largest.map((unit) => unit.row) }
		: await recountView(session, overlay);
	const meter = isOwnMeasure ? state.meter : createEmptyMeter();
	const ownBudget = computeBudget({
		provider,
		model,
		settings,
		contextWindow: overlay.model === undefined ? state.info.contextWindow : undefined,
		maxOutputTokens:
			overlay.request?.maxOutputTokens ?? state.requestMaxOutputTokens ?? state.info.maxOutputTokens,
		systemPromptTokens: request.systemPrompt,
	});
	const { agent, budget } = resolveSessionBudget(session, { provider, model, settings }, ownBudget);
	const usage = {
		provider,
		model,
		estimator: measure.estimator,
		settings,
		budget,
		usualThreshold: budget.thresholds.compact,
		...pickDefined({ agent }),
		meterReading: readMeter(meter, viewCounts.totals, request),
		meter,
		...viewCounts,
		request,
	};
	const basis = collectTargetBasis(session, usage);
	const { share: compact } = computeDueLevels(basis);
	const decidedBudget = { ...budget, thresholds: { ...budget.thresholds, compact } };
	const targets = computeTargets({ ...basis, budget: decidedBudget });
	const decidedUsage: ContextUsage = { ...usage, budget: decidedBudget, targets };
	if (!isCompactedByContextd(decidedUsage)) return decidedUsage;
	return { ...decidedUsage, policy: decideSessionCompaction(session, basis, usage.meterReading.tokens) };
}

/** Whether a compaction of a session is due, by the call's threshold if the call has one. */
export async function needsCompaction(
	session: Session,
	client: ClientContext,
	{ threshold, ...overlay }: OwnParams<NeedsCompactionParams>,
): Promise<boolean> {
	if (session.state.view.length === 0) return false;
	const contextUsage = await readContextUsage(session, client, overlay);
	if (threshold === undefined) return isCompactionDue(contextUsage);
	return (
		isCompactedByContextd(contextUsage) &&
		computeUsageRatio(contextUsage.meterReading.tokens, contextUsage.budget.available) >= threshold
	);
}

/**
 * Returns the tokens above which a request must be made smaller.
 *
 * Usually these are the available tokens. If contextd compacts for an agent that has its own limit, they are the whole
 * window, because that agent shortens its answer to fit.
 */
export function findMaxRequestTokens(contextUsage: ContextUsage): number {
	const { agent, budget } = contextUsage;
	return agent !== undefined && isCompactedByContextd(contextUsage) ? budget.contextWindow : budget.available;
}

/** Returns the values from which the default target of a compaction is computed. O(1). */
function collectTargetBasis(
	session: Session,
	usage: Pick<ContextUsage, 'provider' | 'model' | 'budget' | 'meterReading' | 'settings'>,
): TargetBasis {
	const { rows, meter } = session.state;
	const { provider, model, budget, meterReading, settings } = usage;
	const agent = findPluginAgent(session.id)?.plugin;
	return {
		breakdown: meterReading.breakdown,
		budget,
		settings,
		...pickDefined<Partial<TargetBasis>>({
			growthTokens: computeAverageGrowthTokens(rows, meter.factor),
			prices: findSessionPrices(rows, provider, model),
			usdPerMillion: lookupPrices(provider, model, settings.prices).usdPerMillion,
			agentRemainingTokens: agent && (agent.compactionRemainingTokens ?? targetPolicy.modelRemainingTokens),
		}),
	};
}

/** Whether contextd compacts the session, rather than the agent itself. */
function isCompactedByContextd({ agent, budget }: ContextUsage): boolean {
	return agent === undefined || budget.limit.compacts === 'contextd';
}

/** Whether a compaction is due: by the policy, by the user's threshold, or by the user's number of tokens. */
export function isCompactionDue({ policy }: ContextUsage): boolean {
	return policy?.decision.isDue === true;
}

/** Whether a compaction is delayed beyond its threshold because it would not pay for itself. */
export function isCompactionDelayed({
	budget,
	meterReading,
	settings,
	usualThreshold,
	policy,
}: ContextUsage): boolean {
	if (policy === undefined || policy.decision.isDue) return false;
	const { reason } = policy.decision;
	if (reason === 'paysBackLate' || reason === 'shortSession') return true;
	const isReached = computeUsageRatio(meterReading.tokens, budget.available) >= usualThreshold;
	return isReached && usualThreshold < budget.thresholds.compact && settings.compaction.policy !== 'full';
}

/** Returns how full the window is: at least `warning` if a compaction is due, even below the warning level. */
export function classifyContextUsage(contextUsage: ContextUsage): ContextState {
	const state = classifyByThresholds(contextUsage);
	return state === 'healthy' && isCompactionDue(contextUsage) ? 'warning' : state;
}

/** Returns how full the window is by its thresholds. A request that was answered is never an overflow of an agent's limit. */
function classifyByThresholds({ agent, budget, meterReading }: ContextUsage): ContextState {
	if (agent === undefined)
		return findContextState(computeUsageRatio(meterReading.tokens, budget.available), budget.thresholds);
	const limit = { window: budget.contextWindow, tokens: budget.available };
	const tokens =
		meterReading.source === 'reported' ? Math.min(meterReading.tokens, limit.window) : meterReading.tokens;
	return findStateWithinLimit(limit, tokens, budget.thresholds);
}

/** Whether the provider's cache of a session's prompt has expired; false if its state is unknown. O(1). */
export function isCacheCold({ state, services }: Pick<Session, 'state' | 'services'>): boolean {
	const { provider, model } = state.info;
	const cache = computeCacheState(services.now(), { provider, model, requests: listNewestRequests(state) });
	return cache?.isWarm === false;
}

/** Whether a tool call of the newest message has no result yet. */
function hasOpenCalls({ view, rows, unansweredCalls }: State): boolean {
	const { batch = -1 } = view.at(-1)?.row ?? {};
	const calls = rows[batch]?.calls ?? [];
	return calls.some(({ id }) => unansweredCalls.get(id)?.includes(batch));
}

/** Returns the part of the last compaction's cost that has not paid back yet. Tokens at the input price. */
function computeUnpaidTokens(state: State, readPriceShare: number): number {
	const lastCompaction = listLiveSteps(state).findLast(({ receipt }) => receipt?.cache !== undefined);
	const { cache, tokensBefore = 0, tokensAfter = 0 } = lastCompaction?.receipt ?? {};
	if (lastCompaction === undefined || cache === undefined) return 0;
	let calls = 0;
	for (
		let seq = lastCompaction.rowCount;
		seq < state.rows.length && calls < cache.paysBackAfterCalls;
		seq++
	) {
		if (state.rows[seq]?.role === 'assistant') calls++;
	}
	const savedTokens = calls * readPriceShare * (tokensBefore - tokensAfter);
	return Math.max(0, Math.round(cache.costTokens - savedTokens));
}

/**
 * Decides whether a compaction is due. O(1).
 *
 * @param promptTokens tokens of the next request, on the meter's scale
 */
function decideSessionCompaction(session: Session, basis: TargetBasis, promptTokens: number): DecidedPolicy {
	const { state } = session;
	const { prices } = basis;
	const figures = collectPolicyFigures(basis, promptTokens, {
		isCold: isCacheCold(session),
		hasOpenCalls: hasOpenCalls(state),
		owedTokens: prices === undefined ? 0 : computeUnpaidTokens(state, prices.read),
		...pickDefined({ spentTokens: prices && computeSpentTokens(state.spentUsage, prices) }),
	});
	return { figures, decision: decideCompaction(figures) };
}
