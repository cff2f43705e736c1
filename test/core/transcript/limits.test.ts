import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeAgentLimit } from '../../../server/core/transcript/agents.ts';

describe('limit of Claude Code', () => {
	const limit = (evidence: Parameters<typeof computeAgentLimit>[1]) =>
		computeAgentLimit('claude-code', evidence);
	const sonnet = { model: 'claude-sonnet-4-5-20250929' };

	it('the limit of Claude Code subtracts 20,000 for the summary and a buffer of 13,000', () => {
		expect(limit(sonnet)).toEqual({ window: 200_000, tokens: 167_000, of: 'agent', compacts: 'agent' });
		expect(limit({ model: 'claude-sonnet-5' })).toMatchObject({ window: 1_000_000, tokens: 967_000 });
	});

	it('the limit of Claude Code follows the window that the agent states', () => {
		expect(limit({ ...sonnet, statedWindow: 1_000_000 })).toMatchObject({ tokens: 967_000, of: 'agent' });
	});

	it.each([
		[66_000, 33_000],
		[64_000, 48_000],
		[32_000, 24_000],
		[8000, 6000],
	])('the limit of Claude Code is three quarters of a small window: %i gives %i', (window, tokens) => {
		expect(limit({ ...sonnet, statedWindow: window })).toMatchObject({ window, tokens, compacts: 'agent' });
	});

	it('the limit of Claude Code is guessed between two windows until an answered prompt proves the larger', () => {
		const opus = { model: 'claude-opus-4-6' };
		expect(limit(opus)).toMatchObject({ window: 200_000, of: 'guess' });
		expect(limit({ ...opus, answeredTokens: 199_000 })).toMatchObject({ window: 200_000, of: 'guess' });
		expect(limit({ ...opus, answeredTokens: 294_237 })).toMatchObject({ window: 1_000_000, of: 'agent' });
		expect(limit({ model: 'claude-opus-4-6[1m]' })).toMatchObject({ window: 1_000_000, of: 'agent' });
	});

	it.each([
		[{ CLAUDE_CODE_AUTO_COMPACT_WINDOW: '100000' }, 67_000],
		[{ CLAUDE_CODE_AUTO_COMPACT_WINDOW: '900000' }, 167_000],
		[{ CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: '50' }, 90_000],
		[{ CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: '99' }, 167_000],
		[{ CLAUDE_CODE_MAX_OUTPUT_TOKENS: '8000' }, 179_000],
	])('the limit of Claude Code is moved by %j to %i', (environment, tokens) => {
		expect(limit({ ...sonnet, environment }).tokens).toBe(tokens);
	});

	it('the limit of Claude Code follows autoCompactWindow for all models or one', () => {
		expect(limit({ ...sonnet, settings: { autoCompactWindow: 150_000 } }).tokens).toBe(117_000);
		const byModel = { [sonnet.model]: 120_000, default: 150_000 };
		expect(limit({ ...sonnet, settings: { autoCompactWindow: byModel } }).tokens).toBe(87_000);
	});

	it.each([
		[{ environment: { DISABLE_COMPACT: '1' } }],
		[{ environment: { DISABLE_AUTO_COMPACT: 'true' } }],
		[{ settings: { autoCompactEnabled: false } }],
	])('the limit of Claude Code is the whole window if nobody compacts: %j', (turnedOff) => {
		expect(limit({ ...sonnet, ...turnedOff })).toEqual({
			window: 200_000,
			tokens: 200_000,
			of: 'window',
			compacts: 'nobody',
		});
	});

	it('the limit of Claude Code is learned from an observed compaction', () => {
		expect(limit({ ...sonnet, compactedAt: 68_400 })).toMatchObject({ tokens: 68_400, of: 'agent' });
		expect(limit({ ...sonnet, compactedAt: 171_000 })).toMatchObject({ tokens: 167_000 });
		expect(limit({ ...sonnet, compactedAt: 970_000 })).toMatchObject({ tokens: 970_000, window: 1_000_000 });
	});
});

describe('limit of Codex', () => {
	it('the limit of Codex is nine tenths of the window of which a rollout states 95%', () => {
		expect(computeAgentLimit('codex', { model: 'gpt-5-codex', statedWindow: 258_400 })).toEqual({
			window: 258_400,
			tokens: 244_800,
			of: 'agent',
			compacts: 'agent',
		});
	});

	it('the limit of Codex is taken from its settings first', () => {
		const settings = { model_auto_compact_token_limit: 12_000 };
		expect(computeAgentLimit('codex', { statedWindow: 258_400, settings }).tokens).toBe(12_000);
	});

	it('the window of Codex is guessed from its usual models if no model is named', () => {
		expect(computeAgentLimit('codex-exec', {})).toMatchObject({
			window: 258_400,
			tokens: 244_800,
			of: 'guess',
		});
	});
});

