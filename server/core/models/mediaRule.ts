/** Tokens that a model counts for audio, video and documents. */

import type { FamilyName } from './familyName.ts';

export interface MediaRule {
	tokensPerAudioSecond: number;
	/** Tokens per second of video, including its audio. */
	tokensPerVideoSecond: number;
	tokensPerPdfPage: number;
}

/** Google's guide to tokens: 32 per second of audio, 263 of video; a page is an image of 258. */
const geminiMediaRule = { tokensPerAudioSecond: 32, tokensPerVideoSecond: 263, tokensPerPdfPage: 258 };

/**
 * From Gemini 3 on, a video frame takes 70 tokens, with one frame per second, and a page 560 (Google's guide to media
 * resolution).
 */
const gemini3MediaRule = { tokensPerAudioSecond: 32, tokensPerVideoSecond: 102, tokensPerPdfPage: 560 };

/** OpenAI counts a token per 100 ms of the user's audio (guide to realtime costs), and a page as its text and an image. */
const openaiMediaRule = { tokensPerAudioSecond: 10, tokensPerVideoSecond: 263, tokensPerPdfPage: 1500 };

/**
 * The rule for Anthropic and for unknown models. Pages follow Anthropic's guide to PDFs: 1500 to 3000 tokens for the text,
 * plus an image of the page. Audio and video, which Anthropic does not accept, have the largest figures of the other rules.
 */
const fallbackMediaRule = { tokensPerAudioSecond: 32, tokensPerVideoSecond: 263, tokensPerPdfPage: 3000 };

/** Returns the rule of a model, by its family and bare name. */
export function findMediaRule(family: FamilyName, name: string): MediaRule {
	if (family === 'openai') return openaiMediaRule;
	if (family !== 'gemini') return fallbackMediaRule;
	return /^gemini-(?:[3-9]|\d\d)/.test(name) ? gemini3MediaRule : geminiMediaRule;
}
