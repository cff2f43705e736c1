/** The rule by which a model counts images; `computeImageTokens` applies it. */

import type { FamilyName } from './familyName.ts';

export type ImageRule =
	/** A token per 28-pixel square, after scaling the image down to `maxEdge` pixels and `maxTokens`. */
	| { kind: 'squares'; maxEdge: number; maxTokens: number }
	/** A base number of tokens, plus a fixed number per 512-pixel tile. */
	| { kind: 'tiles'; base: number; tile: number }
	/** `factor` tokens per 32-pixel patch, after scaling the image down to `maxPatches`. */
	| { kind: 'patches'; maxPatches: number; factor: number }
	/** 258 tokens for a small image, else 258 per 768-pixel tile. */
	| { kind: 'crops' }
	/** A fixed number of tokens for the requested resolution. */
	| { kind: 'resolution' }
	/** The largest result of `defaultImageRules`, for an unknown model. */
	| { kind: 'largest' };

/** Rule of Claude models before 4.7, from Anthropic's vision guide. */
const claudeSquares: ImageRule = { kind: 'squares', maxEdge: 1568, maxTokens: 1568 };
/** Rule of Claude models from 4.7 on, from Anthropic's vision guide. */
const newClaudeSquares: ImageRule = { kind: 'squares', maxEdge: 2576, maxTokens: 4784 };

/** Rules from OpenAI's guide to images and vision; the first matching pattern applies. */
const openaiRulesByName: readonly (readonly [RegExp, ImageRule])[] = [
	[/^(?:chatgpt-)?gpt-?4o-mini|^gpt-4o-mini/, { kind: 'tiles', base: 2833, tile: 5667 }],
	[/^gpt-(?:4\.1|5)-nano|^gpt-5\.\d+-nano/, { kind: 'patches', maxPatches: 1536, factor: 2.46 }],
	[
		/^gpt-(?:4\.1|5)-mini|^gpt-5\.\d+-mini|^gpt-5\.1-codex-mini/,
		{ kind: 'patches', maxPatches: 1536, factor: 1.62 },
	],
	[/^(?:o4-mini|codex-mini)/, { kind: 'patches', maxPatches: 1536, factor: 1.72 }],
	// `maxPatches` is from the source of Codex, for images at original resolution. Users measured the factor 1.2.
	[/^gpt-(?:5\.(?:[4-9]|\d\d)|[6-9])/, { kind: 'patches', maxPatches: 10_000, factor: 1.2 }],
	[/^gpt-5/, { kind: 'tiles', base: 70, tile: 140 }],
	[/^o\d/, { kind: 'tiles', base: 75, tile: 150 }],
];
const defaultTiles: ImageRule = { kind: 'tiles', base: 85, tile: 170 };

/** Returns the rule of a model, by its family and bare name. */
export function findImageRule(family: FamilyName, name: string): ImageRule {
	if (family === 'claude') return claudeSquares;
	if (family === 'claude-4.7') return newClaudeSquares;
	if (family === 'openai')
		return openaiRulesByName.find(([pattern]) => pattern.test(name))?.[1] ?? defaultTiles;
	if (family === 'gemini')
		return /^gemini-(?:[3-9]|\d\d)/.test(name) ? { kind: 'resolution' } : { kind: 'crops' };
	return { kind: 'largest' };
}

/**
 * Rules for an unknown model: all except gpt-4o-mini’s, whose numbers reflect its price rather than
 * the image's size, and would make one screenshot look like a book.
 */
export const defaultImageRules: readonly ImageRule[] = [
	newClaudeSquares,
	defaultTiles,
	{ kind: 'patches', maxPatches: 1536, factor: 2.46 },
	{ kind: 'patches', maxPatches: 10_000, factor: 1.2 },
	{ kind: 'crops' },
	{ kind: 'resolution' },
];
