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

/** Where the size of a window is known from; `agent`: what another agent states of its own, or a prompt that it got answered. */
export type ContextWindowSource =
	| 'client'
	| 'settings'
	| 'agent'
	| 'registry'
	| 'provider-default'
	| 'default';

/** Tokens by what they are spent on. */
export interface Breakdown {
	/** Of the request. */
	systemPrompt: number;
	/** The visible messages. */
	conversationHistory: number;
	/** Of the request. */
	currentPrompt: number;
	/** Of the request. */
	toolDefinitions: number;
	/** Of the request. */
	fileAttachments: number;
	/** What the provider's own figure holds beyond all that was handed in; 0 or more. */
	other: number;
}

/** Tokens of the history by what they are spent on. */
export interface Tally {
	/** Users' messages. */
	user: number;
	/** Text and reasoning of assistants' messages. */
	assistant: number;
	/** Calls with their arguments. */
	toolCalls: number;
	/** Results of calls. */
	toolResults: number;
	/** Messages that stand for many. */
	summaries: number;
	/** Images, wherever they are. */
	images: number;
	/** System messages. */
	system: number;
}

/** A message that takes much. */
export interface LargeMessage {
	/** Its id. */
	messageId: string;
	/** Its role. */
	role: Role;
	/** Of a result: the name of the tool. */
	toolName?: string;
	/** What it takes. */
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
	/** The file. */
	uri: string;
	/** The message that shows what the file was. */
	messageId: string;
}

/** What a history is measured against. */
export interface ContextLimit {
	/** Tokens; equal to `availableInputTokens`. */
	tokens: number;
	/**
	 * What the limit is: the point at which the agent itself compacts; the window, less the reserve; what the user says
	 * of it; or a guess, because nothing tells with which window the agent or the model works.
	 */
	of: 'agent' | 'window' | 'setting' | 'guess';
	/** Who makes room there. */
	compacts: 'agent' | 'contextd' | 'nobody';
}

/** What is kept free of a window. */
export interface Reserve {
	/** Tokens; equal to `outputReserve`. */
	tokens: number;
	/** It is larger than what was asked for, since the model takes in less than the rest of its window. */
	didOverride: boolean;
}

/** A part of a row of the breakdown. */
export interface DetailPart {
	/** What it is. */
	name: string;
	/** What it takes. */
	tokens: number;
}

/** What rows of the breakdown are made of, as far as the agent tells. Each list sums to its row, largest first. */
export interface StatsDetails {
	/** Of `breakdown.systemPrompt`. */
	systemPrompt?: DetailPart[];
	/** Of `breakdown.toolDefinitions`. */
	toolDefinitions?: DetailPart[];
	/** Of `breakdown.other`. */
	other?: DetailPart[];
}

