import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lookupModel } from '../../../server/core/models/registry.ts';
import { machineSlowness, processorClock } from '../../support/processorClock.ts';

const window = (provider: string | undefined, model: string | undefined) =>
	lookupModel(provider, model).contextWindow;

describe('looking up a model', () => {
	it.each([
		['openai', 'gpt-4', 8192],
		['openai', 'gpt-4-0613', 8192],
		['openai', 'gpt-4.1', 1_047_576],
		['openai', 'gpt-4.1-mini-2025-04-14', 1_047_576],
		['openai', 'gpt-4-0125-preview', 128_000],
		['openai', 'gpt-4-1106-preview', 128_000],
		['openai', 'gpt-4-32k-0613', 32_768],
		['openai', 'o1-mini-2024-09-12', 128_000],
		['openai', 'o1-2024-12-17', 200_000],
		['openai', 'gpt-5', 400_000],
		['openai', 'gpt-5-chat-latest', 128_000],
		['openai', 'gpt-5.2-chat-latest', 128_000],
		['openai', 'gpt-5.4', 1_050_000],
		['openai', 'gpt-5.4-mini-2026-03-17', 400_000],
		['openai', 'gpt-5.3-codex-spark', 128_000],
		['mistral', 'mistral-medium-latest', 262_144],
		['mistral', 'mistral-large-2411', 131_072],
		['anthropic', 'claude-opus-4-20250514', 200_000],
		['anthropic', 'claude-opus-4-6', 1_000_000],
		['anthropic', 'sonnet', 1_000_000],
		[undefined, 'haiku', 200_000],
		['anthropic', 'opus[1m]', 1_000_000],
		['bedrock', 'amazon.nova-pro-v1:0', 300_000],
		['ollama', 'llama3.1:8b', 131_072],
		['ollama', 'llama3:70b', 8192],
		['openai', 'glm-4.6', 200_000],
		['zai', 'glm-4.6', 200_000],
		['openrouter', 'z-ai/glm-4.6', 200_000],
		['openai', 'kimi-k2', 131_072],
		['cohere', 'command-a-03-2025', 256_000],
	])('the window of %s %s is %i tokens, by the longest known name', (provider, model, tokens) => {
		expect(lookupModel(provider, model)).toMatchObject({
			contextWindow: tokens,
			contextWindowSource: 'registry',
		});
	});

	it.each([
		['openrouter', 'anthropic/claude-sonnet-4.5:beta'],
		['openai', 'openrouter/anthropic/claude-sonnet-4-5'],
		['litellm', 'litellm_proxy/claude-sonnet-4-20250514'],
		['bedrock', 'us.anthropic.claude-sonnet-4-20250514-v1:0'],
		['vertex', 'claude-sonnet-4@20250514'],
		['openai', 'Claude-Sonnet-4-5'],
		[undefined, 'claude-4.5-sonnet'],
		['nobody', 'arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-3-haiku-20240307-v1:0'],
	])('the model of %s %s is recognized by its name', (provider, model) => {
		expect(window(provider, model)).toBe(200_000);
	});

	it('a window in the model name is used', () => {
		expect(window('anthropic', 'claude-sonnet-4-5[1m]')).toBe(1_000_000);
		expect(window('bedrock', 'anthropic.claude-3-haiku-20240307-v1:0:48k')).toBe(48_000);
	});

	it.each(['google', 'Google-AI', 'googleAiStudio', 'gemini', 'vertex', 'google-vertex'])(
		'%s is recognized as a name of Google',
		(provider) => {
			expect(lookupModel(provider, 'gemini-99-unheard-of')).toMatchObject({
				contextWindow: 1_048_576,
				contextWindowSource: 'provider-default',
			});
		},
	);

	it('a later version of a known model is not taken for it', () => {
		expect(lookupModel('anthropic', 'claude-opus-4-9')).toMatchObject({
			contextWindow: 200_000,
			contextWindowSource: 'provider-default',
		});
		expect(lookupModel('openai', 'gpt-5.9').contextWindowSource).toBe('provider-default');
	});

	it("a host's lower limit is preferred over the vendor's", () => {
		expect(window('copilot', 'gpt-5')).toBe(128_000);
		expect(window('github-copilot', 'claude-sonnet-4.6')).toBe(128_000);
	});

	it('a routed name gets the default of its vendor', () => {
		expect(lookupModel('openrouter', 'google/gemini-99').contextWindow).toBe(1_048_576);
	});

	it('an unknown model gets 128,000 tokens', () => {
		for (const [provider, model] of [
			['never', 'never-heard-of-it'],
			[undefined, undefined],
			['', ''],
		] as const)
			expect(lookupModel(provider, model)).toMatchObject({
				contextWindow: 128_000,
				contextWindowSource: 'default',
				profile: 'balanced',
			});
	});

	it('the input limit of gpt-5 is below its window', () => {
		expect(lookupModel('openai', 'gpt-5')).toMatchObject({ maxInputTokens: 272_000, outputLimit: 128_000 });
	});

	it("the registry's output limit is kept separate from a requested one", () => {
		expect(lookupModel('openai', 'gpt-4o').maxOutputTokens).toBeUndefined();
		expect(lookupModel('openai', 'gpt-4o', { maxOutputTokens: 1000 }).maxOutputTokens).toBe(1000);
	});
});

