import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
	type CachedRequest,
	computeCacheState,
	estimateCacheLifetimeMs,
} from '../../../server/core/cost/cacheState.ts';
import type { Usage } from '../../../server/protocol/conversation.ts';

const minuteMs = 60_000;

/** Returns a request at a minute of the session. */
function request(minute: number, usage: Partial<Usage> = {}): CachedRequest {
	return { startedAt: minute * minuteMs, usage: { input: 0, output: 10, ...usage } };
}

/** Returns the lifetime of a session's cache in minutes. */
function minutes(provider: string, model: string, requests: CachedRequest[] = []): number | undefined {
	const lifetime = estimateCacheLifetimeMs(provider, model, requests);
	return lifetime === undefined ? undefined : lifetime / minuteMs;
}

describe('the lifetime of a cache', () => {
	it('the lifetime of a cache is five minutes for Claude, on every host', () => {
		expect(minutes('anthropic', 'claude-sonnet-4-5')).toBe(5);
		expect(minutes('bedrock', 'anthropic.claude-opus-4-1-v1:0')).toBe(5);
		expect(minutes('anthropic', 'claude-opus-5', [request(0, { cacheWrite: 9000 })])).toBe(5);
	});

	it('the lifetime of a cache is an hour if the newest writes are mostly for an hour', () => {
		const hour = request(0, { cacheWrite: 9000, cacheWriteForHour: 9000 });
		const short = request(1, { cacheRead: 9000, cacheWrite: 500 });
		const read = request(2, { cacheRead: 9500 });
		expect(minutes('anthropic', 'claude-opus-5', [hour, read])).toBe(60);
		expect(minutes('anthropic', 'claude-opus-5', [hour, short, read])).toBe(5);
	});

	it('the lifetime of a cache depends on the generation of the model at OpenAI', () => {
		expect(minutes('openai', 'gpt-5.6')).toBe(30);
		expect(minutes('openai', 'gpt-5.5-codex')).toBe(60);
		expect(minutes('openai', 'gpt-5.1')).toBe(10);
	});

	it('the lifetime of a cache is longer if a prompt was read after a longer pause and nothing is promised', () => {
		const requests = [request(0, { input: 8000 }), request(40, { cacheRead: 7900, input: 300 })];
		expect(minutes('openai', 'gpt-5.1', requests)).toBe(40);
		expect(minutes('anthropic', 'claude-opus-5', requests)).toBe(5);
	});

	it('the lifetime of a cache ignores a read of a small beginning, which other sessions share', () => {
		const requests = [request(0, { input: 8000 }), request(40, { cacheRead: 2000, input: 6300 })];
		expect(minutes('openai', 'gpt-5.1', requests)).toBe(10);
	});

	it('the lifetime of a cache is undefined for an unknown provider, unless its figures show a cache', () => {
		expect(minutes('ollama', 'qwen3')).toBeUndefined();
		expect(minutes('mock', 'mock-1', [request(0, { input: 9000 })])).toBeUndefined();
		expect(minutes('mock', 'mock-1', [request(0, { cacheWrite: 9000 })])).toBe(5);
		expect(minutes('mock', 'mock-1', [request(0, { cacheRead: 9000 })])).toBe(10);
	});
});

describe('the state of a cache', () => {
	const claude = { provider: 'anthropic', model: 'claude-opus-5' };

	it('the state of a cache counts from the start of the newest request', () => {
		const requests = [request(0, { cacheWrite: 9000 }), request(4, { cacheRead: 9000 })];
		const at = (minute: number) => computeCacheState(minute * minuteMs, { ...claude, requests });
		expect(at(8)).toEqual({ lifetimeMs: 5 * minuteMs, warmUntil: 9 * minuteMs, isWarm: true });
		expect(at(9)).toMatchObject({ isWarm: false });
	});

	it('the state of a cache is undefined before the first request', () => {
		expect(computeCacheState(0, { ...claude, requests: [] })).toBeUndefined();
	});

	it('the state of a cache never becomes warm again by waiting', () => {
		fc.assert(
			fc.property(fc.nat(1000), fc.nat(1000), fc.nat(1000), (start, wait, longer) => {
				const requests = [request(start, { cacheWrite: 9000 })];
				const early = computeCacheState((start + wait) * minuteMs, { ...claude, requests });
				const late = computeCacheState((start + wait + longer) * minuteMs, { ...claude, requests });
				expect(early?.isWarm === false && late?.isWarm === true).toBe(false);
			}),
		);
	});
});
