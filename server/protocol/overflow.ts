import { request } from './message.ts';

export interface ErrorClass {
	isContextOverflow: boolean;
	/** Who refused, where the error lets it be known. */
	provider: string | null;
	/** Tokens that the provider counted: the input, or input and output together, as it says. */
	actualTokens?: number;
	/** Tokens of the same kind that it would have taken. */
	limitTokens?: number;
	/** Tokens that the request reserved for the answer, where told. */
	outputTokens?: number;
	/** Tokens of the prompt alone, where the figures tell. */
	promptTokens?: number;
	/** Tokens of the whole window, where the figures tell. */
	windowTokens?: number;
	/** Whether the very same request may pass later. */
	retryable: boolean;
}

/** Whether a provider's error says that the context overflowed. */
export const contextClassifyError = request<{ error: unknown }, ErrorClass>('context/classifyError');
