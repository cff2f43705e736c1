/** Computes what the requests of a session would have cost under each strategy, from their recorded usage. */

import type { Settings } from '../../protocol/settings.ts';
import { type CacheRules, lookupCacheRules } from '../cost/cacheModel.ts';
import { decideCompaction } from '../cost/policy.ts';
import { lookupPrices } from '../cost/prices.ts';
import { findPricesByUsage } from '../cost/sessionPrices.ts';
import { collectPolicyFigures, type TargetBasis, targetPolicy } from '../cost/target.ts';
import type { BilledRequest } from '../cost/writeCauses.ts';
import { sumPromptTokens } from '../meter/meter.ts';
import { type Budget, computeBudget, computePluginBudget } from '../models/budget.ts';
import { agents, computeAgentLimit } from '../transcript/index.ts';
import {
	type ReplayBasis,
	type ReplayMoment,
	type ReplayResult,
	replaySession,
	type Strategy,
} from './replay.ts';
import { createReplaySession, type ReplaySession } from './steps.ts';

/** `nothing` compacts only at the window's end, `own` when the agent does, the others by contextd's policies. */
export const strategyNames = ['nothing', 'own', 'full', 'balanced', 'cheap'] as const;
export type StrategyName = (typeof strategyNames)[number];

/** A recorded conversation without its sub-agents, whose prompts are separate. */
export interface ComparedSession {
	/** Name of the agent, as in `agents.ts`. */
	agent: string;
	provider: string;
	model: string;
	/** In the order in which they were sent. */
	requests: readonly BilledRequest[];
	settings: Settings;
	/** The window in tokens; by default that of the model. */
	contextWindow?: number;
	/** Tokens of the prompt at which the agent compacts by its settings; estimated if absent. */
	compactsAt?: number;
}

/** The cost of a session under each strategy, and the facts behind the costs. */
export interface StrategyComparison {
	results: Record<StrategyName, ReplayResult>;
	/** Tokens of the prompt at which the agent compacts on its own, and of the history after such a compaction. */
	agentCompaction: { triggerTokens: number; remainingTokens: number };
	/** Lifetime of the cache in milliseconds. */
	lifetimeMs: number;
	/** Whether a pause was longer than the lifetime of the cache. */
	hasLongPause: boolean;
	/** Whether the agent compacted in the recorded session. */
	isCompacted: boolean;
}

/** Returns prices as multiples of the input price, from the sources that the daemon's decisions use. */
function findPrices({ provider, model, requests }: ComparedSession): ReplayBasis['prices'] {
	const usages = requests.map(({ usage }) => usage);
	return findPricesByUsage(usages, provider, model) ?? lookupPrices(provider, model);
}

/** Facts about one session that all strategies use. */
interface Situation {
	session: ReplaySession;
	basis: ReplayBasis;
	/** The budget that contextd works with as a plugin of the agent. */
	budget: Budget;
	/** Tokens of the prompt at which the agent compacts. */
	triggerTokens: number;
	/** Tokens of the largest prompt that fits into the window. */
	maxPromptTokens: number;
}

function describeSituation(recordedSession: ComparedSession, rules: CacheRules): Situation {
	const { agent, provider, model, requests, settings, contextWindow, compactsAt } = recordedSession;
	const plugin = agents.find(({ name }) => name === agent)?.plugin;
	const remainingTokens = plugin?.compactionRemainingTokens ?? targetPolicy.modelRemainingTokens;
	const session = createReplaySession(requests, rules, remainingTokens);
	const { agentTriggerTokens: ownTriggerTokens, fixedTokens } = session;
	const answeredTokens = Math.max(0, ...requests.map(({ usage }) => sumPromptTokens(usage)));
	const compactedAt = ownTriggerTokens.length === 0 ? undefined : Math.min(...ownTriggerTokens);
	const evidence = { provider, model, answeredTokens, compactedAt, statedWindow: contextWindow };
	const agentLimit = computeAgentLimit(agent, evidence);
	const limit = { ...agentLimit, tokens: compactsAt ?? agentLimit.tokens };
	const usualBudget = computeBudget({
		provider,
		model,
		settings,
		contextWindow: limit.window,
		systemPromptTokens: fixedTokens,
	});
	// For the answer, agents keep 20,000 tokens free as in Claude Code, fewer in a small window.
	const usableTokens = limit.window - Math.min(20_000, 0.1 * limit.window);
	return {
		session,
		basis: {
			rules,
			prices: findPrices(recordedSession),
			agentCompaction: { remainingTokens, summaryTokens: targetPolicy.modelSummaryTokens },
		},
		budget: computePluginBudget(limit, usualBudget, plugin?.threshold),
		triggerTokens: limit.tokens,
		maxPromptTokens: Math.max(usableTokens, limit.tokens, answeredTokens),
	};
}