describe('limit of Droid', () => {
	const limit = (general: object, model = 'claude-opus-4-6') =>
		computeAgentLimit('droid', {
			provider: 'anthropic',
			model,
			settings: { general },
			answeredTokens: 300_000,
		}).tokens;

	it('the limit of Droid is 250,000 or that of its settings, for all models or one', () => {
		expect(limit({})).toBe(250_000);
		expect(limit({ compactionTokenLimit: 120_000 })).toBe(120_000);
		expect(
			limit({ compactionTokenLimit: 120_000, compactionTokenLimitPerModel: { 'claude-opus-4-6': 90_000 } }),
		).toBe(90_000);
		expect(limit({ compactionThresholdCheckEnabled: false })).toBe(1_000_000);
	});
});

describe('limit of OpenClaw', () => {
	it('the limit of OpenClaw subtracts its reserve, but at least its floor', () => {
		const limit = (compaction: object) =>
			computeAgentLimit('openclaw', { statedWindow: 200_000, settings: { compaction } }).tokens;
		expect(limit({})).toBe(180_000);
		expect(limit({ reserveTokensFloor: 0 })).toBe(183_616);
		expect(limit({ reserveTokens: 50_000 })).toBe(150_000);
	});
});

describe('limit of Kimi Code', () => {
	it('the limit of Kimi Code is 85% of the configured window, at most 50,000 below it', () => {
		const limit = (loop_control: object) =>
			computeAgentLimit('kimi-code', {
				model: 'mine',
				settings: { models: { mine: { max_context_size: 300_000 } }, loop_control },
			});
		expect(limit({})).toMatchObject({ window: 300_000, tokens: 250_000, of: 'agent' });
		expect(limit({ compaction_trigger_ratio: 0.5 }).tokens).toBe(150_000);
		expect(limit({ reserved_context_size: 100_000 }).tokens).toBe(200_000);
	});
});

describe('limit of any agent', () => {
	const agents = fc.constantFrom('claude-code', 'codex', 'some-agent');
	const tokens = fc.option(fc.integer({ min: 1, max: 3_000_000 }), { nil: undefined });

	it('the limit of any agent is positive and within a window that holds every answered prompt', () => {
		const evidence = fc.record({
			model: fc.constantFrom('gpt-5', 'claude-opus-4-6', 'x'),
			answeredTokens: tokens,
		});
		fc.assert(
			fc.property(agents, evidence, (agent, known) => {
				const limit = computeAgentLimit(agent, known);
				expect(limit.tokens).toBeGreaterThan(0);
				expect(limit.tokens).toBeLessThanOrEqual(limit.window);
				expect(limit.window).toBeGreaterThanOrEqual(known.answeredTokens ?? 0);
			}),
		);
	});

	it('the window that the user set is reported as a setting', () => {
		fc.assert(
			fc.property(agents, fc.integer({ min: 40_000, max: 2_000_000 }), (agent, chosenWindow) => {
				expect(computeAgentLimit(agent, { chosenWindow })).toMatchObject({
					window: chosenWindow,
					of: 'setting',
				});
			}),
		);
	});
});

describe('limit of Copilot CLI', () => {
	const limit = (evidence: Parameters<typeof computeAgentLimit>[1]) =>
		computeAgentLimit('copilot-cli', evidence);
	const sonnet = { provider: 'anthropic', model: 'claude-sonnet-4.6' };

	it('the limit of Copilot CLI is four fifths of the maximum prompt that a session states', () => {
		expect(limit({ ...sonnet, statedWindow: 168_000 })).toMatchObject({ tokens: 134_400, of: 'agent' });
	});

	it('the maximum prompt of Copilot CLI is guessed if a session states none', () => {
		expect(limit(sonnet)).toMatchObject({ window: 128_000, tokens: 102_400, of: 'guess' });
		expect(limit({ ...sonnet, answeredTokens: 150_000 })).toMatchObject({ window: 200_000, of: 'guess' });
		expect(limit({ ...sonnet, chosenWindow: 64_000 })).toMatchObject({ window: 64_000, of: 'setting' });
	});
});
