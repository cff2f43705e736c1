import { describe, expect, it } from 'vitest';
import { findContextState, findProfile, profiles } from '../../../server/core/models/profiles.ts';

describe('profiles', () => {
	it.each([
		['claude-3-opus-20240229', 0.7, 0.8, 0.9],
		['anthropic/claude-opus-4', 0.7, 0.8, 0.9],
		['claude-opus-5-5', 0.7, 0.8, 0.9],
		['o3-mini', 0.7, 0.8, 0.9],
		['deepseek-chat', 0.85, 0.92, 0.97],
		['gpt-4o-2024-08-06', 0.75, 0.85, 0.95],
		['claude-sonnet-4-5', 0.75, 0.85, 0.95],
		['gemini-2.5-pro', 0.88, 0.94, 0.98],
		['models/gemini-1.5-pro', 0.88, 0.94, 0.98],
		['GEMINI-3-PRO', 0.88, 0.94, 0.98],
		['never-heard-of-it', 0.75, 0.85, 0.95],
		['not-o1', 0.75, 0.85, 0.95],
		[undefined, 0.75, 0.85, 0.95],
	])('the profile of %s has its levels', (model, warning, critical, overflow) => {
		expect(profiles[findProfile(model)]).toEqual({ warning, critical, overflow });
	});

	it('every profile is available as a setting', () => {
		for (const { warning, critical, overflow } of Object.values(profiles)) {
			const ascending = [0, warning, critical, overflow, 1];
			expect(ascending).toEqual([...new Set(ascending)].sort((a, b) => a - b));
		}
	});
});

describe('state of a context', () => {
	it.each([
		[0, 'healthy'],
		[0.749, 'healthy'],
		[0.75, 'warning'],
		[0.8499, 'warning'],
		[0.85, 'critical'],
		[0.95, 'overflow'],
		[7, 'overflow'],
		[Number.POSITIVE_INFINITY, 'overflow'],
		[Number.NaN, 'healthy'],
	])('the state of a context at %d is %s: a level belongs to the state that it begins', (ratio, state) => {
		expect(findContextState(ratio, profiles.balanced)).toBe(state);
	});
});
