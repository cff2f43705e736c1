/** Decides which limit applies to a session: its model's limit or its agent's limit. */

import type { SessionInfo } from '../core/history/record.ts';
import { listLiveSteps, type State } from '../core/history/state.ts';
import { type Budget, computeExternalBudget, computePluginBudget } from '../core/models/budget.ts';
import { lookupModel } from '../core/models/registry.ts';
import {
	type AgentLimit,
	computeAgentLimit,
	findPluginAgent,
	isPlainFormat,
} from '../core/transcript/index.ts';
import type { Settings } from '../protocol/settings.ts';
import type { Session } from './session.ts';

export type ModelNames = Pick<SessionInfo, 'provider' | 'model'>;

/** A model, and the settings of the client that asks for its limit. */
type RequestedModel = ModelNames & { settings: Settings };

/** Window and answer size that the agent states for its model, and the window that the user set. Tokens. */
type StatedLimits = Pick<SessionInfo, 'statedWindow' | 'contextWindow'> & { statedOutput?: number };

/** Returns the budget of a session, and the agent whose limit applies, if any. */
export function resolveSessionBudget(
	session: Session,
	request: RequestedModel,
	base: Budget,
): { agent?: string; budget: Budget } {
	const { info } = session.state;
	const pluginAgent = findPluginAgent(session.id);
	if (pluginAgent !== undefined) {
		const { contextWindow: statedWindow, maxOutputTokens: statedOutput } = info;
		const { threshold, profile } = request.settings.compaction;
		const usualThreshold = threshold === null && profile === null ? pluginAgent.plugin?.threshold : undefined;
		const limit = findAgentLimit(session, pluginAgent.name, request, { statedWindow, statedOutput });
		return {
			agent: pluginAgent.name,
			budget: raiseToAnsweredTokens(session, request, computePluginBudget(limit, base, usualThreshold)),
		};
	}
	if (info.source === undefined || isPlainFormat(info.source))
		return { budget: raiseToAnsweredTokens(session, request, base) };
	const { statedWindow, contextWindow } = info;
	const limit = findAgentLimit(session, info.source, request, { statedWindow, contextWindow });
	return { agent: info.source, budget: computeExternalBudget(limit, base) };
}

/** Raises a limit that was learned from an overflow to the largest prompt that the model answered. */
function raiseToAnsweredTokens({ state }: Session, request: ModelNames, budget: Budget): Budget {
	const { info, answeredTokens } = state;
	const isSessionModel = request.provider === info.provider && request.model === info.model;
	if (!info.contextWindowLearned || !isSessionModel || answeredTokens <= budget.available) return budget;
	const contextWindow = Math.max(budget.contextWindow, answeredTokens);
	return {
		...budget,
		contextWindow,
		available: answeredTokens,
		outputReserve: contextWindow - answeredTokens,
	};
}

/**
 * Returns the limit at which an agent itself compacts.
 *
 * A window that the user set takes precedence, then what the agent stated and did in the session.
 * @param model the requested model, which may differ from the session's model
 */
function findAgentLimit(
	{ state }: Session,
	agent: string,
	{ provider, model, settings: { models } }: RequestedModel,
	{ contextWindow, ...stated }: StatedLimits,
): AgentLimit {
	const { info } = state;
	const isSessionModel = provider === info.provider && model === info.model;
	const limits = lookupModel(provider, model, { ...(isSessionModel && { contextWindow }), models });
	const isSetByUser = limits.contextWindowSource === 'client' || limits.contextWindowSource === 'settings';
	return computeAgentLimit(agent, {
		provider,
		...(model !== '' && { model }),
		...(isSetByUser && { chosenWindow: limits.contextWindow }),
		...(isSessionModel && {
			...stated,
			answeredTokens: state.answeredTokens,
			compactedAt: findAutoCompactionTokens(state),
		}),
		...info.agentSettings,
	});
}

/** Returns the tokens at which the agent last compacted automatically, as the agent reported. */
function findAutoCompactionTokens(state: State): number | undefined {
	const report = listLiveSteps(state).findLast(({ receipt }) => receipt?.told)?.receipt?.told;
	return report?.trigger === 'auto' ? report.tokensBefore : undefined;
}
