/** What the daemon says unasked, and what it asks of its client. */

import type { CompactResult } from './compact.ts';
import { notification, request } from './message.ts';
import type { ContextStats } from './stats.ts';

/** A session's figures changed; several changes in a row are told once. */
export const didChange = notification<{ sessionId: string; stats: ContextStats | null }>('context/didChange');

export const didCompact = notification<{ sessionId: string; result: Omit<CompactResult, 'messages'> }>(
	'context/didCompact',
);

/** A file that a session has read is not what it was. */
export const didChangeFile = notification<{
	uri: string;
	change: 'changed' | 'deleted' | 'created';
	sessionIds: string[];
}>('context/didChangeFile');

export interface SummarizeParams {
	sessionId: string;
	prompt: string;
	system: string;
	maxTokens: number;
}

export interface SummarizeResult {
	text: string;
	stopReason: string;
	model?: string;
	usage?: { input: number; output: number };
}

/** From the daemon to a client that offers to summarize. */
export const contextSummarize = request<SummarizeParams, SummarizeResult>('context/summarize');
