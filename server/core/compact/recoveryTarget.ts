/** How far down a recovery from an overflow goes. */

import type { MeterReading } from '../meter/reading.ts';
import type { Budget } from '../models/budget.ts';
import { targetPolicy } from './tuning.ts';

export interface RecoveryInput {
	reading: Pick<MeterReading, 'tokens' | 'breakdown'>;
	budget: Pick<Budget, 'available' | 'contextWindow' | 'thresholds'>;
	/** Maximum tokens of a prompt that the next attempt may have. */
	limit: number;
	/** The user's own compaction trigger in tokens; 0 if the thresholds decide. */
	tokenThreshold: number;
}

/**
 * Returns the tokens that the history should come down to after an overflow. The whole request then takes 70% of the
 * available tokens, or stays 5 points below the lower of the warning and compaction levels. The refused size counts
 * as too large even if the window is believed to be larger. Continuous in every figure, and positive while the limit
 * leaves anything to the history.
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
