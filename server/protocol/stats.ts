/** How full a window is. */

import type { LoggedCompaction } from './compact.ts';
import type { ChatMessage, EstimatorName, ModelRequest, Role } from './conversation.ts';
import type { SessionParams } from './message.ts';
import { request } from './message.ts';
import type { Thresholds } from './settings.ts';

/** The stages of a compaction: results shorten, superseded reads go, a summary is made, the oldest go. */
export type StageName = 'prune' | 'deduplicate' | 'summarize' | 'truncate';

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
	/** What the provider's own figure holds beyond all that was handed in. */
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

export interface CompactionSummary {
	compactionId: string;
	/** Milliseconds since the epoch. */
	at: number;
	tokensBefore: number;
	tokensAfter: number;
	stagesUsed: StageName[];
	undone: boolean;
}

export interface LargeMessage {
	messageId: string;
	role: Role;
	toolName?: string;
	tokens: number;
}

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
	/** Window less reserve. */
	availableInputTokens: number;
	estimatedInputTokens: number;
	/** Estimated over available: the one percentage that is shown anywhere. */
	usageRatio: number;
	withinBudget: boolean;
	shouldCompact: boolean;
	state: ContextState;
	thresholds: Thresholds & { compact: number };
	/** What the figures rest on. */
	source: StatsSource;
	estimator: EstimatorName;
	/** Sums to `estimatedInputTokens`. */
	breakdown: Breakdown;
	/** Sums to `breakdown.conversationHistory`. */
	history: Tally;
	/** At most ten, largest first. */
	largest: LargeMessage[];
	fileBudget: { tokens: number; used: number; remaining: number };
	/** Reads of files that have changed since. */
	staleReads: { uri: string; messageId: string }[];
	lastCompaction?: CompactionSummary;
}

export interface StatsParams extends SessionParams {
	provider?: string;
	model?: string;
	request?: ModelRequest;
	estimator?: EstimatorName;
}

/** How full the window is; null while a session has no messages. */
export const contextStats = request<StatsParams, ContextStats | null>('context/stats');

export interface CountParams {
	text?: string;
	messages?: ChatMessage[];
	request?: ModelRequest;
	provider?: string;
	model?: string;
	estimator?: EstimatorName;
}

export interface CountResult {
	tokens: number;
	breakdown: Breakdown;
	availableInputTokens: number;
	usageRatio: number;
	withinBudget: boolean;
	shouldCompact: boolean;
}

/** Counts without a session. */
export const contextCount = request<CountParams, CountResult>('context/count');

export interface TimelineResult {
	points: { messageId: string; at: number; tokens: number; usageRatio: number; source: StatsSource }[];
	compactions: LoggedCompaction[];
}

export const contextTimeline = request<SessionParams, TimelineResult>('context/timeline');
