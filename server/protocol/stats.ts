/** How full a window is. */

import type { CompactionSummary, LoggedCompaction } from './compaction.ts';
import type { ChatMessage, EstimatorName, ModelRequest, Role } from './conversation.ts';
import type { RequestDeclaration, SessionParams } from './declaration.ts';
import { readingErrors } from './errors.ts';
import type { Thresholds } from './settings.ts';

/** How full a context is, by its thresholds. */
export type ContextState = 'healthy' | 'warning' | 'critical' | 'overflow';

/**
 * What a figure rests on: the provider's own usage alone; such a usage and an estimate of what came after it; an
 * estimate alone.
 */
export type StatsSource = 'reported' | 'anchored' | 'estimated';

/** Where the size of a window is known from. */
export type ContextWindowSource = 'client' | 'settings' | 'registry' | 'provider-default' | 'default';

/** Tokens by what they are spent on. */
export interface Breakdown {
	systemPrompt: number;
	conversationHistory: number;
	currentPrompt: number;
	toolDefinitions: number;
	fileAttachments: number;
	/** What the provider's own figure holds beyond all that was handed in; 0 or more. */
	other: number;
}

/** Tokens of the history by what they are spent on. */
export interface Tally {
	user: number;
	assistant: number;
	toolCalls: number;
	toolResults: number;
	summaries: number;
	images: number;
	system: number;
}

export interface LargeMessage {
	messageId: string;
	role: Role;
	toolName?: string;
	tokens: number;
}

/** The levels that hold, as shares of the available input tokens. */
export interface StatsThresholds extends Thresholds {
	/** Where compaction is due. */
	compact: number;
}

/** Tokens for files that `context/readFile` reads. */
export interface FileBudget {
	/** The whole budget now. */
	tokens: number;
	/** What visible reads take. */
	used: number;
	/** What is left. */
	remaining: number;
}

/** A read of a file that has changed since. */
export interface StaleRead {
	uri: string;
	/** The message that shows what the file was. */
	messageId: string;
}

/** How full the window of a session is. All figures are finite. */
export interface ContextStats {
	sessionId: string;
	provider: string;
	model: string;
	/** Visible messages. */
	messageCount: number;
	/** Tokens. */
	contextWindow: number;
	/** Where the window's size is known from. */
	contextWindowSource: ContextWindowSource;
	/** Tokens kept free for the answer. */
	outputReserve: number;
	/** Tokens: the window less the reserve. */
	availableInputTokens: number;
	/** Tokens of the next request. */
	estimatedInputTokens: number;
	/** Estimated over available: the one percentage that is shown anywhere. */
	usageRatio: number;
	/** Estimated is not above available. */
	withinBudget: boolean;
	/** Compaction is due. */
	shouldCompact: boolean;
	state: ContextState;
	thresholds: StatsThresholds;
	/** What the figures rest on. */
	source: StatsSource;
	/** How tokens were counted. */
	estimator: EstimatorName;
	/** Sums to `estimatedInputTokens`. */
	breakdown: Breakdown;
	/** Sums to `breakdown.conversationHistory`. */
	history: Tally;
	/** At most ten, largest first. */
	largest: LargeMessage[];
	fileBudget: FileBudget;
	staleReads: StaleRead[];
	/** The newest compaction, undone or not. */
	lastCompaction?: CompactionSummary;
}

/** What a call may lay over a session's own model and request. */
export interface StatsOverlay {
	/** For example `anthropic`; the session's own where absent. */
	provider?: string;
	/** The session's own where absent. */
	model?: string;
	/** What surrounds the history; each part that is absent is the session's own. */
	request?: ModelRequest;
	/** The one that is set where absent. */
	estimator?: EstimatorName;
}

export interface StatsParams extends SessionParams, StatsOverlay {}

/** How full the window is; null while a session has no messages. */
export const contextStats: RequestDeclaration<StatsParams, ContextStats | null, 'context/stats'> = {
	kind: 'request',
	method: 'context/stats',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: readingErrors,
};

export interface CountParams {
	/** Counted as one text. */
	text?: string;
	/** Messages of the `contextd` format, counted beside it. */
	messages?: ChatMessage[];
	/** Counted beside both. */
	request?: ModelRequest;
	/** Whose rules hold; by the model's name where absent. */
	provider?: string;
	model?: string;
	/** The one that is set where absent. */
	estimator?: EstimatorName;
}

export interface CountResult {
	/** Sum of the breakdown. */
	tokens: number;
	breakdown: Breakdown;
	/** Tokens that the model's window has for the input. */
	availableInputTokens: number;
	/** Tokens over available. */
	usageRatio: number;
	withinBudget: boolean;
	/** A history of this size would be compacted. */
	shouldCompact: boolean;
}

/** Counts without a session. */
export const contextCount: RequestDeclaration<CountParams, CountResult, 'context/count'> = {
	kind: 'request',
	method: 'context/count',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: [],
};

/** How full the window was when a message came. */
export interface TimelinePoint {
	messageId: string;
	/** Milliseconds since the epoch. */
	at: number;
	/** Tokens of the request as of then. */
	tokens: number;
	/** Those tokens over what is available now. */
	usageRatio: number;
	source: StatsSource;
}

export interface TimelineResult {
	/** Oldest first. */
	points: TimelinePoint[];
	/** Oldest first. */
	compactions: LoggedCompaction[];
}

/** How full the window was over time, and what was done about it. */
export const contextTimeline: RequestDeclaration<SessionParams, TimelineResult, 'context/timeline'> = {
	kind: 'request',
	method: 'context/timeline',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: readingErrors,
};
