/** Messages that compact, undo, and return what to send to the model. */

import type { WorkDoneProgressParams } from 'vscode-languageserver-protocol';
import type { SummaryProvider } from './chain.ts';
import type { CacheCost, RemovedMessage, StageName } from './compaction.ts';
import type { FormatName, ModelRequest } from './conversation.ts';
import type { RequestDeclaration, SessionParams } from './declaration.ts';
import { declareRequest } from './declare.ts';
import { compactingErrors, writingErrors } from './errors.ts';
import type { ErrorClass } from './overflow.ts';
import type { FreeSelection } from './sources.ts';
import type { ContextStats } from './stats.ts';

/** Options of one compaction. Absent members take their values from the corresponding settings. */
export interface CompactionConfig {
	/** Whether messages may be shortened; by default true. */
	enablePrune?: boolean;
	/** Whether a read of a file may be removed if a later read shows the same content; by default true. */
	enableDeduplicate?: boolean;
	/** Whether one summary may replace many messages; by default true. */
	enableSummarize?: boolean;
	/** Whether the oldest exchanges may be removed; by default true. */
	enableTruncate?: boolean;
	/** Tokens of the newest tool outputs that pruning leaves unchanged; by default 40 000, less for windows below 128 000. */
	pruneProtectTokens?: number;
	/** Pruning that saves fewer tokens is skipped; by default 20 000, less for windows below 128 000. */
	pruneMinimumSavings?: number;
	/** Globs of tools whose results are never pruned or summarized; by default `["skill", "memory_search"]`. */
	pruneProtectedTools?: string[];
	/** Globs of tool names whose results may be pruned; by default `["*"]`. */
	pruneTools?: string[];
	/** Maximum length of a shortened tool result, in UTF-16 units; by default as long as the target allows. */
	maxToolOutputChars?: number;
	/**
	 * Number of newest messages to keep, or fewer if these take more than 90% of the target minus protected messages. By
	 * default 3, or fewer if these take more than 20%.
	 */
	recentCount?: number;
	/** Maximum size of a summary, as a multiple of what it replaces; by default 1. */
	maxGrowthRatio?: number;
	/** Share of the target for the unsummarized tail; by default 0.3, or 0 if `recentCount` is set. */
	keepRecentRatio?: number;
	/** The provider whose window and counting rules apply to this compaction; by default the session's. */
	provider?: string;
	/**
	 * Share of tokens to remove from a `range`, or from a history that is already below the default target; by default 0.5.
	 * Has no effect with `targetTokens`.
	 */
	truncationFraction?: number;
	/** Removes only reasoning, except the current turn's, regardless of the target; by default false. */
	dropReasoning?: boolean;
	/**
	 * Removes only images, regardless of the target; by default false. Images in protected messages, and those that the
	 * model has not answered yet, remain. With `dropReasoning`, images and reasoning are removed.
	 */
	dropImages?: boolean;
	/** Asks only the models of this provider in `summarization.chain`; by default all models, in order. */
	summarizationProvider?: string;
	/** The model to ask instead of the one in `summarization.chain`. */
	summarizationModel?: string;
}

/** A range of messages by the ids of its first and its last message, both included. */
export interface MessageRange {
	/** Id of the first message. */
	from: string;
	/** Id of the last message. */
	to: string;
}

/** Why nothing was compacted, or (`protected_only`) why a compaction missed its target. */
export type NoCompactionReason =
	| 'below_target'
	| 'not_worth_it'
	| 'just_compacted'
	| 'too_few_messages'
	| 'protected_only'
	| 'no_progress'
	| 'nothing_to_free'
	| 'disabled';

/**
 * Why there is no summary, in the order of the values: the answer is not a usable summary; the answer is longer than
 * allowed; every model failed; the budget is too small for a summary, or the model's window is too small for the
 * conversation; there are too few messages; the model gave no answer.
 */
export type SummaryFailureCode =
	| 'INVALID_SUMMARY'
	| 'CONTEXT_GROWTH'
	| 'ALL_MODELS_FAILED'
	| 'NO_TOKEN_BUDGET'
	| 'MIN_MESSAGES_NOT_MET'
	| 'MODEL_FAILED';

/** Why a stage produced no summary. */
export interface StageFailure {
	/** The reason, for programs. */
	code: SummaryFailureCode;
	/** The reason, for people. */
	message: string;
	/** Whether another attempt may succeed. */
	retryable: boolean;
	/** Tokens of the messages that the summary should have replaced. */
	tokensBefore?: number;
	/** Tokens of the rejected summary. */
	tokensAfter?: number;
}

/** Why an attempt gave no summary. */
export interface SummaryFailure extends StageFailure {
	/** The model that was asked. */
	model: string;
}

