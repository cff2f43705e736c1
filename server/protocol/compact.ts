/** Making room, taking it back, and what goes to the model. */

import type { WorkDoneProgressParams } from 'vscode-languageserver-protocol';
import type { CacheCost, RemovedMessage, StageName } from './compaction.ts';
import type { FormatName, ModelRequest } from './conversation.ts';
import type { RequestDeclaration, SessionParams } from './declaration.ts';
import { compactingErrors, writingErrors } from './errors.ts';
import type { ErrorClass } from './overflow.ts';
import type { SummaryProvider } from './settings.ts';
import type { ContextStats } from './stats.ts';

/** How a compaction goes about it; what is absent takes what is set, and else its default. */
export interface CompactionConfig {
	/** Whether messages may be shortened; by default true. */
	enablePrune?: boolean;
	/** Whether earlier reads of a file may go where a later one shows the same; by default true. */
	enableDeduplicate?: boolean;
	/** Whether one message may be made of many; by default true. */
	enableSummarize?: boolean;
	/** Whether the oldest exchanges may go; by default true. */
	enableTruncate?: boolean;
	/** Tokens of the newest tool outputs that pruning leaves alone; by default 40 000, less on windows below 128 000. */
	pruneProtectTokens?: number;
	/** Tokens that pruning must save to be worth it; by default 20 000, less on windows below 128 000. */
	pruneMinimumSavings?: number;
	/** Globs of tool names whose results are never pruned or summarized; by default `["skill", "memory_search"]`. */
	pruneProtectedTools?: string[];
	/** Globs of tool names whose results may be pruned; by default `["*"]`. */
	pruneTools?: string[];
	/** UTF-16 units that a result of a tool keeps at most where it is shortened; by default as many as there is room for. */
	maxToolOutputChars?: number;
	/** Newest messages to keep if that is possible, in at most nine tenths of the room; by default 3, in at most a fifth of it. */
	recentCount?: number;
	/** A summary may be at most this many times as large as what it replaces; by default 1. */
	maxGrowthRatio?: number;
	/** Share of the target that the unsummarized tail may take; by default 0.3, or 0 where `recentCount` is set. */
	keepRecentRatio?: number;
	/** Whose way of counting and whose window hold for this compaction; by default the session's provider. */
	provider?: string;
	/** Share of the history that goes where no target is named and it is within the default one; by default 0.5. */
	truncationFraction?: number;
	/** Only reasoning goes, and all of it but that of the turn under way, whatever the target; by default false. */
	dropReasoning?: boolean;
	/**
	 * Only images go, and all of them but those in protected messages and those that the model has not answered yet,
	 * whatever the target; by default false. With `dropReasoning` both go.
	 */
	dropImages?: boolean;
	/** Who is asked for the summary: the provider of an entry of `summarization.chain`; by default all of them, in order. */
	summarizationProvider?: string;
	/** The model that is asked, in place of the entry's own. */
	summarizationModel?: string;
}

/** A part of a history by the ids of its first and its last message, both in it. */
export interface MessageRange {
	/** The first. */
	from: string;
	/** The last. */
	to: string;
}

/** Why nothing was compacted. */
export type NoCompactionReason =
	| 'below_target'
	| 'not_worth_it'
	| 'just_compacted'
	| 'too_few_messages'
	| 'protected_only'
	| 'no_progress'
	| 'disabled';

/**
 * Why there is no summary: an answer that cannot be one; one that is too large; nobody who was asked gave one; too little
 * room for one, or for the conversation in the model's window; too few messages; or a model that gave no answer.
 */
export type SummaryFailureCode =
	| 'INVALID_SUMMARY'
	| 'CONTEXT_GROWTH'
	| 'ALL_MODELS_FAILED'
	| 'NO_TOKEN_BUDGET'
	| 'MIN_MESSAGES_NOT_MET'
	| 'MODEL_FAILED';

/** Why a stage made no summary. */
export interface StageFailure {
	/** For programs. */
	code: SummaryFailureCode;
	/** In words. */
	message: string;
	/** Whether another attempt may end otherwise. */
	retryable: boolean;
	/** Tokens of what the summary was to stand for. */
	tokensBefore?: number;
	/** Tokens of the summary that was refused. */
	tokensAfter?: number;
}

/** Why an attempt gave no summary. */
export interface SummaryFailure extends StageFailure {
	/** Who was asked. */
	model: string;
}

