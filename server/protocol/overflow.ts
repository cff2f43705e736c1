/** Errors of providers. */

import type { Usage } from './conversation.ts';
import type { RequestDeclaration } from './declaration.ts';
import { declareRequest } from './declare.ts';

/** What a provider's error means. */
export interface ErrorClass {
	/** Whether the request exceeded the model's window. */
	isContextOverflow: boolean;
	/** The provider that refused the request, if the error reveals it. */
	provider: string | null;
	/** Tokens of the request as the provider counted them: the input, or input and output. `limitTokens` counts the same. */
	actualTokens?: number;
	/** Tokens that the provider would have accepted. */
	limitTokens?: number;
	/** Tokens reserved for the answer in `actualTokens` or in the window, if the error states them. */
	outputTokens?: number;
	/** Tokens of the prompt alone, if the error states them. */
	promptTokens?: number;
	/** Tokens of prompt and answer that the provider accepts, if the error states them. */
	windowTokens?: number;
	/** Whether the same request may succeed later; false for an overflow, which needs a compaction first. */
	retryable: boolean;
}

export interface ClassifyErrorParams {
	/** The provider's error, unchanged: a text, an error object, or a response's body. Required unless `usage` is given. */
	error?: unknown;
	/** Size of the model's window in tokens: a token count above it indicates an overflow, whatever the error says. */
	contextWindow?: number;
	/** The usage that the provider reported for the call, which may reveal an overflow without an error. */
	usage?: Usage;
}

/** Returns whether a provider's error, or the usage it reported, indicates a context overflow. */
export const contextClassifyError: RequestDeclaration<
	ClassifyErrorParams,
	ErrorClass,
	'context/classifyError'
> = declareRequest('context/classifyError', []);
