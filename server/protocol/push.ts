/** Notifications and requests from the daemon to the client. */

import type { CompactReceipt } from './compact.ts';
import type { NotificationDeclaration, RequestDeclaration, SessionParams } from './declaration.ts';
import { declareNotification, declareRequest } from './declare.ts';
import type { ContextState, ContextStats } from './stats.ts';

export interface DidChangeParams extends SessionParams {
	/** The session's stats; null if the session has no messages. */
	stats: ContextStats | null;
}

/** Reports that a session's stats changed; once for several changes in quick succession. */
export const didChange: NotificationDeclaration<DidChangeParams, 'context/didChange'> = declareNotification(
	'context/didChange',
	'to the client',
);

export interface DidCompactParams extends SessionParams {
	/** What the compaction did. */
	result: CompactReceipt;
}

/** Reports that a session was compacted, by this client or another. */
export const didCompact: NotificationDeclaration<DidCompactParams, 'context/didCompact'> =
	declareNotification('context/didCompact', 'to the client');

/** What happened to a file. */
export type FileChange = 'changed' | 'deleted' | 'created';

export interface DidChangeFileParams {
	/** The file's URI. */
	uri: string;
	/** What happened to the file. */
	change: FileChange;
	/** The sessions that have read the file. */
	sessionIds: string[];
}

/** Reports that a file which a session has read was changed, deleted or created again. */
export const didChangeFile: NotificationDeclaration<DidChangeFileParams, 'context/didChangeFile'> =
	declareNotification('context/didChangeFile', 'to the client');

export interface SummarizeParams extends SessionParams {
	/** The prompt, to send as the user's message. */
	prompt: string;
	/** The system prompt to send with `prompt`. */
	system: string;
	/** Maximum tokens of the answer. */
	maxTokens: number;
}

/** Tokens of the model call that wrote a summary. */
export interface SummarizeUsage {
	/** Tokens of the prompt. */
	input: number;
	/** Tokens of the answer. */
	output: number;
}

export interface SummarizeResult {
	/** The text that the model answered. */
	text: string;
	/**
	 * Why the model stopped, such as `stop` or `end_turn`. If the reason shows an incomplete answer, the summary is
	 * rejected.
	 */
	stopReason: string;
	/** The model that answered. */
	model?: string;
	/** Usage that the model reported. */
	usage?: SummarizeUsage;
}

/** Asks the user's model for a summary. Sent to clients that announced `summarize`. */
export const contextSummarize: RequestDeclaration<SummarizeParams, SummarizeResult, 'context/summarize'> =
	declareRequest('context/summarize', [], 'to the client');

export interface ConfirmCompactionParams extends SessionParams {
	/** Tokens of the current request, as in `context/stats`. */
	estimatedInputTokens: number;
	/** Maximum tokens of a request. */
	availableInputTokens: number;
	/** `estimatedInputTokens` divided by `availableInputTokens`. */
	usageRatio: number;
	/** How full the window is. */
	state: ContextState;
	/** Tokens of the history alone. */
	historyTokens: number;
	/** Tokens that the history should have after the compaction. */
	targetTokens: number;
}

export interface ConfirmCompactionResult {
	/** Whether to compact; by default true. */
	proceed?: boolean;
	/** The reason for a refusal; repeated in the warnings of `context/prepare`. */
	reason?: string;
	/**
	 * What the summary should keep above all, as in `context/compact`. If set, the request waits until models have
	 * answered.
	 */
	instructions?: string;
}

/**
 * Asks a client that announced `confirmCompaction` before its `context/prepare` compacts. If the client refuses, the
 * history stays unchanged for this call, even if the request does not fit; a warning says so. Without a valid answer
 * within 30 s, the compaction proceeds. Never sent before `context/recover` and `context/compact`.
 */
export const contextConfirmCompaction: RequestDeclaration<
	ConfirmCompactionParams,
	ConfirmCompactionResult,
	'context/confirmCompaction'
> = declareRequest('context/confirmCompaction', [], 'to the client');