/** What one stage of a compaction did. */
export interface StageOutcome {
	/** Which one. */
	stage: StageName;
	/** Whether it saved anything. */
	ran: boolean;
	/** Why it did not run, or did nothing. */
	reason?: string;
	/** Tokens of the history before it. */
	tokensBefore: number;
	/** Tokens of the history after it. */
	tokensAfter: number;
	/** Messages that it changed. */
	messagesAffected: number;
	/** Of `deduplicate`: files that were read more than once. */
	filesDeduped?: number;
	/** Of `summarize`: why there is no summary. */
	failure?: StageFailure;
}

/** One attempt to have a summary written. */
export interface SummaryAttempt {
	/** Who was asked. */
	model: string;
	/** The answer was taken. */
	ok: boolean;
	/** Its provider. */
	provider?: SummaryProvider;
	/** Why it was not. */
	error?: string;
	/** The same for programs. */
	failure?: SummaryFailure;
	/** Who was asked instead, where it was given up. */
	fallback?: string;
	/** Milliseconds that it took. */
	ms: number;
}

/** The message that was made of many. */
export interface Summary {
	/** As the model reads it; empty where everybody who was asked failed, and nothing stands in its place. */
	text: string;
	/** Who wrote it: `extract`, a model, or `client`; `none` where there is no text. */
	by: string;
	/** Models that were asked; none for an extract. */
	attempts: SummaryAttempt[];
}

/** Calls and results that were put right so that a provider takes the history. */
export interface Repairs {
	/** Calls without a result that got one. */
	orphanedCallsFixed: number;
	/** Results without a call that got one. */
	orphanedResultsFixed: number;
}

/** What a compaction did, or why it did nothing. All tokens are of the history alone, on one scale. */
export interface CompactReceipt {
	/** `nothing_to_compact`: it was not tried, or nothing may go; `no_progress`: it was tried, and nothing was saved. */
	outcome: 'compacted' | 'nothing_to_compact' | 'no_progress';
	/** The outcome is `compacted`. */
	compacted: boolean;
	/** What `context/undo` takes; absent where nothing changed. */
	compactionId?: string;
	/** Where two in a row are told as one, of both, oldest first: undoing both takes it back, the newest first. */
	compactionIds?: string[];
	/** Why nothing was done, in words. */
	reason?: string;
	/** The same for programs. */
	reasonCode?: NoCompactionReason;
	/** The stages that did something. */
	stagesUsed: StageName[];
	/** Tokens of the history before it. */
	tokensBefore: number;
	/** Tokens of the history after it. */
	tokensAfter: number;
	/** The difference. */
	tokensSaved: number;
	/** What it went for. */
	targetTokens: number;
	/** The part of the history that it was held to: what was asked for, widened to whole batches of calls and results. */
	range?: MessageRange;
	/** What each stage did. */
	stages: StageOutcome[];
	/** What became of which message. */
	removed: RemovedMessage[];
	/** Where `summarize` ran, or somebody was asked for a summary. */
	summary?: Summary;
	/** What had to be put right so that a provider takes the history. */
	repairs: Repairs;
	/** Leading messages whose bytes did not change. */
	stablePrefixMessages: number;
	/** What the change costs at the provider. */
	cache: CacheCost;
	/** What could not be done as it was asked for, or not be carried over into the format. */
	warnings?: string[];
}

/** The receipt of a compaction, and the history that it left. */
export interface CompactResult extends CompactReceipt {
	/** The history as it is then, in `format`; absent where `includeMessages` is false. */
	messages?: unknown[];
	/** System text, where the format wants it outside the messages. */
	system?: unknown;
	/** That of the history as it is then, as in `context/stats`. */
	revision?: number;
}

export interface CompactParams extends SessionParams, WorkDoneProgressParams {
	/** How to go about it. */
	config?: CompactionConfig;
	/** What to keep above all, in the user's words. */
	instructions?: string;
	/** Ids of messages that survive verbatim; of those that are hidden already a warning says that they cannot. */
	preserve?: string[];
	/**
	 * Tokens that the history should have afterwards; by default chosen by cost if the provider caches prompts, else 60%
	 * of what the history may use; half of what it has if that is less; of a `range`, half of what the range has.
	 */
	targetTokens?: number;
	/** Nothing is done below this usage ratio, 0 to 1. */
	threshold?: number;
	/** Visible messages to which it is held; widened to whole batches of calls and results. */
	range?: MessageRange;
	/** Tells what would be done, and does nothing; by default false. */
	dryRun?: boolean;
	/** Of the messages in the result; by default `contextd`. */
	format?: FormatName;
	/** Whether the result holds the messages; by default true. */
	includeMessages?: boolean;
	/** What surrounds the history; each part that is absent is the session's own. */
	request?: ModelRequest;
}

