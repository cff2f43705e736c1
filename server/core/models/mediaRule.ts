/** What a model counts for sounds, films and documents. */

import type { FamilyName } from './familyName.ts';

export interface MediaRule {
	/** Tokens a second of sound. */
	soundSecond: number;
	/** Tokens a second of film, with its sound. */
	filmSecond: number;
	/** Tokens a page of a PDF. */
	page: number;
}

/** Google's guide to tokens: 32 a second of sound, 263 of film, and a page is an image of 258. */
const gemini: MediaRule = { soundSecond: 32, filmSecond: 263, page: 258 };

/** From Gemini 3 on a frame takes 70, one a second, and a page 560 (Google's guide to media resolution). */
const gemini3: MediaRule = { soundSecond: 32, filmSecond: 102, page: 560 };

/** A token for 100 ms of the user's sound (OpenAI's guide to realtime costs); a page is its text and an image. */
const openai: MediaRule = { soundSecond: 10, filmSecond: 263, page: 1500 };

/**
 * Anthropic's guide to PDFs: 1500 to 3000 a page for its text, an image of it besides; neither sound nor film. Who is
 * unknown is counted by the largest of all.
 */
const usual: MediaRule = { soundSecond: 32, filmSecond: 263, page: 3000 };

/** The rule of a model, by its family and bare name. */
export function mediaRuleOf(family: FamilyName, name: string): MediaRule {
	if (family === 'openai') return openai;
	if (family !== 'gemini') return usual;
	return /^gemini-(?:[3-9]|\d\d)/.test(name) ? gemini3 : gemini;
}