/** What one stage of a compaction did. */
export interface StageOutcome {
	/** The stage. */
	stage: StageName;
	/** Whether the stage saved anything. */
	ran: boolean;
	/** Why the stage did not run or saved nothing. */
	reason?: string;
	/** Tokens of the history before the stage. */
	tokensBefore: number;
	/** Tokens of the history after the stage. */
	tokensAfter: number;
	/** Number of messages that the stage changed. */
	messagesAffected: number;
	/** For `deduplicate`: number of files that were read more than once. */
	filesDeduped?: number;
	/** For `summarize`: why there is no summary. */
	failure?: StageFailure;
}

/** One attempt to get a summary. */
export interface SummaryAttempt {
	/** The model that was asked. */
	model: string;
	/** Whether the answer was used. */
	ok: boolean;
	/** The model's provider. */
	provider?: SummaryProvider;
	/** Why the answer was not used, for people. */
	error?: string;
	/** Why the answer was not used, for programs. */
	failure?: SummaryFailure;
	/** The model that was asked next, after this one failed. */
	fallback?: string;
	/** Duration in milliseconds. */
	ms: number;
}

/** A message that replaces many others. */
export interface Summary {
	/** The text as the model reads it. If it is empty, every attempt failed and no message was replaced. */
	text: string;
	/** Who wrote the text: `extract`, a model, or `client`; `none` if there is no text. */
	by: string;
	/** Attempts to ask models; empty for an extract. */
	attempts: SummaryAttempt[];
}

/** Calls and results that were completed so that a provider accepts the history. */
export interface Repairs {
	/** Number of calls that got a placeholder result, because they had none. */
	orphanedCallsFixed: number;
	/** Number of results that got a placeholder call, because they had none. */
	orphanedResultsFixed: number;
}

/** What a compaction did, or why it did nothing. All token counts are of the history alone, on one scale. */
export interface CompactReceipt {
	/** `nothing_to_compact`: not attempted, or nothing may be removed; `no_progress`: nothing was saved. */
	outcome: 'compacted' | 'nothing_to_compact' | 'no_progress';
	/**
	 * Equal to `outcome === 'compacted'`.
	 * @deprecated Use `outcome`.
	 */
	compacted: boolean;
	/** The id to pass to `context/undo`; absent if nothing changed. */
	compactionId?: string;
	/**
	 * If this receipt covers two compactions in a row: the ids of both, oldest first. To undo both, undo the last id
	 * first.
	 */
	compactionIds?: string[];
	/** Why nothing was compacted, or why the target was missed, for people. */
	reason?: string;
	/** Why nothing was compacted, or why the target was missed, for programs. */
	reasonCode?: NoCompactionReason;
	/**
	 * Equal to the names of the `stages` with `ran`, each once.
	 * @deprecated Use `stages`.
	 */
	stagesUsed: StageName[];
	/** Tokens of the history before the compaction. */
	tokensBefore: number;
	/** Tokens of the history after the compaction. */
	tokensAfter: number;
	/**
	 * Equal to `tokensBefore - tokensAfter`.
	 * @deprecated Use `tokensBefore` and `tokensAfter`.
	 */
	tokensSaved: number;
	/** Tokens that the compaction aimed for. */
	targetTokens: number;
	/** The requested range, widened to whole batches of calls and results; absent if none was requested. */
	range?: MessageRange;
	/** What each stage did. */
	stages: StageOutcome[];
	/** The messages that were changed, and how. */
	removed: RemovedMessage[];
	/** The summary; present if the `summarize` stage ran or a model was asked for a summary. */
	summary?: Summary;
	/** What had to be completed so that a provider accepts the history. */
	repairs: Repairs;
	/** Number of leading messages whose bytes did not change. */
	stablePrefixMessages: number;
	/** What the change costs at the provider. */
	cache: CacheCost;
	/** Requests that could not be fulfilled, and content that the format cannot express. */
	warnings?: string[];
}

/** The receipt of a compaction, and the resulting history. */
export interface CompactResult extends CompactReceipt {
	/** The resulting history, in `format`; absent if `includeMessages` is false. */
	messages?: unknown[];
	/** System text, if the format keeps it outside the messages. */
	system?: unknown;
	/** The resulting history's revision, as in `context/stats`. */
	revision?: number;
}

export interface CompactParams extends SessionParams, WorkDoneProgressParams {
	/** Options of this compaction. */
	config?: CompactionConfig;
	/** What the summary should keep above all, in the user's words. */
	instructions?: string;
	/** Ids of messages to keep verbatim; a warning lists those that are already hidden. */
	preserve?: string[];
	/**
	 * Tokens that the history should have after the compaction. By default chosen by cost if the provider caches prompts,
	 * otherwise 60% of what the history may use; a history that is already smaller is halved. With a `range`, the default
	 * is to remove half of the range.
	 */
	targetTokens?: number;
	/** Usage ratio, 0 to 1, below which nothing is compacted. */
	threshold?: number;
	/** Compacts only these visible messages; widened to whole batches of calls and results. */
	range?: MessageRange;
	/**
	 * Clears only outdated and repeated results of these files and commands, which `context/sources` lists. Cannot be
	 * combined with `config`, `instructions`, `targetTokens`, `threshold` or `range`.
	 */
	free?: FreeSelection;
	/** Reports what would be done without doing it; by default false. */
	dryRun?: boolean;
	/** Format of the messages in the result; by default `contextd`. */
	format?: FormatName;
	/** Whether the result contains the messages; by default true. */
	includeMessages?: boolean;
	/** The model request except its history; absent members are taken from the session. */
	request?: ModelRequest;
}