/** Returns the strategy of an agent that compacts a prompt above `maxTokens`. */
function createOwnStrategy(maxTokens: number, remainingTokens: number): Strategy {
	return ({ promptTokens }) => (promptTokens > maxTokens ? { remainingTokens, isByModel: true } : undefined);
}

/** Returns a strategy that decides like the daemon with these settings. */
function createPolicyStrategy({ session, basis, budget }: Situation, settings: Settings): Strategy {
	return (moment: ReplayMoment) => {
		const breakdown = {
			systemPrompt: session.fixedTokens,
			conversationHistory: moment.historyTokens,
			currentPrompt: 0,
			toolDefinitions: 0,
			fileAttachments: 0,
			other: 0,
		};
		const target: TargetBasis = {
			breakdown,
			budget,
			settings,
			prices: basis.prices,
			agentRemainingTokens: basis.agentCompaction.remainingTokens,
			growthTokens: moment.growthTokens,
		};
		const decision = decideCompaction(
			collectPolicyFigures(target, moment.promptTokens, {
				isCold: moment.isCold,
				hasOpenCalls: false,
				spentTokens: Math.round(moment.spentTokens),
				owedTokens: Math.round(moment.owedTokens),
			}),
		);
		const { isDue, targetTokens: remainingTokens, costTokens, savesPerCallTokens } = decision;
		return isDue ? { remainingTokens, isByModel: false, costTokens, savesPerCallTokens } : undefined;
	};
}

/**
 * Returns what a session would have cost under each strategy. Linear time. Assumes that the requests and answers stay the
 * same, except for added requests that read something again (`rereads.ts`); that a summarizing model reads the prompt
 * from the cache; and that a compaction reaches its target exactly.
 */
export function compareStrategies(recordedSession: ComparedSession): StrategyComparison {
	const { provider, model, requests, settings } = recordedSession;
	const cachedRequests = requests.map(({ at = 0, usage }) => ({ startedAt: at, usage }));
	const rules = lookupCacheRules(provider, model, cachedRequests);
	const situation = describeSituation(recordedSession, rules);
	const { session, basis, triggerTokens, maxPromptTokens } = situation;
	const run = (strategy: Strategy): ReplayResult => replaySession(session, basis, strategy);
	const runPolicy = (policy: Settings['compaction']['policy']): ReplayResult =>
		run(createPolicyStrategy(situation, { ...settings, compaction: { ...settings.compaction, policy } }));
	const { remainingTokens } = basis.agentCompaction;
	return {
		results: {
			nothing: run(createOwnStrategy(maxPromptTokens, remainingTokens)),
			own: run(createOwnStrategy(triggerTokens, remainingTokens)),
			full: runPolicy('full'),
			balanced: runPolicy('balanced'),
			cheap: runPolicy('cheap'),
		},
		agentCompaction: { triggerTokens, remainingTokens },
		lifetimeMs: rules.lifetimeMs,
		hasLongPause: session.steps.some(
			({ at = 0 }, index) => at - (session.steps[index - 1]?.at ?? at) > rules.lifetimeMs,
		),
		isCompacted: session.agentTriggerTokens.length > 0,
	};
}