/** How full the window of a session is. All figures are finite. */
export interface ContextStats {
	/** Whose figures these are. */
	sessionId: string;
	/** Whose counting rules were applied. */
	provider: string;
	/** Whose window it is. */
	model: string;
	/** Visible messages. */
	messageCount: number;
	/** Changes exactly where something visible changed in another way than by more behind it: by a step, an undo, a pin. */
	revision: number;
	/** Tokens. */
	contextWindow: number;
	/** Where the window's size is known from. */
	contextWindowSource: ContextWindowSource;
	/** Tokens kept free for the answer; of another agent's session, what lies between its limit and the window. */
	outputReserve: number;
	/** Tokens: the window less the reserve. */
	availableInputTokens: number;
	/** What the history is measured against. */
	limit: ContextLimit;
	/** A refused request taught the window: an undo of the compaction that followed drops the lesson. */
	isLimitLearned?: true;
	/** What is kept free of the window, and whether it had to be more than was asked for. */
	reserve: Reserve;
	/** The agent whose transcript the session mirrors, or whose plugin feeds it; absent where nobody's limit holds but the model's. */
	agent?: string;
	/** When the newest message came, in milliseconds since the epoch; absent where no message tells. */
	lastActivityAt?: number;
	/** Tokens of the next request. */
	estimatedInputTokens: number;
	/** Estimated over available: the one percentage that is shown anywhere. */
	usageRatio: number;
	/** Estimated is not above available. */
	withinBudget: boolean;
	/** Compaction is due. */
	shouldCompact: boolean;
	/**
	 * The usual threshold is reached, but a compaction would not pay back before the next one: it is held back until
	 * `thresholds.compact`, at most while the request fits.
	 */
	isHeldBack?: true;
	/** Where the usage ratio stands among the thresholds. */
	state: ContextState;
	/** Where each state begins, and where compaction is due. */
	thresholds: StatsThresholds;
	/** What the figures rest on. */
	source: StatsSource;
	/** How tokens were counted. */
	estimator: EstimatorName;
	/** How what lies before the newest usage figure was counted, where that was another way. */
	headEstimator?: EstimatorName;
	/** Sums to `estimatedInputTokens`. */
	breakdown: Breakdown;
	/** What rows of the breakdown are made of. */
	details?: StatsDetails;
	/** Sums to `breakdown.conversationHistory`. */
	history: Tally;
	/** At most ten, largest first. */
	largest: LargeMessage[];
	/** Room for files. */
	fileBudget: FileBudget;
	/** Reads that show what files no longer are. */
	staleReads: StaleRead[];
	/** The newest compaction, undone or not. */
	lastCompaction?: CompactionSummary;
	/** The newest compaction that `context/undo` can still take back; absent where there is none. */
	undoable?: CompactionSummary;
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
	/** The text is source code, which the heuristic estimator counts by 3 characters a token instead of 4. */
	isCode?: boolean;
	/** Messages of the `contextd` format, counted beside it; the heuristic estimator adds 24 tokens for all of them. */
	messages?: ChatMessage[];
	/** Counted beside both. */
	request?: ModelRequest;
	/** Whose rules hold; by the model's name where absent. */
	provider?: string;
	/** Whose window it is. */
	model?: string;
	/** The one that is set where absent. */
	estimator?: EstimatorName;
}

export interface CountResult {
	/** Sum of the breakdown. */
	tokens: number;
	/** Tokens by what they are spent on; text and messages count as history. */
	breakdown: Breakdown;
	/** Tokens that the model's window has for the input. */
	availableInputTokens: number;
	/** Tokens over available. */
	usageRatio: number;
	/** Tokens are not above available. */
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

export interface NeedsCompactionParams extends SessionParams {
	/** Whose counting rules apply; the session's own where absent. */
	provider?: string;
	/** Whose window it is; the session's own where absent. */
	model?: string;
	/** Usage ratio from which on it is due, 0 to 1; the one that is set where absent. */
	threshold?: number;
}

export interface NeedsCompactionResult {
	/** Compaction is due. */
	needsCompaction: boolean;
}

/** Whether compaction is due; false for a session that nobody knows, or that has no messages. */
export const contextNeedsCompaction: RequestDeclaration<
	NeedsCompactionParams,
	NeedsCompactionResult,
	'context/needsCompaction'
> = {
	kind: 'request',
	method: 'context/needsCompaction',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: ['StorageFailed'],
};

export interface TruncateToTokenBudgetParams {
	/** What is to be cut. */
	text: string;
	/** The budget, the "..." at a cut included. */
	tokens: number;
	/** Whose rules hold; by the model's name where absent. */
	provider?: string;
	/** Whose tokens are meant. */
	model?: string;
	/** The one that is set where absent. */
	estimator?: EstimatorName;
}

export interface TruncateToTokenBudgetResult {
	/** The text, or its beginning with "..." behind it. */
	text: string;
	/** Tokens of that, never above the budget. */
	tokens: number;
	/** It is not the whole text. */
	truncated: boolean;
}

/** Cuts a text to a number of tokens: at the end of a sentence, else of a word. */
export const contextTruncateToTokenBudget: RequestDeclaration<
	TruncateToTokenBudgetParams,
	TruncateToTokenBudgetResult,
	'context/truncateToTokenBudget'
> = {
	kind: 'request',
	method: 'context/truncateToTokenBudget',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: [],
};

/** How full the window was when a message came. */
export interface TimelinePoint {
	/** The message. */
	messageId: string;
	/** Milliseconds since the epoch. */
	at: number;
	/** Tokens of the request as of then. */
	tokens: number;
	/** Those tokens over what is available now. */
	usageRatio: number;
	/** What the figure rests on. */
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
