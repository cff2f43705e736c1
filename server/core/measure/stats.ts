/** What is told of how full a window is. */

import type { Role } from '../history/message.ts';
import type { StageName } from '../history/record.ts';
import type { Thresholds } from '../models/profiles.ts';
import type { ModelLimits } from '../models/registry.ts';
import type { ContextState } from '../models/state.ts';
import type { EstimatorName } from '../settings/settings.ts';
import type { Breakdown, Source } from './estimate.ts';
import type { RequestParts } from './request.ts';
import type { Tally } from './totals.ts';

/** What surrounds the history in the next model call; counted beside it. */
export interface ModelRequest extends RequestParts {
	/** Tokens. */
	maxOutputTokens?: number;
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
	contextWindowSource: ModelLimits['contextWindowSource'];
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
