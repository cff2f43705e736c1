import { describe, expect, it } from 'vitest';
import { findModelProvider } from '../../../server/core/models/familyName.ts';

describe('the provider of a model that came without one', () => {
	it.each([
		['claude-sonnet-4-20250514', 'anthropic'],
		['anthropic/claude-opus-4-6', 'anthropic'],
		['gpt-4o', 'openai'],
		['o3-mini', 'openai'],
		['gemini-2.5-pro', 'google-ai'],
		['codestral-latest', 'mistral'],
		['deepseek-chat', 'deepseek'],
		['glm-4.6', 'zai'],
		['moonshotai/kimi-k2', 'moonshot'],
		['grok-4', 'xai'],
		['command-a-03-2025', 'cohere'],
		['llama-3.3-70b', 'openai'],
		['never-heard-of-it', 'openai'],
		['', 'openai'],
	])('the provider of "%s" without a provider is %s', (model, provider) => {
		expect(findModelProvider(model)).toBe(provider);
	});
});
