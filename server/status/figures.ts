/** What a status line tells. All figures are tokens. */

import { profiles } from '../core/models/profiles.ts';
import { lookupModel } from '../core/models/registry.ts';
import { type AgentLimit, stateWithin } from '../core/transcript/reading/limit.ts';
import type { ContextState } from '../protocol/stats.ts';

export interface StatusFigures {
	agent: string;
	model: string;
	/** What the next request holds. */
	used: number;
	limit: AgentLimit;
	state: ContextState;
	/** What is to be written anew once the provider's cache is cold, and whether it is; absent where there is none. */
	cold?: { tokens: number; isCold: boolean };
	/** Milliseconds since the session's last sign of life. */
	idleMs: number;
}

/** The state of a session under its agent's limit, by the levels of its model. */
export function stateOf(limit: AgentLimit, used: number, provider: string, model: string): ContextState {
	return stateWithin(limit, used, profiles[lookupModel(provider, model).profile]);
}
