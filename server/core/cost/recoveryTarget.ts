/** Computes the target size of the history for a recovery from an overflow. */

import type { MeterReading } from '../meter/reading.ts';
import type { Budget } from '../models/budget.ts';

const recoveryLimits = {
	/** Size of the whole request, as a share of the available tokens. */
	targetShare: 0.7,
	/** Margin below the level of the next compaction, as a share of the available tokens. */
	marginShare: 0.05,
	/** The history's share of the tokens below the compaction level, if the rest of the request nearly fills them. */
	restShare: 0.75,
	/** Minimum size of the history, in tokens. It is lower in a small window (`minShare`). */
	minTokens: 1000,
	/** Minimum size of the history, as a share of `maxPromptTokens`. */
	minShare: 0.02,
} as const;

export interface RecoveryInput {
	reading: Pick<MeterReading, 'tokens' | 'breakdown'>;
	budget: Pick<Budget, 'available' | 'contextWindow' | 'thresholds'>;
	/** Maximum tokens of a prompt that the next attempt may have. */
	maxPromptTokens: number;
	/** The user's own compaction trigger in tokens; 0 if the thresholds decide. */
	tokenThreshold: number;
}

/**
 * Returns the target tokens of the history after an overflow. The whole request then takes 70% of the available tokens, or
 * stays 5 points below the lower of the warning and compaction levels. A size that was refused counts as too large even
 * if the stated window is larger. A small change of an input changes the result only a little. The result is positive if
 * the limit leaves tokens for the history.
 */
export function computeRecoveryTarget({
	reading,
	budget,
	maxPromptTokens,
	tokenThreshold,
}: RecoveryInput): number {
	const { targetShare, marginShare, restShare, minTokens, minShare } = recoveryLimits;
	const { thresholds } = budget;
	const otherTokens = reading.tokens - reading.breakdown.conversationHistory;
	const available = Math.min(budget.available, maxPromptTokens, reading.tokens);
	const levelTokens = Math.min(thresholds.warning, thresholds.compact) * available;
	const level = tokenThreshold > 0 ? Math.min(tokenThreshold, levelTokens) : levelTokens;
	const requestTokens = Math.min(
		targetShare * available,
		level - Math.min(marginShare * available, (1 - restShare) * level),
	);
	const minHistoryTokens = Math.min(
		minTokens,
		minShare * maxPromptTokens,
		restShare * (maxPromptTokens - otherTokens),
	);
	const targetTokens = Math.max(
		requestTokens - otherTokens,
		restShare * (level - otherTokens),
		minHistoryTokens,
	);
	return Math.max(0, Math.floor(targetTokens));
}
