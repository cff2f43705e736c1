import type { NoCompactionReason } from './compact.ts';
import { request } from './message.ts';

/** What a provider's error says. */
export interface ErrorClass {
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

/**
 * Why a request should not be sent again after an error: it was no overflow; compaction is off, has nothing to work
 * on, was tried twice already, left too much, or failed; or the reason that a compaction itself gives.
 */
export type NoRecoveryReason =
	| 'no_overflow'
	| 'disabled'
	| 'no_messages'
	| 'attempts_exhausted'
	| 'insufficient'
	| 'compaction_failed'
	| NoCompactionReason;

/** Whether a provider's error says that the context overflowed. */
export const contextClassifyError = request<{ error: unknown }, ErrorClass>('context/classifyError');
