import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
	type CostBasis,
	computeCostPerRequest,
	computeModelCompactedCost,
	findBalancedTarget,
} from '../../../server/core/cost/compactionCost.ts';
import { computeDefaultTarget } from '../../../server/core/cost/target.ts';
import type { Budget } from '../../../server/core/models/budget.ts';
import { defaultSettings } from '../../../server/core/settings/schema.ts';
import { agents } from '../../../server/core/transcript/agents.ts';
import { agentBudget, claudeBuffer } from './agent-budget.ts';

/** A summary by a model: tokens of the history after it, and tokens that the model writes. */
const summary = { remainingTokens: 6000, writtenTokens: 3000 };

/** Agents with plugins, and the tokens of a window that each agent keeps free. */
const pluginAgents = [
	{ name: 'claude-code', reservedTokens: claudeBuffer },
	{ name: 'opencode', reservedTokens: 8192 },
	{ name: 'pi', reservedTokens: 16_384 },
].map(({ name, reservedTokens }) => {
	const plugin = agents.find((agent) => agent.name === name)?.plugin;
	const remainingTokens = plugin?.compactionRemainingTokens ?? summary.remainingTokens;
	return { reservedTokens, remainingTokens, threshold: plugin?.threshold ?? 0.8 };
});
type PluginAgent = (typeof pluginAgents)[number];

/** Returns the budget of a session in an agent. */
function budgetOf(window: number, { reservedTokens, threshold }: PluginAgent): Budget {
	const { thresholds, ...budget } = agentBudget(window);
	return { ...budget, available: window - reservedTokens, thresholds: { ...thresholds, compact: threshold } };
}

interface Policy {
	trigger: number;
	/** Tokens of the history after a compaction. */
	view: number;
	/** Tokens that a model writes at each compaction; absent if no model is asked. */
	writes?: number;
}

/**
 * Returns the cost of a session without new input and answers, in tokens at the price of input.
 *
 * @param growths tokens of each request that the previous one did not contain
 */
function sessionCost(
	growths: readonly number[],
	policy: Policy,
	{ prefixTokens, prices }: CostBasis,
): number {
	let prompt = prefixTokens;
	let cost = 0;
	for (const growth of growths) {
		if (prompt + growth >= policy.trigger) {
			if (policy.writes !== undefined) cost += prices.read * prompt + prices.output * policy.writes;
			cost += prices.read * prefixTokens + prices.write * policy.view;
			prompt = prefixTokens + policy.view;
		} else {
			cost += prices.read * prompt;
			prompt += growth;
		}
	}
	return cost;
}

/** Returns the default target of a compaction: tokens of the history after it. */
function viewIn(
	budget: Budget,
	{ growthTokens, prefixTokens, prices }: CostBasis,
	agentRemainingTokens = summary.remainingTokens,
): number {
	const breakdown = {
		systemPrompt: prefixTokens,
		conversationHistory: budget.available - prefixTokens,
		currentPrompt: 0,
		toolDefinitions: 0,
		fileAttachments: 0,
		other: 0,
	};
	return computeDefaultTarget({
		breakdown,
		budget,
		settings: defaultSettings,
		growthTokens,
		prices,
		agentRemainingTokens,
	});
}

const sessions = {
	growth: fc.integer({ min: 300, max: 8000 }),
	prefix: fc.integer({ min: 2000, max: 30_000 }),
	write: fc.constantFrom(1, 1.25, 2),
	window: fc.constantFrom(200_000, 1_000_000),
};

describe('the default target by cost', () => {
	it("the default target by cost keeps the cost of sessions at most 0.95 of an agent's own compactions", () => {
		fc.assert(
			fc.property(
				fc.record({
					...sessions,
					agent: fc.constantFrom(...pluginAgents),
					uneven: fc.double({ min: 0, max: 0.9, noNaN: true }),
				}),
				({ growth, prefix, write, window, agent, uneven }) => {
					const basis = {
						growthTokens: growth,
						prefixTokens: prefix,
						prices: { read: 0.1, write, output: 5 },
					};
					const budget = budgetOf(window, agent);
					const ownTrigger = budget.available;
					// Enough for more than thirty compactions, so that the unfinished cycle at the end hardly counts.
					const requests = Math.ceil((30 * ownTrigger) / growth);
					const growths = Array.from(
						{ length: requests },
						(_, index) => growth * (1 + (index % 2 === 0 ? uneven : -uneven)),
					);
					const view = viewIn(budget, basis, agent.remainingTokens);
					const trigger = budget.thresholds.compact * budget.available;
					const ours = sessionCost(growths, { trigger, view }, basis);
					const own = sessionCost(
						growths,
						{ trigger: ownTrigger, view: agent.remainingTokens, writes: summary.writtenTokens },
						basis,
					);
					expect(ours / own).toBeLessThanOrEqual(0.95);
					expect(view).toBeGreaterThanOrEqual(12_000);
					expect(view).toBeGreaterThanOrEqual(2 * summary.remainingTokens);
				},
			),
		);
	});

	it("the default target by cost is the largest target that costs 0.9 of the agent's own compactions", () => {
		fc.assert(
			fc.property(fc.record(sessions), ({ growth, prefix, write, window }) => {
				const basis = { growthTokens: growth, prefixTokens: prefix, prices: { read: 0.1, write, output: 5 } };
				const own = { triggerTokens: window - claudeBuffer, ...summary };
				const trigger = 0.8 * own.triggerTokens;
				const size = prefix + findBalancedTarget(trigger, own, basis);
				const cost = 0.9 * computeModelCompactedCost(own, basis);
				expect(computeCostPerRequest(trigger, size, basis)).toBeLessThanOrEqual(cost);
				expect(computeCostPerRequest(trigger, size + 2, basis)).toBeGreaterThan(cost);
			}),
		);
	});

	it('the default target by cost is smaller if cache writes are more expensive', () => {
		const budget = agentBudget(200_000);
		const views = [1, 1.25, 2].map((write) =>
			viewIn(budget, { growthTokens: 1500, prefixTokens: 18_000, prices: { read: 0.1, write, output: 5 } }),
		);
		expect(views).toEqual([...views].sort((a, b) => b - a));
		expect(new Set(views).size).toBe(3);
	});

	it('the default target by cost is a number of tokens below the trigger for any window', () => {
		fc.assert(
			fc.property(fc.record({ ...sessions, available: fc.integer({ min: 1, max: 60_000 }) }), (drawn) => {
				const { growth, prefix, write, available } = drawn;
				const budget = { ...agentBudget(32_000), available };
				const view = viewIn(budget, {
					growthTokens: growth,
					prefixTokens: prefix,
					prices: { read: 0.1, write, output: 5 },
				});
				expect(view).toBeGreaterThanOrEqual(0);
				expect(view).toBeLessThanOrEqual(0.8 * available);
			}),
		);
	});

	it('the target is the share that the user set, whatever its cost', () => {
		const budget = agentBudget(200_000);
		const settings = { ...defaultSettings, compaction: { ...defaultSettings.compaction, targetRatio: 0.5 } };
		const breakdown = {
			systemPrompt: 0,
			conversationHistory: 160_000,
			currentPrompt: 0,
			toolDefinitions: 0,
			fileAttachments: 0,
			other: 0,
		};
		const prices = { read: 0.1, write: 1.25, output: 5 };
		expect(computeDefaultTarget({ breakdown, budget, settings, prices })).toBe(83_500);
	});
});
