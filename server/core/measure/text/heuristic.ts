/*
 * The character formula of NeuroLink's token estimation (src/lib/utils/tokenEstimation.ts, "Constants" and
 * "Provider Multipliers"): it needs no tokenizer, and clients that know it can check it by hand.
 */

/** Characters (UTF-16 units) for one token of English text. */
export const charactersPerToken = 4;
/** Characters (UTF-16 units) for one token of source code. */
const codeCharsPerToken = 3;
/** Factor against estimating too low. */
const tokenSafetyMargin = 1.15;
/** Tokens of the framing of each message: its role and its delimiters. */
export const tokensPerMessage = 4;
/** Tokens of what surrounds the messages of a conversation, all together. */
export const tokensPerConversation = 24;
/** Tokens of an image, whatever its size. */
export const imageTokenEstimate = 1024;

/** What the tokenizer of a provider makes of a text, relative to OpenAI's. */
const providerMultipliers: ReadonlyMap<string, number> = new Map([
	['anthropic', 1.23],
	['google-ai', 1.18],
	['vertex', 1.18],
	['mistral', 1.26],
	['openai', 1],
	['azure', 1],
	['bedrock', 1.23],
	['ollama', 1],
	['litellm', 1],
	['huggingface', 1],
	['sagemaker', 1],
]);

/** The multiplier of a provider; 1 for one that is not known. */
export function providerMultiplier(provider: string): number {
	return providerMultipliers.get(provider) ?? 1;
}

/**
 * Tokens of a text of `length` UTF-16 units by the formula
 * `ceil(length / charsPerToken) * providerMultiplier * tokenSafetyMargin`, rounded up.
 */
export function heuristicTokens(length: number, provider: string, content: 'text' | 'code' = 'text'): number {
	const charsPerToken = content === 'code' ? codeCharsPerToken : charactersPerToken;
	const estimate = Math.ceil(length / charsPerToken) * providerMultiplier(provider) * tokenSafetyMargin;
	return roundUp(estimate);
}

/** Rounds up, but not for the error of a binary fraction: 100 x 1.15 is 115, not 116. */
function roundUp(estimate: number): number {
	return Math.ceil(Number(estimate.toFixed(6)));
}
