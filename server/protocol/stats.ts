import type { ChatMessage, Role } from '../core/history/message.ts';
import type { StageName } from '../core/history/record.ts';
import type { Breakdown, Source } from '../core/measure/estimate.ts';
import type { Tally } from '../core/measure/totals.ts';
import type { Thresholds } from '../core/models/profiles.ts';
import type { ContextState } from '../core/models/state.ts';
import type { EstimatorName, ModelRequest, SessionParams } from './message.ts';
import { request } from './message.ts';

export type { Breakdown, ContextState, Source, Tally };

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
	contextWindowSource: 'client' | 'settings' | 'registry' | 'provider-default' | 'default';
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
	source: Source;
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
	points: { messageId: string; at: number; tokens: number; usageRatio: number; source: Source }[];
	compactions: CompactionSummary[];
}

export const contextTimeline = request<SessionParams, TimelineResult>('context/timeline');
