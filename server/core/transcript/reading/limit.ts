/** Limits up to which agents let their own context grow. All figures are tokens. */

import type { Thresholds } from '../../../protocol/settingParts.ts';
import type { ContextState } from '../../../protocol/stats.ts';
import { findContextState } from '../../models/profiles.ts';
import { lookupModel } from '../../models/registry.ts';
import type { Fields } from '../../shape.ts';

export interface AgentLimit {
	/** The window that the agent works with, input and output together. */
	window: number;
	/** The point at which the agent compacts; the window if it never does. */
	tokens: number;
	/**
	 * The kind of limit that `tokens` is: the agent's point of compaction, the whole window, a user's setting, or a
	 * guess if the agent may work with one of several windows.
	 */
	of: 'agent' | 'window' | 'setting' | 'guess';
	/** Whether the agent compacts at `tokens`. */
	compacts: 'agent' | 'nobody';
}

/** What is known about a session when its limit is computed. */
export interface LimitEvidence {
	provider?: string;
	/** Name of the model, as in the transcript. */
	model?: string;
	/** The window that the agent states, in its transcript or to a program that it calls. */
	statedWindow?: number;
	/** The maximum output that the agent passes to a program that it calls, such as its plugin. */
	statedOutput?: number;
	/** The window that the user states. */
	chosenWindow?: number;
	/** The largest answered prompt, which fitted into the window. */
	answeredTokens?: number;
	/** Size of the session at the agent's last automatic compaction. */
	compactedAt?: number;
	/** Environment variables of the agent, as far as they are known. */
	environment?: Readonly<Record<string, string | undefined>>;
	/** The agent's own settings, merged. */
	settings?: Fields;
}

/** An agent's own settings, and the variables that they set. */
export interface AgentSettings {
	settings: Fields;
	environment: Record<string, string>;
}

/** Computes the limit of one agent's session. */
export type LimitRule = (evidence: LimitEvidence) => AgentLimit;

/** Windows that models are offered with, smallest first. */
const commonWindows = [200_000, 272_000, 400_000, 1_000_000, 2_000_000];

/**
 * Returns the window that an answered prompt proves: the assumed one if the prompt fits, otherwise the next larger one.
 *
 * @param tiers possible windows, smallest first
 */
export function findProvenWindow(
	assumedTokens: number,
	answeredPromptTokens = 0,
	tiers: readonly number[] = commonWindows,
): number {
	if (answeredPromptTokens <= assumedTokens) return assumedTokens;
	return tiers.find((tier) => tier >= answeredPromptTokens) ?? answeredPromptTokens;
}

/** The assumed window of a session, and where it comes from. */
export interface AssumedWindow {
	window: number;
	of: 'agent' | 'setting' | 'guess';
}

/**
 * Returns the window that an agent works with: the user's, else the agent's, else the model's. A larger answered
 * prompt proves a larger window.
 *
 * @param configuredWindow the window in the agent's settings, used if the agent states none
 */
export function assumeWindow(evidence: LimitEvidence, configuredWindow?: number): AssumedWindow {
	const { provider, model, statedWindow = configuredWindow, chosenWindow, answeredTokens } = evidence;
	if (chosenWindow !== undefined) return { window: chosenWindow, of: 'setting' };
	if (statedWindow !== undefined)
		return { window: findProvenWindow(statedWindow, answeredTokens), of: 'agent' };
	const { contextWindow, contextWindowSource } = lookupModel(provider, model);
	const isKnown = contextWindowSource === 'registry';
	return { window: findProvenWindow(contextWindow, answeredTokens), of: isKnown ? 'agent' : 'guess' };
}

/** Returns a limit at a number of tokens, which is clamped to the window. */
export function createLimit({ window, of }: AssumedWindow, tokens: number): AgentLimit {
	const point = Math.max(1, Math.min(window, Math.floor(tokens)));
	return { window, tokens: point, of, compacts: 'agent' };
}

/** Returns the limit of a window in which the agent does not compact. */
export function createWindowLimit({ window, of }: AssumedWindow): AgentLimit {
	return { window, tokens: window, of: of === 'agent' ? 'window' : of, compacts: 'nobody' };
}

/** Returns a share from settings; undefined if it is not a valid share. */
export function readShare(value: unknown): number | undefined {
	return typeof value === 'number' && value > 0 && value <= 1 ? value : undefined;
}

/** Returns the state of a session within its agent's limit; `overflow` only beyond the window. */
export function findStateWithinLimit(
	limit: Pick<AgentLimit, 'window' | 'tokens'>,
	tokens: number,
	thresholds: Thresholds,
): ContextState {
	if (tokens > limit.window) return 'overflow';
	const state = findContextState(tokens / limit.tokens, thresholds);
	return state === 'overflow' ? 'critical' : state;
}
