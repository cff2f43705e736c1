/** Tests how often sessions compact in small windows, where system prompt and tools fill much of the window. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CostBasis, findLargestTarget } from '../../../server/core/cost/compactionCost.ts';
import {
	computeDefaultTarget,
	computeUsualShare,
	type TargetBasis,
} from '../../../server/core/cost/target.ts';
import { defaultSettings } from '../../../server/core/settings/schema.ts';
import { agentBudget, claudeBuffer } from './agent-budget.ts';

/** Tokens of Claude Code's system prompt and tools. */
const claudePrefix = 17_400;
const cached: CostBasis['prices'] = { read: 0.1, write: 1.25, output: 5 };

interface SessionShape {
	available: number;
	growth: number;
	prefix: number;
	prices?: CostBasis['prices'];
}

function basisOf({ available, growth, prefix, prices }: SessionShape): TargetBasis {
	return {
		breakdown: {
			systemPrompt: prefix,
			conversationHistory: Math.max(0, available - prefix),
			currentPrompt: 0,
			toolDefinitions: 0,
			fileAttachments: 0,
			other: 0,
		},
		budget: agentBudget(available + claudeBuffer),
		settings: defaultSettings,
		growthTokens: growth,
		agentRemainingTokens: 6000,
		...(prices && { prices }),
	};
}

/** Returns the basis with its usual trigger (`computeUsualShare`) as the threshold for compactions. */
function withDueShare(basis: TargetBasis): TargetBasis {
	const { budget } = basis;
	return {
		...basis,
		budget: { ...budget, thresholds: { ...budget.thresholds, compact: computeUsualShare(basis) } },
	};
}

/** Returns the average number of requests between two compactions of a long session. */
function requestsPerCompaction(shape: SessionShape): number {
	const basis = withDueShare(basisOf(shape));
	const trigger = basis.budget.thresholds.compact * shape.available;
	const requests = 1000;
	let prompt = shape.prefix;
	let compactions = 0;
	for (let request = 0; request < requests; request++) {
		prompt += shape.growth;
		if (prompt < trigger) continue;
		prompt = shape.prefix + computeDefaultTarget(basis);
		compactions++;
	}
	return requests / compactions;
}

describe('compaction in a small window', () => {
	const cases = [
		[35_000, 6],
		[55_000, 9.5],
		[85_000, 9.5],
	] as const;
	it.each(
		cases.flatMap(([available, least]) => [
			{ available, least, cache: 'with a cache', prices: cached },
			{ available, least, cache: 'without a cache', prices: undefined },
		]),
	)(
		'compaction in a small window is due at most every $least requests at $available tokens, $cache',
		({ available, least, prices }) => {
			const shape = { available, growth: 1500, prefix: claudePrefix, ...(prices && { prices }) };
			expect(requestsPerCompaction(shape)).toBeGreaterThanOrEqual(least);
		},
	);

	it('compaction in a small window is held back only while the request fits', () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 20_000, max: 120_000 }),
				fc.integer({ min: 300, max: 8000 }),
				fc.integer({ min: 0, max: 60_000 }),
				fc.option(fc.constant(cached), { nil: undefined }),
				(available, growth, prefix, prices) => {
					const share = computeUsualShare(basisOf({ available, growth, prefix, ...(prices && { prices }) }));
					expect(share).toBeGreaterThanOrEqual(0.8);
					expect(share).toBeLessThanOrEqual(0.95);
				},
			),
		);
	});

	it("compaction in a small window is due at the user's threshold", () => {
		const basis = basisOf({ available: 35_000, growth: 1500, prefix: claudePrefix, prices: cached });
		const compaction = { ...defaultSettings.compaction, threshold: 0.8 };
		expect(computeUsualShare({ ...basis, settings: { ...defaultSettings, compaction } })).toBe(0.8);
	});

	it('cost changes neither threshold nor target in windows of 200,000 and 1,000,000 tokens', () => {
		fc.assert(
			fc.property(
				fc.constantFrom(200_000, 1_000_000),
				fc.integer({ min: 300, max: 8000 }),
				fc.integer({ min: 2000, max: 30_000 }),
				fc.constantFrom(1, 1.25, 2),
				(window, growth, prefix, write) => {
					const prices = { ...cached, write };
					const available = window - claudeBuffer;
					const basis = basisOf({ available, growth, prefix, prices });
					expect(computeUsualShare(basis)).toBe(0.8);
					const largest = findLargestTarget(0.8 * available, {
						growthTokens: growth,
						prefixTokens: prefix,
						prices,
					});
					expect(computeDefaultTarget(basis)).toBeLessThan(largest);
				},
			),
		);
	});
});
