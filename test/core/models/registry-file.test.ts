import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findLongestMatch, parseModelId } from '../../../server/core/models/modelId.ts';
import registry from '../../../server/core/models/registry.json' with { type: 'json' };

const rows = [registry.models, ...Object.values(registry.hosts)].flatMap((table) =>
	Object.entries(table as Record<string, (string | number | null)[]>),
);

describe('the registry', () => {
	it('the registry of models is dated and small', () => {
		expect(registry.date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
		expect(readFileSync('server/core/models/registry.json', 'utf8').length).toBeLessThan(60_000);
	});

	it.each(rows)('the registry has valid limits and a source for %s', (_, row) => {
		const [contextWindow, outputLimit, maxInput, source] = row as [number, number, number, string];
		expect(contextWindow).toBeGreaterThanOrEqual(4096);
		expect(outputLimit).toBeGreaterThan(0);
		expect(outputLimit).toBeLessThanOrEqual(contextWindow);
		expect(maxInput ?? 0).toBeLessThan(contextWindow);
		expect(Object.keys(registry.sources)).toContain(source);
	});

	it('the registry spells every name as a lookup does', () => {
		for (const [name] of rows) expect(parseModelId(name).name).toBe(name);
	});

	it('the lookup of every name in the registry finds its own entry', () => {
		const table = registry.models as Record<string, unknown>;
		for (const name of Object.keys(table))
			expect(findLongestMatch(name, (key) => (Object.hasOwn(table, key) ? key : undefined))).toBe(name);
	});
});
