import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
	countTokensUntilCompaction,
	describeSource,
	listCategories,
} from '../../client-vscode/src/text/categories.ts';
import { stats } from './stats.ts';

describe('categories of the window', () => {
	it('categories have the names that the editor uses', () => {
		expect(listCategories(stats()).map(({ name, tokens }) => [name, tokens])).toEqual([
			['System Instructions', 4000],
			['Tool Definitions', 9000],
			['Messages', 30_680],
			['Files', 19_000],
			['Tool Results', 22_000],
			['Reminders and Other', 1000],
			['Free', 50_320],
			['Output Reserve', 64_000],
		]);
	});

	it('empty categories are left out', () => {
		const empty = stats({
			breakdown: { ...stats().breakdown, systemPrompt: 0, other: 0 },
			fileBudget: { tokens: 1, used: 0, remaining: 1 },
		});
		const names = listCategories(empty).map(({ name }) => name);
		expect(names).not.toContain('System Instructions');
		expect(names).not.toContain('Reminders and Other');
	});

	it('categories add up to the estimated input, however large the files among the tool results', () => {
		const tokens = fc.nat({ max: 1_000_000 });
		const tally = fc.record({
			user: tokens,
			assistant: tokens,
			toolCalls: tokens,
			toolResults: tokens,
			summaries: tokens,
			images: tokens,
			system: tokens,
		});
		fc.assert(
			fc.property(tally, tokens, tokens, (history, files, other) => {
				const conversationHistory = Object.values(history).reduce((sum, one) => sum + one, 0);
				const breakdown = { ...stats().breakdown, conversationHistory, other };
				const estimated = Object.values(breakdown).reduce((sum, one) => sum + one, 0);
				const shares = listCategories(
					stats({ history, breakdown, fileBudget: { tokens: files, used: files, remaining: 0 } }),
				);
				const sum = shares
					.filter(({ kind }) => kind !== 'free' && kind !== 'reserve')
					.reduce((total, one) => total + one.tokens, 0);
				expect(sum).toBe(estimated);
				expect(shares.every((one) => one.tokens > 0)).toBe(true);
			}),
		);
	});

	it("parts without a figure are called system prompt and tools, and another agent's reserve its buffer", () => {
		const { breakdown } = stats();
		const untold = stats({
			breakdown: { ...breakdown, systemPrompt: 0, toolDefinitions: 0, other: 14_000 },
			limit: { tokens: 136_000, of: 'agent', compacts: 'agent' },
		});
		const names = listCategories(untold).map(({ name }) => name);
		expect(names).toContain('System Prompt and Tools');
		expect(names.at(-1)).toBe('Auto-compact Buffer');
	});

	it('shares of used categories add up to the meter, and with the free one to 1', () => {
		const shares = listCategories(stats());
		const sum = shares.reduce((all, { kind, share = 0 }) => (kind === 'free' ? all : all + share), 0);
		expect(sum).toBeCloseTo(85_680 / 136_000, 6);
		expect(shares.reduce((all, { share = 0 }) => all + share, 0)).toBeCloseTo(1, 6);
	});

	it('a category has its parts if the agent reports them', () => {
		const parts = [
			{ name: 'mcp: tickets', tokens: 6000 },
			{ name: 'built in', tokens: 3000 },
		];
		const tools = listCategories(stats({ details: { toolDefinitions: parts } }));
		expect(tools.find(({ kind }) => kind === 'tool-definitions')?.parts).toEqual(parts);
	});

	it('headroom is the tokens until automatic compaction', () => {
		expect(countTokensUntilCompaction(stats())).toBe(Math.round(0.8 * 136_000 - 85_680));
		expect(countTokensUntilCompaction(stats({ estimatedInputTokens: 130_000 }))).toBe(0);
	});

	it('the source of the figures is named', () => {
		expect(describeSource(stats({ source: 'reported' }))).toBe('Reported by the provider');
		expect(describeSource(stats({ source: 'anchored' }))).toContain('newer messages estimated');
		expect(describeSource(stats({ source: 'estimated' }))).toBe('Estimated');
	});
});