/** Makes room, all or nothing; null while a session has no messages. */
export const contextCompact: RequestDeclaration<CompactParams, CompactResult | null, 'context/compact'> = {
	kind: 'request',
	method: 'context/compact',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: [...writingErrors, 'MessageNotFound', ...compactingErrors, 'UnsupportedFormat'],
};

export interface UndoParams extends SessionParams {
	/** Of a compaction, rewind or rollback; the newest that is not undone where absent. */
	compactionId?: string;
	/** True if the client takes back a compaction that it made on trial: automatic compaction then continues. */
	isRestore?: boolean;
}

export interface UndoResult {
	/** The steps that were undone, newest first. */
	undone: string[];
	/** The figures afterwards. */
	stats: ContextStats | null;
}

/**
 * Takes a compaction, rollback or rewind back, with whatever was built on it. In a session that an agent's plugin feeds,
 * one that would leave more than the model's window changes nothing and fails with `ContextBudgetExceeded`.
 */
export const contextUndo: RequestDeclaration<UndoParams, UndoResult, 'context/undo'> = {
	kind: 'request',
	method: 'context/undo',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: [...writingErrors, 'CompactionNotFound', 'ContextBudgetExceeded'],
};

export interface PrepareParams extends SessionParams, WorkDoneProgressParams {
	/** What surrounds the history; each part that is absent is the session's own. */
	request?: ModelRequest;
	/**
	 * Tokens that the history should have afterwards where a compaction is due; by default as for `context/compact`,
	 * and no more than what keeps it from being due again at once.
	 */
	targetTokens?: number;
	/** Of the messages in the result; by default `contextd`. */
	format?: FormatName;
	/** The revision whose messages the caller holds: where it still stands, they are not sent again. */
	held?: number;
}

export interface PrepareResult {
	/** What to send, in `format`; empty where `unchanged`. */
	messages: unknown[];
	/** The messages are those of the revision that the caller holds, and what it appended since. */
	unchanged?: true;
	/** As in `context/stats`. */
	revision: number;
	/** System text, where the format wants it outside the messages. */
	system?: unknown;
	/** The figures of what is to be sent; null while the session has no messages. */
	stats: ContextStats | null;
	/** What was done to make room; null where nothing was due. */
	compaction: CompactResult | null;
	/** What the user should know; may be empty. */
	warnings: string[];
}

/**
 * What to send to the model next: the call before each request. It compacts first if that is due. Models are asked for
 * a summary in the background before that, and their answer is used when it is due; without one the summary is an
 * extract, unless the chain has no `extractive`: its models are waited for.
 */
export const contextPrepare: RequestDeclaration<PrepareParams, PrepareResult, 'context/prepare'> = {
	kind: 'request',
	method: 'context/prepare',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: [...writingErrors, 'ContextBudgetExceeded', ...compactingErrors, 'UnsupportedFormat'],
};

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

export interface RecoverParams extends SessionParams, WorkDoneProgressParams {
	/** The provider's error; or a response whose figures or stop reason tell of an overflow. */
	error: unknown;
	/** Which attempt this is, from 1; never counted lower than the session counts itself. */
	attempt?: number;
	/** What surrounds the history; each part that is absent is the session's own. */
	request?: ModelRequest;
	/** Of the messages in the result; by default `contextd`. */
	format?: FormatName;
}

export interface RecoverResult extends ErrorClass {
	/** Which attempt this was, from 1. */
	attempt: number;
	/** What was done to make room. */
	compaction?: CompactResult;
	/** What to send again, where `retryable`. */
	messages?: unknown[];
	/** System text, where the format wants it outside the messages. */
	system?: unknown;
	/** As in `context/stats`, afterwards. */
	revision?: number;
	/** What the user should know. */
	warnings?: string[];
	/** Why the request should not be sent again. */
	reasonCode?: NoRecoveryReason;
	/** The same in words, behind the code. */
	reason?: string;
}

/** What to do after a provider's error: an overflow is compacted without any model, and what to send again comes back. */
export const contextRecover: RequestDeclaration<RecoverParams, RecoverResult, 'context/recover'> = {
	kind: 'request',
	method: 'context/recover',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: [...writingErrors, 'UnsupportedFormat'],
};