/** Compacts the history, completely or not at all. Returns null if the session has no messages. */
export const contextCompact: RequestDeclaration<CompactParams, CompactResult | null, 'context/compact'> =
	declareRequest('context/compact', [
		...writingErrors,
		'MessageNotFound',
		...compactingErrors,
		'UnsupportedFormat',
	]);

export interface UndoParams extends SessionParams {
	/** Id of a compaction, rewind or rollback; by default the newest that is not undone. */
	compactionId?: string;
	/** Whether the client undoes its own trial compaction, so that automatic compaction stays on; by default false. */
	isRestore?: boolean;
}

export interface UndoResult {
	/** Ids of the undone steps, newest first. */
	undone: string[];
	/** The session's stats afterwards. */
	stats: ContextStats | null;
}

/**
 * Undoes a compaction, rollback or rewind, with every step that builds on it. In a session that an agent's plugin
 * syncs, an undo whose result would exceed the model's window changes nothing and fails with `ContextBudgetExceeded`.
 */
export const contextUndo: RequestDeclaration<UndoParams, UndoResult, 'context/undo'> = declareRequest(
	'context/undo',
	[...writingErrors, 'CompactionNotFound', 'ContextBudgetExceeded'],
);

export interface PrepareParams extends SessionParams, WorkDoneProgressParams {
	/** The model request except its history; absent members are taken from the session. */
	request?: ModelRequest;
	/**
	 * Tokens that the history should have after a compaction, if one is due. By default as for `context/compact`, but low
	 * enough that the next compaction is not due immediately.
	 */
	targetTokens?: number;
	/** Format of the messages in the result; by default `contextd`. */
	format?: FormatName;
	/** The revision whose messages the caller has. If this revision is current, `messages` is empty. */
	held?: number;
}

export interface PrepareResult {
	/** The messages to send, in `format`; empty if `unchanged`. */
	messages: unknown[];
	/** Set if the history consists of the messages of revision `held` and those appended since. */
	unchanged?: true;
	/** The history's revision, as in `context/stats`. */
	revision: number;
	/** System text, if the format keeps it outside the messages. */
	system?: unknown;
	/** The stats of this request; null if the session has no messages. */
	stats: ContextStats | null;
	/** Describes the compaction that was made; null if none was due. */
	compaction: CompactResult | null;
	/** Warnings for the user; may be empty. */
	warnings: string[];
}

/**
 * Returns what to send to the model next. Must be called before each request, and compacts if a compaction is
 * due. Asks models for a summary in the background beforehand, and uses their answer once compaction is due.
 * Without an answer, the summary is an extract; if the chain lacks `extractive`, the request waits for the
 * models instead.
 */
export const contextPrepare: RequestDeclaration<PrepareParams, PrepareResult, 'context/prepare'> =
	declareRequest('context/prepare', [
		...writingErrors,
		'ContextBudgetExceeded',
		...compactingErrors,
		'UnsupportedFormat',
	]);

/**
 * Why a request should not be sent again, in the order of the values: the error is not an overflow; compaction is
 * disabled; there are no messages; two attempts were made; too little was saved; the compaction failed or did nothing.
 */
export type NoRecoveryReason =
	| 'no_overflow'
	| 'disabled'
	| 'no_messages'
	| 'attempts_exhausted'
	| 'insufficient'
	| 'compaction_failed'
	| NoCompactionReason;

export interface RecoverParams extends SessionParams, WorkDoneProgressParams {
	/** The provider's error, or a response whose usage or stop reason indicates an overflow. */
	error: unknown;
	/** Number of this attempt, from 1; the session's own count is used if it is higher. */
	attempt?: number;
	/** The model request except its history; absent members are taken from the session. */
	request?: ModelRequest;
	/** Format of the messages in the result; by default `contextd`. */
	format?: FormatName;
}

export interface RecoverResult extends ErrorClass {
	/** Number of this attempt, from 1. */
	attempt: number;
	/** Describes the compaction that was made. */
	compaction?: CompactResult;
	/** What to send again, if `retryable`. */
	messages?: unknown[];
	/** System text, if the format keeps it outside the messages. */
	system?: unknown;
	/** The resulting history's revision, as in `context/stats`. */
	revision?: number;
	/** Warnings for the user. */
	warnings?: string[];
	/** Why the request should not be sent again, for programs. */
	reasonCode?: NoRecoveryReason;
	/** Why the request should not be sent again, for people; begins with the code. */
	reason?: string;
}

/** Handles a provider's error: compacts an overflow without a model, and returns what to send again. */
export const contextRecover: RequestDeclaration<RecoverParams, RecoverResult, 'context/recover'> =
	declareRequest('context/recover', [...writingErrors, 'UnsupportedFormat']);
