import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeTriggerTokens } from '../../../server/core/cost/target.ts';
import { computeUsageRatio } from '../../../server/core/models/budget.ts';
import { defaultSettings } from '../../../server/core/settings/schema.ts';
import type { Settings } from '../../../server/protocol/settings.ts';
import { agentBudget } from '../cost/agent-budget.ts';

const budget = agentBudget(200_000);
const { available } = budget;

function settingsWith(compaction: Partial<Settings['compaction']>, tokenThreshold = 0): Settings {
	return {
		...defaultSettings,
		tokenThreshold,
		compaction: { ...defaultSettings.compaction, ...compaction },
	};
}

describe('the trigger of a compaction', () => {
	it('the trigger is the threshold, or the number of tokens that the user set', () => {
		expect(computeTriggerTokens(budget, settingsWith({}))).toBe(0.8 * available);
		expect(computeTriggerTokens(budget, settingsWith({}, 150_000))).toBe(150_000);
	});

	it('the trigger is at most the critical level of a profile', () => {
		const late = { ...budget, thresholds: { ...budget.thresholds, compact: 0.9 } };
		expect(computeTriggerTokens(late, settingsWith({ profile: 'balanced' }))).toBe(0.85 * available);
		expect(computeTriggerTokens(late, settingsWith({ profile: 'balanced' }, 150_000))).toBe(0.85 * available);
		expect(computeTriggerTokens(late, settingsWith({}))).toBe(0.9 * available);
	});

	it('the trigger is reached by the first request whose share of the limit is the threshold', () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 1, max: 2_000_000 }),
				fc.integer({ min: 1, max: 100 }),
				fc.integer({ min: 0, max: 2_000_000 }),
				(limit, percent, tokens) => {
					const compact = percent / 100;
					const own = { ...budget, available: limit, thresholds: { ...budget.thresholds, compact } };
					const isDue = tokens >= computeTriggerTokens(own, settingsWith({}));
					expect(isDue).toBe(computeUsageRatio(tokens, limit) >= compact);
				},
			),
			{ examples: [[100, 55, 55]] },
		);
	});
});
