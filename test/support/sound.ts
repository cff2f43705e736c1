/** Checks invariants of a session's figures. */

import { expect } from 'vitest';
import type { ContextStats } from '../../server/protocol/stats.ts';
import type { Client } from './client.ts';
import { statsIn } from './talk.ts';

/** Returns the sum of all values of an object. */
export const sum = (values: object): number =>
	Object.values(values).reduce((total, value) => total + value, 0);

function expectSound(stats: ContextStats): void {
	const numbers = (value: unknown): number[] =>
		typeof value === 'number'
			? [value]
			: typeof value === 'object'
				? Object.values(value ?? { none: Number.NaN }).flatMap(numbers)
				: [];
	expect(numbers(stats).every(Number.isFinite)).toBe(true);
	expect(sum(stats.breakdown)).toBe(stats.estimatedInputTokens);
	expect(sum(stats.history)).toBe(stats.breakdown.conversationHistory);
	expect(Math.min(...Object.values(stats.breakdown), ...Object.values(stats.history))).toBeGreaterThanOrEqual(
		0,
	);
	expect(stats.availableInputTokens).toBe(stats.contextWindow - stats.outputReserve);
	expect(stats.withinBudget).toBe(stats.estimatedInputTokens <= stats.availableInputTokens);
}

/** Returns the stats of a session after checking the invariants. */
export async function soundStats(
	client: Client,
	sessionId: string,
	over: Record<string, unknown> = {},
): Promise<ContextStats> {
	const stats = await statsIn(client, sessionId, over);
	expectSound(stats);
	return stats;
}
