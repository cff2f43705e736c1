import type { ErrorClass } from '../core/overflow/classify.ts';
import { request } from './message.ts';

export type { ErrorClass };

/** Whether a provider's error says that the context overflowed. */
export const contextClassifyError = request<{ error: unknown }, ErrorClass>('context/classifyError');
