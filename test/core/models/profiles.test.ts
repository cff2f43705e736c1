import { describe, expect, test } from 'vitest';
import { Failure } from '../../../server/core/failure.ts';
import { profileOf, profiles } from '../../../server/core/models/profiles.ts';
import { contextState, validateThresholds } from '../../../server/core/models/state.ts';

describe('profiles', () => {
	test.each([
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
	])('%s has its levels', (model, warning, critical, overflow) => {
		expect(profiles[profileOf(model)]).toEqual({ warning, critical, overflow });
	});

	test('every profile is one that may be set', () => {
		for (const levels of Object.values(profiles)) expect(() => validateThresholds(levels)).not.toThrow();
	});
});

describe('the state of a context', () => {
	test.each([
		[0, 'healthy'],
		[0.749, 'healthy'],
		[0.75, 'warning'],
		[0.8499, 'warning'],
		[0.85, 'critical'],
		[0.95, 'overflow'],
		[7, 'overflow'],
		[Number.POSITIVE_INFINITY, 'overflow'],
		[Number.NaN, 'healthy'],
	])('at %d is %s: a level belongs to the state that it begins', (ratio, state) => {
		expect(contextState(ratio, profiles.balanced)).toBe(state);
	});
});

describe('levels that no context could pass in order', () => {
	test.each([
		[{ warning: 0.8, critical: 0.8, overflow: 0.9 }, /warning is 0.8 and critical is 0.8/],
		[{ warning: 0.7, critical: 0.95, overflow: 0.9 }, /critical is 0.95 and overflow is 0.9/],
		[{ warning: -0.1, critical: 0.8, overflow: 0.9 }, /warning must be a number from 0 to 1, but is -0.1/],
		[{ warning: 0.7, critical: 0.8, overflow: 1.1 }, /overflow must be a number from 0 to 1, but is 1.1/],
		[{ warning: Number.NaN, critical: 0.8, overflow: 0.9 }, /warning must be a number/],
		[{ warning: 0.7, critical: 0.8, overflow: 0.9, threshold: 2 }, /threshold must be a number from 0 to 1/],
	])('%j are refused by name', (levels, message) => {
		expect(() => validateThresholds(levels)).toThrow(Failure);
		expect(() => validateThresholds(levels)).toThrow(message);
	});

	test('the threshold itself may lie anywhere in 0..1', () => {
		for (const threshold of [0, 0.05, 0.8, 0.99, 1])
			expect(() => validateThresholds({ ...profiles.balanced, threshold })).not.toThrow();
	});
});