describe('overrides', () => {
	const models = {
		'*': { contextWindow: 1 },
		'gpt-4*': { contextWindow: 5000, maxOutputTokens: 77, profile: 'aggressive' as const },
	};

	it("a user's pattern is preferred over the registry", () => {
		expect(lookupModel('openai', 'GPT-4o', { models })).toEqual({
			contextWindow: 5000,
			contextWindowSource: 'settings',
			maxOutputTokens: 77,
			outputLimit: 16_384,
			profile: 'aggressive',
		});
		expect(lookupModel('openai', 'gpt-4o')).toMatchObject({ contextWindow: 128_000, profile: 'balanced' });
	});

	it('the last matching pattern is used, which must match the whole name', () => {
		expect(lookupModel('openai', 'my-gpt-4', { models }).contextWindow).toBe(1);
		expect(lookupModel('x', 'a-b', { models: { b: { contextWindow: 3 } } }).contextWindow).toBe(128_000);
	});

	it("the client's values are preferred over everything else", () => {
		expect(lookupModel('openai', 'gpt-4.1', { models, contextWindow: 9000 })).toEqual({
			contextWindow: 9000,
			contextWindowSource: 'client',
			maxOutputTokens: 77,
			outputLimit: 32_768,
			profile: 'aggressive',
		});
	});

	it('the input limit is dropped for a larger window', () => {
		expect(lookupModel('openai', 'gpt-5', { contextWindow: 400_000 }).maxInputTokens).toBe(272_000);
		expect(lookupModel('openai', 'gpt-5', { contextWindow: 900_000 }).maxInputTokens).toBeUndefined();
	});

	it('invalid figures of overrides are ignored', () => {
		for (const contextWindow of [0, -5, Number.NaN, Number.POSITIVE_INFINITY])
			expect(lookupModel('openai', 'gpt-4o', { contextWindow }).contextWindow).toBe(128_000);
	});
});

it('every name has a finite positive window', () => {
	const word = fc.oneof(
		fc.string(),
		fc.constantFrom('gpt-4', 'claude-opus-4', 'us.anthropic.', '[1m]', ':0k', '/', '-', '@', 'models/'),
	);
	fc.assert(
		fc.property(fc.option(word, { nil: undefined }), fc.array(word), (provider, words) => {
			const { contextWindow } = lookupModel(provider, words.join(''));
			expect(Number.isInteger(contextWindow) && contextWindow > 0).toBe(true);
		}),
	);
});

it('an endless model name is looked up quickly', () => {
	const spent = processorClock();
	lookupModel('openai', 'a-'.repeat(5_000_000));
	expect(spent()).toBeLessThan(200 * machineSlowness());
});
