/** Finds the family of a model, and the generation of Claude, from its name. */

import { type ModelId, parseModelId } from './modelId.ts';
import { canonicalizeProvider } from './provider.ts';

export type FamilyName =
	| 'claude'
	| 'claude-4.7'
	| 'openai'
	| 'gemini'
	| 'mistral'
	| 'deepseek'
	| 'qwen'
	| 'llama'
	| 'unknown';

const familyByProvider: Readonly<Record<string, FamilyName>> = {
	anthropic: 'claude',
	bedrock: 'claude',
	openai: 'openai',
	azure: 'openai',
	copilot: 'openai',
	'google-ai': 'gemini',
	vertex: 'gemini',
	mistral: 'mistral',
	deepseek: 'deepseek',
	qwen: 'qwen',
	meta: 'llama',
};

const familyByName: readonly (readonly [RegExp, FamilyName])[] = [
	[/^(?:gpt|chatgpt|codex|o[1-9](?:-|$)|computer-use|davinci|babbage)/, 'openai'],
	[/^(?:gemini|gemma|learnlm)/, 'gemini'],
	[/^(?:open-)?(?:mistral|mixtral|ministral|codestral|devstral|magistral|pixtral|voxtral)/, 'mistral'],
	[/^deepseek/, 'deepseek'],
	[/^(?:qwen|qwq|qvq)/, 'qwen'],
	[/^(?:meta-)?(?:llama|codellama)/, 'llama'],
];

/** Returns the family of a model: by its name if that implies one, else by its (canonical) provider. */
export function findFamily(host: string, { name, hints }: ModelId): FamilyName {
	if (name.startsWith('claude')) return hasNewTokenizer(name) ? 'claude-4.7' : 'claude';
	const familyByPattern = familyByName.find(([pattern]) => pattern.test(name));
	if (familyByPattern) return familyByPattern[1];
	for (const provider of [...hints.map(canonicalizeProvider).reverse(), host]) {
		const family = Object.hasOwn(familyByProvider, provider) ? familyByProvider[provider] : undefined;
		if (family && (name === '' || provider !== 'bedrock')) return family;
	}
	return 'unknown';
}

/** Returns the version in a Claude model's name as [major, minor]; undefined if the name has none. */
function parseClaudeVersion(name: string): readonly [number, number] | undefined {
	const match = /^claude-(?:[a-z]+-)?v?(\d{1,2})(?:-(\d{1,2}))?(?!\d)/.exec(name);
	return match ? [Number(match[1]), Number(match[2] ?? 0)] : undefined;
}

/** Whether a Claude model has the tokenizer of version 4.7 and later, as newer models without a version in their name do. */
function hasNewTokenizer(name: string): boolean {
	if (name.startsWith('claude-instant')) return false;
	const [major, minor] = parseClaudeVersion(name) ?? [Number.POSITIVE_INFINITY, 0];
	return major > 4 || (major === 4 && minor >= 7);
}

/** Whether a Claude model sees the thinking of earlier turns: Opus from 4.5, Sonnet from 4.6; Haiku does not. */
export function keepsThinking(name: string): boolean {
	const [major, minor] = parseClaudeVersion(name) ?? [0, 0];
	if (major !== 4) return false;
	return (name.includes('opus') && minor >= 5) || (name.includes('sonnet') && minor >= 6);
}

/** The provider whose rules apply if neither a provider nor an identifiable model is named. */
export const defaultProvider = 'openai';

const makerByFamily: Readonly<Record<Exclude<FamilyName, 'unknown'>, string | undefined>> = {
	claude: 'anthropic',
	'claude-4.7': 'anthropic',
	openai: 'openai',
	gemini: 'google-ai',
	mistral: 'mistral',
	deepseek: 'deepseek',
	qwen: 'qwen',
	llama: undefined,
};

/** Makers of models whose tokenizers are unknown: such models belong to no family. */
const otherMakers: readonly (readonly [RegExp, string])[] = [
	[/^glm-?\d/, 'zai'],
	[/^kimi-/, 'moonshot'],
	[/^grok-/, 'xai'],
	[/^command-/, 'cohere'],
];

/** Returns the provider that a model's name implies; the default provider if it implies none. */
export function findModelProvider(model: string | undefined): string {
	return (model && findModelMaker(model)) || defaultProvider;
}

/** Returns the provider that makes a model of this name; undefined if the name implies none. */
export function findModelMaker(model: string): string | undefined {
	const id = parseModelId(model);
	const family = findFamily('', id);
	if (family === 'unknown') return otherMakers.find(([pattern]) => pattern.test(id.name))?.[1];
	return makerByFamily[family];
}
