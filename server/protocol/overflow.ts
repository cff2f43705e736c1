/** Errors of providers. */

import type { Usage } from './conversation.ts';
import type { RequestDeclaration } from './declaration.ts';

/** What a provider's error says. */
export interface ErrorClass {
	/** The request did not fit the model's window. */
	isContextOverflow: boolean;
	/** Who refused, where the error lets it be known. */
	provider: string | null;
	/** Tokens that the provider counted. With `limitTokens` both are of one kind: input, or input and output. */
	actualTokens?: number;
	/** Tokens that it would have taken. */
	limitTokens?: number;
	/** Tokens of the actual figure, or of the window, that the request reserved for the answer, where told. */
	outputTokens?: number;
	/** Tokens of the prompt alone, where the error's figures tell. */
	promptTokens?: number;
	/** Tokens that the provider takes in all, prompt and answer, where the error's figures tell. */
	windowTokens?: number;
	/** Whether the very same request may pass later; never so for an overflow, which first needs room. */
	retryable: boolean;
}

export interface ClassifyErrorParams {
	/** The provider's error as it came: a text, an error object, a response's body. Needed where there is no usage. */
	error?: unknown;
	/** Tokens of the model's window: a figure beyond it tells of an overflow whatever the words. */
	contextWindow?: number;
	/** What the provider reported for the call: tells an overflow that came without an error. */
	usage?: Usage;
}

/** Whether a provider's error says that the context overflowed. */
export const contextClassifyError: RequestDeclaration<
	ClassifyErrorParams,
	ErrorClass,
	'context/classifyError'
> = {
	kind: 'request',
	method: 'context/classifyError',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: [],
};
