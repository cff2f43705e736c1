/** Tokens that a model counts for audio, video and documents. */

import type { FamilyName } from './familyName.ts';

export interface MediaRule {
	/** Tokens per second of audio. */
	audioSecond: number;
	/** Tokens per second of video, including its audio. */
	videoSecond: number;
	/** Tokens per page of a PDF. */
	pdfPage: number;
}

/** Google's guide to tokens: 32 per second of audio, 263 of video; a page is an image of 258. */
const gemini: MediaRule = { audioSecond: 32, videoSecond: 263, pdfPage: 258 };

/**
 * From Gemini 3 on, a frame takes 70, one per second, and a page 560 (Google's guide to media
 * resolution).
 */
const gemini3: MediaRule = { audioSecond: 32, videoSecond: 102, pdfPage: 560 };

/**
 * A token per 100 ms of the user's audio (OpenAI's guide to realtime costs); a page is its text and an
 * image.
 */
const openai: MediaRule = { audioSecond: 10, videoSecond: 263, pdfPage: 1500 };

/**
 * Anthropic's guide to PDFs: 1500 to 3000 per page for its text, plus an image of it; no audio or
 * video. Unknown models count by the largest rule.
 */
const fallback: MediaRule = { audioSecond: 32, videoSecond: 263, pdfPage: 3000 };

/** Returns the rule of a model, by its family and bare name. */
export function mediaRuleOf(family: FamilyName, name: string): MediaRule {
	if (family === 'openai') return openai;
	if (family !== 'gemini') return fallback;
	return /^gemini-(?:[3-9]|\d\d)/.test(name) ? gemini3 : gemini;
}
