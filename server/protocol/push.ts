/** What the daemon says unasked, and what it asks of its client. */

import type { CompactReceipt } from './compact.ts';
import type { NotificationDeclaration, RequestDeclaration, SessionParams } from './declaration.ts';
import type { ContextState, ContextStats } from './stats.ts';

export interface DidChangeParams extends SessionParams {
	/** Null while the session has no messages. */
	stats: ContextStats | null;
}

/** A session's figures changed; several changes in a row are told once. */
export const didChange: NotificationDeclaration<DidChangeParams, 'context/didChange'> = {
	kind: 'notification',
	method: 'context/didChange',
	direction: 'to the client',
	since: '0.1.0',
};

export interface DidCompactParams extends SessionParams {
	/** What it did. */
	result: CompactReceipt;
}

/** A session was compacted, by whomever. */
export const didCompact: NotificationDeclaration<DidCompactParams, 'context/didCompact'> = {
	kind: 'notification',
	method: 'context/didCompact',
	direction: 'to the client',
	since: '0.1.0',
};

/** What happened to a file. */
export type FileChange = 'changed' | 'deleted' | 'created';

export interface DidChangeFileParams {
	/** The file, as the client named it. */
	uri: string;
	/** What happened. */
	change: FileChange;
	/** The sessions that know it. */
	sessionIds: string[];
}

/** A file that a session has read is not what it was. */
export const didChangeFile: NotificationDeclaration<DidChangeFileParams, 'context/didChangeFile'> = {
	kind: 'notification',
	method: 'context/didChangeFile',
	direction: 'to the client',
	since: '0.1.0',
};

export interface SummarizeParams extends SessionParams {
	/** What to ask the model, as the user's words. */
	prompt: string;
	/** The system prompt beside it. */
	system: string;
	/** Tokens that the answer may take. */
	maxTokens: number;
}

/** Tokens of the call that made a summary. */
export interface SummarizeUsage {
	/** Tokens of the prompt. */
	input: number;
	/** Tokens of the answer. */
	output: number;
}

export interface SummarizeResult {
	/** The answer. */
	text: string;
	/** Why the model ended: `stop` or `end_turn`, say, where it was by itself; a word that says otherwise refuses the summary. */
	stopReason: string;
	/** Which model answered. */
	model?: string;
	/** What the model reported. */
	usage?: SummarizeUsage;
}

/** Asks a client that offers to summarize for its user's model. */
export const contextSummarize: RequestDeclaration<SummarizeParams, SummarizeResult, 'context/summarize'> = {
	kind: 'request',
	method: 'context/summarize',
	direction: 'to the client',
	since: '0.1.0',
	errors: [],
};

export interface ConfirmCompactionParams extends SessionParams {
	/** Tokens of the request as it stands, as in `context/stats`. */
	estimatedInputTokens: number;
	/** Tokens that a request may have. */
	availableInputTokens: number;
	/** `estimatedInputTokens` divided by `availableInputTokens`. */
	usageRatio: number;
	/** How full the window is. */
	state: ContextState;
	/** Tokens of the history alone. */
	historyTokens: number;
	/** Tokens that the history should come down to. */
	targetTokens: number;
}

export interface ConfirmCompactionResult {
	/** Whether to compact; by default true. */
	proceed?: boolean;
	/** Why not; it is repeated in the warnings of `context/prepare`. */
	reason?: string;
	/** What the summary should keep above all, as in `context/compact`. Models are then asked while the request waits. */
	instructions?: string;
}

/**
 * Asks a client that announced `confirmCompaction` before its `context/prepare` compacts. If it refuses, the history stays
 * as it is for this call, even if the request does not fit: a warning says so. Without a usable answer within 30 s the
 * compaction proceeds. Never asked before `context/recover` and `context/compact`.
 */
export const contextConfirmCompaction: RequestDeclaration<
	ConfirmCompactionParams,
	ConfirmCompactionResult,
	'context/confirmCompaction'
> = {
	kind: 'request',
	method: 'context/confirmCompaction',
	direction: 'to the client',
	since: '0.1.0',
	errors: [],
};
