import { expect, it } from 'vitest';
import { lookupCachePrices } from '../../../server/core/cost/prices.ts';

// Prices per million tokens in dollars or yuan, as providers list them: input, cached input, output.
it.each([
	['claude-sonnet-4-5', 3, 0.3, 15],
	['gpt-5.6-terra', 2.5, 0.25, 15],
	['gpt-5.5', 5, 0.5, 30],
	['gpt-5.4-mini', 0.75, 0.075, 4.5],
	['gpt-5.1-codex', 1.25, 0.125, 10],
	['gpt-4.1', 2, 0.5, 8],
	['o3', 2, 0.5, 8],
	['o3-mini', 1.1, 0.55, 4.4],
	['gpt-4o', 2.5, 1.25, 10],
	['gemini-2.5-pro', 1.25, 0.125, 10],
	['deepseek-flash', 2, 0.04, 8],
	['deepseek-v4-pro', 9, 0.3, 27],
])("a price matches the provider's price list for %s", (model, input, cached, output) => {
	const prices = lookupCachePrices(undefined, model);
	expect(prices.isKnown).toBe(true);
	expect(prices.read).toBeCloseTo(cached / input, 3);
	expect(prices.output).toBeCloseTo(output / input, 3);
});
