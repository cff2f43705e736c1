import { describe, expect, it } from 'vitest';
import { lookupTokenFamily } from '../../../server/core/models/tokenFamily.ts';

describe('the family of a model', () => {
	it.each([
		['anthropic', 'claude-sonnet-4-5-20250929', 'claude'],
		['anthropic', 'claude-opus-4-6', 'claude'],
		['anthropic', 'claude-3-7-sonnet-20250219', 'claude'],
		['anthropic', 'claude-opus-4-20250514', 'claude'],
		['openrouter', 'anthropic/claude-opus-4.7', 'claude-4.7'],
		['anthropic', 'claude-opus-4-8', 'claude-4.7'],
		['anthropic', 'claude-sonnet-5', 'claude-4.7'],
		['anthropic', 'claude-fable-5-1', 'claude-4.7'],
		['anthropic', 'claude-haiku-5-5', 'claude-4.7'],
		['anthropic', 'claude-whatever', 'claude-4.7'],
		['bedrock', 'us.anthropic.claude-sonnet-4-20250514-v1:0', 'claude'],
		['bedrock', 'meta.llama3-1-8b-instruct-v1:0', 'llama'],
		['bedrock', 'amazon.nova-pro-v1:0', 'unknown'],
		['anthropic', undefined, 'claude'],
		['openai', 'gpt-5.5', 'openai'],
		['openai', 'o3', 'openai'],
		['azure', 'my-deployment', 'openai'],
		['vertex', 'gemini-2.5-pro', 'gemini'],
		['vertex', 'claude-opus-4@20250514', 'claude'],
		['mistral', 'codestral-latest', 'mistral'],
		['openrouter', 'deepseek/deepseek-chat', 'deepseek'],
		['ollama', 'qwen2.5-coder:32b', 'qwen'],
		['ollama', 'llama3.1:8b', 'llama'],
		['openai', 'claude-sonnet-4-5', 'claude'],
		[undefined, undefined, 'unknown'],
		['huggingface', 'some/model', 'unknown'],
	])('the token family of %s %s is %s', (provider, model, name) => {
		expect(lookupTokenFamily(provider, model).name).toBe(name);
	});

	it('the newer Claude tokenizer counts three tenths more', () => {
		const older = lookupTokenFamily('anthropic', 'claude-opus-4-6');
		const newer = lookupTokenFamily('anthropic', 'claude-opus-4-7');
		expect(newer.factor / older.factor).toBeCloseTo(1.3);
		expect(newer.vocabulary).toBe('claude2');
	});

	it.each([
		['claude-opus-4-5', 'kept'],
		['claude-sonnet-4-6', 'kept'],
		['claude-opus-4-8', 'kept'],
		['claude-sonnet-4-5', 'turn'],
		['claude-3-7-sonnet', 'turn'],
		['gpt-5', 'turn'],
		['gemini-2.5-flash', 'never'],
	])('the model %s sees its thinking: %s', (model, reasoning) => {
		expect(lookupTokenFamily(undefined, model).reasoning).toBe(reasoning);
	});
});
