import { expect, test } from 'vitest';
import type { SessionCalls } from '../../../server/core/cost/audit/audit.ts';
import {
	type ConversationReplay,
	compareAlternatives,
	type ReplayScope,
} from '../../../server/core/replay/alternatives.ts';
import { defaultSettings } from '../../../server/core/settings/schema.ts';
import { everything, minute, modelCall, sessionOf } from '../cost/audit/calls.ts';

const scopeWith = (cache = new Map<string, ConversationReplay>()): ReplayScope => ({
	...everything,
	settings: defaultSettings,
	cache,
});

/** Returns a session that grows to the end of the window, with a warm cache. */
function longSession(path: string, steps = 120): SessionCalls {
	const calls = Array.from({ length: steps }, (_, step) => {
		const prompt = 20_000 + step * 1200;
		return modelCall(`${step}`, {
			at: (step + 1) * minute,
			usage: { input: 3, output: 300, cacheRead: step === 0 ? 0 : prompt - 1200, cacheWrite: 1200 },
		});
	});
	return sessionOf(calls, { path });
}

test('a session that nobody compacted costs in the replay what was recorded', () => {
	const found = compareAlternatives([longSession('/a')], scopeWith());
	expect(found?.sessions).toBe(1);
	const share = (found?.usd.nothing ?? 0) / (found?.recordedUsd ?? 1);
	expect(share).toBeGreaterThan(0.95);
	expect(share).toBeLessThan(1.05);
	expect(found?.usd.cheap).toBeLessThan(found?.usd.nothing ?? 0);
});

test('replays only the longest copy of a resumed session', () => {
	const [short, long] = [longSession('/a', 40), longSession('/b', 60)];
	expect(compareAlternatives([short, long], scopeWith())).toEqual(compareAlternatives([long], scopeWith()));
});

test('sub-agents, single calls and models without a price are not replayed', () => {
	const usage = { input: 5, output: 5 };
	const calls = [1, 2, 3].map((at) => modelCall(`m${at}`, { at, usage }));
	const unpriced = calls.map((call) => ({ ...call, provider: 'mine', model: 'mystery-1' }));
	const subAgent = calls.map((call) => ({ ...call, subAgent: 'a1' }));
	for (const one of [unpriced, subAgent, calls.slice(0, 1), []]) {
		expect(compareAlternatives([sessionOf(one)], scopeWith())).toBeUndefined();
	}
});

test('a replay that is remembered is not made again', () => {
	const cache = new Map<string, ConversationReplay>();
	const first = compareAlternatives([longSession('/a')], scopeWith(cache));
	const [key = ''] = cache.keys();
	const known = cache.get(key);
	expect(compareAlternatives([longSession('/a')], scopeWith(cache))).toEqual(first);
	expect(cache.get(key)).toBe(known);
});
