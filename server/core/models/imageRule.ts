/** Which rule a model counts images by; `imageTokens` applies it. */

import type { FamilyName } from './familyName.ts';

export type ImageRule =
	/** A token per 28-pixel square, after shrinking to a longest edge (pixels) and a number of tokens. */
	| { kind: 'squares'; longestEdge: number; mostTokens: number }
	/** A base and a price per 512-pixel tile. */
	| { kind: 'tiles'; base: number; tile: number }
	/** 32-pixel patches, at most so many, times a factor. */
	| { kind: 'patches'; mostPatches: number; factor: number }
	/** 258 for a small image, else 258 per 768-pixel tile. */
	| { kind: 'crops' }
	/** A fixed number by the resolution asked for. */
	| { kind: 'resolution' }
	/** The largest that any of these gives. */
	| { kind: 'largest' };

/** Anthropic’s vision guide. */
const claudeSquares: ImageRule = { kind: 'squares', longestEdge: 1568, mostTokens: 1568 };
const newClaudeSquares: ImageRule = { kind: 'squares', longestEdge: 2576, mostTokens: 4784 };

/** OpenAI’s guide to images and vision; the first pattern that fits. */
const openai: readonly (readonly [RegExp, ImageRule])[] = [
	[/^(?:chatgpt-)?gpt-?4o-mini|^gpt-4o-mini/, { kind: 'tiles', base: 2833, tile: 5667 }],
	[/^gpt-(?:4\.1|5)-nano|^gpt-5\.\d+-nano/, { kind: 'patches', mostPatches: 1536, factor: 2.46 }],
	[
		/^gpt-(?:4\.1|5)-mini|^gpt-5\.\d+-mini|^gpt-5\.1-codex-mini/,
		{ kind: 'patches', mostPatches: 1536, factor: 1.62 },
	],
	[/^(?:o4-mini|codex-mini)/, { kind: 'patches', mostPatches: 1536, factor: 1.72 }],
	// Up to 10 000 patches where the original is asked for, by the Codex source; 1.2 by users' measurements.
	[/^gpt-(?:5\.(?:[4-9]|\d\d)|[6-9])/, { kind: 'patches', mostPatches: 10_000, factor: 1.2 }],
	[/^gpt-5/, { kind: 'tiles', base: 70, tile: 140 }],
	[/^o\d/, { kind: 'tiles', base: 75, tile: 150 }],
];
const usualTiles: ImageRule = { kind: 'tiles', base: 85, tile: 170 };

/** The rule of a model, by its family and bare name. */
export function imageRuleOf(family: FamilyName, name: string): ImageRule {
	if (family === 'claude') return claudeSquares;
	if (family === 'claude-4.7') return newClaudeSquares;
	if (family === 'openai') return openai.find(([pattern]) => pattern.test(name))?.[1] ?? usualTiles;
	if (family === 'gemini')
		return /^gemini-(?:[3-9]|\d\d)/.test(name) ? { kind: 'resolution' } : { kind: 'crops' };
	return { kind: 'largest' };
}

/**
 * What stands for an unknown model: every rule but gpt-4o-mini’s, which is a price rather than a size and would
 * make one screenshot look like a book.
 */
export const usualRules: readonly ImageRule[] = [
	newClaudeSquares,
	usualTiles,
	{ kind: 'patches', mostPatches: 1536, factor: 2.46 },
	{ kind: 'patches', mostPatches: 10_000, factor: 1.2 },
	{ kind: 'crops' },
	{ kind: 'resolution' },
];
