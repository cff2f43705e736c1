import type { Budget } from '../../../server/core/models/budget.ts';

/** Tokens of its window that Claude Code keeps free. */
export const claudeBuffer = 33_000;

/** Returns the budget of a Claude Code session that uses the plugin. `contextWindow` is in tokens. */
export function agentBudget(contextWindow: number): Budget {
	const available = contextWindow - claudeBuffer;
	return {
		contextWindow,
		contextWindowSource: 'agent',
		outputReserve: claudeBuffer,
		isReserveRaised: false,
		available,
		limit: { of: 'agent', compacts: 'contextd' },
		thresholds: { warning: 0.7, critical: 0.85, overflow: contextWindow / available, compact: 0.8 },
	};
}
