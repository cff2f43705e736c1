import { request } from './message.ts';

export interface ErrorClass {
	isContextOverflow: boolean;
	provider: string | null;
	actualTokens?: number;
	limitTokens?: number;
	retryable: boolean;
}

/** Whether a provider's error says that the context overflowed. */
export const contextClassifyError = request<{ error: unknown }, ErrorClass>('context/classifyError');
