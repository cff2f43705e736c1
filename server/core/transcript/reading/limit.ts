/** How far agents let their own context grow. All figures are tokens. */

import type { Thresholds } from '../../../protocol/settings.ts';
import type { ContextState } from '../../../protocol/stats.ts';
import { contextState } from '../../models/profiles.ts';
import { lookupModel } from '../../models/registry.ts';
import type { Fields } from '../../shape.ts';

/** The limit that an agent works with. */
export interface AgentLimit {
	/** The window that the agent works with, input and output together. */
	window: number;
	/** Where the agent compacts by itself; the window where it never does. */
	tokens: number;
	/**
	 * What `tokens` is: the agent's own point of compaction, the whole window, what the user says of it, or a guess,
	 * because nothing tells with which of several windows the agent works.
	 */
	of: 'agent' | 'window' | 'setting' | 'guess';
	/** Who makes room there. */
	compacts: 'agent' | 'nobody';
}

/** What is known of a session when its limit is asked for. */
export interface LimitEvidence {
	provider?: string;
	/** As the transcript names it. */
	model?: string;
	/** The window that the agent itself states, in its transcript or to a program that it calls. */
	statedWindow?: number;
	/** What an answer may take at most, as the agent itself states to a program that it calls. */
	statedOutput?: number;
	/** The window that the user states. */
	chosenWindow?: number;
	/** The largest prompt that was answered; it fitted into the window. */
	answered?: number;
	/** What the session held when the agent last compacted by itself. */
	compactedAt?: number;
	/** The variables that the agent was started with, as far as they can be known. */
	environment?: Readonly<Record<string, string | undefined>>;
	/** The agent's own settings, merged. */
	settings?: Fields;
}

/** An agent's own settings, and the variables that they set. */
export interface AgentSettings {
	settings: Fields;
	environment: Record<string, string>;
}

/** The limit of one agent's session. */
export type LimitRule = (evidence: LimitEvidence) => AgentLimit;

/** Windows that models are offered with, smallest first. */
const usualTiers = [200_000, 272_000, 400_000, 1_000_000, 2_000_000];

/**
 * The window that an answered prompt proves: the supposed one where it fits into it, else the next larger one.
 * @param tiers the windows that there may be, smallest first
 */
export function provenWindow(supposed: number, answered = 0, tiers: readonly number[] = usualTiers): number {
	if (answered <= supposed) return supposed;
	return tiers.find((tier) => tier >= answered) ?? answered;
}

/** The window of a session, by all that is known of it. */
export interface SupposedWindow {
	window: number;
	of: 'agent' | 'setting' | 'guess';
}

/**
 * The window that an agent works with: the one that the user says, else that which the agent states, else the
 * model's; an answered prompt beyond it proves a larger one.
 */
export function supposedWindow({
	provider,
	model,
	statedWindow,
	chosenWindow,
	answered,
}: LimitEvidence): SupposedWindow {
	if (chosenWindow !== undefined) return { window: chosenWindow, of: 'setting' };
	if (statedWindow !== undefined) return { window: provenWindow(statedWindow, answered), of: 'agent' };
	const { contextWindow, contextWindowSource } = lookupModel(provider, model);
	const isKnown = contextWindowSource === 'registry';
	return { window: provenWindow(contextWindow, answered), of: isKnown ? 'agent' : 'guess' };
}

/** A limit at some tokens of a window: at least one, at most the window. */
export function limitAt({ window, of }: SupposedWindow, tokens: number): AgentLimit {
	const point = Math.max(1, Math.min(window, Math.floor(tokens)));
	return { window, tokens: point, of, compacts: 'agent' };
}

/** A window in which the agent makes no room. */
export function wholeWindow({ window, of }: SupposedWindow): AgentLimit {
	return { window, tokens: window, of: of === 'agent' ? 'window' : of, compacts: 'nobody' };
}

/** A share that settings state; undefined where it is none. */
export function shareOf(value: unknown): number | undefined {
	return typeof value === 'number' && value > 0 && value <= 1 ? value : undefined;
}

/** The limit of an agent of which no more is known than its model's window. */
export const windowLimit: LimitRule = (evidence) => wholeWindow(supposedWindow(evidence));

/** The state of a session within its agent's limit: an overflow only where the window itself is exceeded. */
export function stateWithin(
	limit: Pick<AgentLimit, 'window' | 'tokens'>,
	tokens: number,
	thresholds: Thresholds,
): ContextState {
	if (tokens > limit.window) return 'overflow';
	const state = contextState(tokens / limit.tokens, thresholds);
	return state === 'overflow' ? 'critical' : state;
}
