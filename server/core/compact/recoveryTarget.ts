/** How far down a recovery from an overflow goes. */

import type { MeterReading } from '../meter/reading.ts';
import type { Budget } from '../models/budget.ts';
import { targetPolicy } from './tuning.ts';

export interface RecoveryInput {
	reading: Pick<MeterReading, 'tokens' | 'breakdown'>;
	budget: Pick<Budget, 'available' | 'contextWindow' | 'thresholds'>;
	/** The most that a prompt may have for the next try to pass. Tokens. */
	limit: number;
	/** The user's own number of tokens at which compaction is due; 0 where the thresholds decide. */
	tokenThreshold: number;
}

/**
 * Tokens that the history should come down to after an overflow: so that the whole request takes 70% of what is
 * available, or stays 5 points below the lower of the warning level and the one at which compaction is due. What was
 * refused is too much, whatever the window was taken for. Continuous in every figure, and more than nothing for as
 * long as the limit leaves anything to the history.
 */
export function recoveryTarget({ reading, budget, limit, tokenThreshold }: RecoveryInput): number {
	const { thresholds } = budget;
	const around = reading.tokens - reading.breakdown.conversationHistory;
	const available = Math.min(budget.available, limit, reading.tokens);
	const byLevel = Math.min(thresholds.warning, thresholds.compact) * available;
	const level = tokenThreshold > 0 ? Math.min(tokenThreshold, byLevel) : byLevel;
	const aim = Math.min(
		targetPolicy.recovery.targetShare * available,
		level -
			Math.min(targetPolicy.recovery.marginShare * available, (1 - targetPolicy.recovery.restShare) * level),
	);
	const least = Math.min(
		targetPolicy.recovery.minTokens,
		targetPolicy.recovery.minShare * limit,
		targetPolicy.recovery.restShare * (limit - around),
	);
	const wanted = Math.max(aim - around, targetPolicy.recovery.restShare * (level - around), least);
	return Math.max(0, Math.floor(wanted));
}
