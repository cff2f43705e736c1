/**
 * The character formula of NeuroLink's token estimation (src/lib/utils/tokenEstimation.ts, "Constants"
 * and "Provider Multipliers"). It needs no tokenizer, and clients can verify it by hand.
 */

/** Characters (UTF-16 units) per token of English text. */
export const charactersPerToken = 4;
/** Characters (UTF-16 units) per token of source code. */
const codeCharactersPerToken = 3;
/** Factor that prevents estimates from being too low. */
const tokenSafetyMargin = 1.15;
/** Tokens of each message's framing: its role and delimiters. */
export const tokensPerMessage = 4;
/** Tokens of a conversation's framing, in total. */
export const tokensPerConversation = 24;
/** Tokens of an image of any size. */
export const imageTokenEstimate = 1024;

/** Tokens of each provider's tokenizer for the same text, relative to OpenAI's. */
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

/** Returns the multiplier of a provider; 1 if the provider is unknown. */
export function findProviderMultiplier(provider: string): number {
	return providerMultipliers.get(provider) ?? 1;
}

/**
 * Returns the tokens of a text of `length` UTF-16 units, rounded up: `ceil(length / characters per token)` times the
 * provider's multiplier and the safety margin.
 */
export function estimateHeuristicTokens(
	length: number,
	provider: string,
	content: 'text' | 'code' = 'text',
): number {
	const charsPerToken = content === 'code' ? codeCharactersPerToken : charactersPerToken;
	const estimate = Math.ceil(length / charsPerToken) * findProviderMultiplier(provider) * tokenSafetyMargin;
	// Ignores the error of binary fractions: 100 × 1.15 is 115, not 116.
	return Math.ceil(Number(estimate.toFixed(6)));
}
