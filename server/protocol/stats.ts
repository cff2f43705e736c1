import type { LoggedCompaction } from '../core/compact/result.ts';
import type { ChatMessage } from '../core/history/message.ts';
import type { Breakdown, Source } from '../core/measure/estimate.ts';
import type { ContextStats, LargeMessage, ModelRequest } from '../core/measure/stats.ts';
import type { Tally } from '../core/measure/totals.ts';
import type { ContextState } from '../core/models/state.ts';
import type { EstimatorName, SessionParams } from './message.ts';
import { request } from './message.ts';

export type { Breakdown, ContextState, ContextStats, LargeMessage, Source, Tally };

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
	compactions: LoggedCompaction[];
}

export const contextTimeline = request<SessionParams, TimelineResult>('context/timeline');
