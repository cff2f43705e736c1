/** How full a window is. */

import type { CompactionSummary, LoggedCompaction, PolicyDecision } from './compaction.ts';
import type { EstimatorName, ModelRequest, Role } from './conversation.ts';
import type { RequestDeclaration, SessionParams } from './declaration.ts';
import { declareRequest } from './declare.ts';
import { readingErrors } from './errors.ts';
import type { Thresholds } from './settingParts.ts';

/** How full a context is, by its thresholds. */
export type ContextState = 'healthy' | 'warning' | 'critical' | 'overflow';

/**
 * How a token count was obtained: `reported`: the provider's usage; `anchored`: the provider's usage and an estimate of
 * everything after it; `estimated`: an estimate.
 */
export type StatsSource = 'reported' | 'anchored' | 'estimated';

/** Source of a window's size. `agent`: the agent's own statement, or an answered prompt that proves a larger window. */
export type ContextWindowSource =
	| 'client'
	| 'settings'
	| 'agent'
	| 'registry'
	| 'provider-default'
	| 'default';

/** Tokens of each part of a request. */
export interface Breakdown {
	/** The system prompt of the request. */
	systemPrompt: number;
	/** The visible messages. */
	conversationHistory: number;
	/** The next prompt of the request. */
	currentPrompt: number;
	/** The tools of the request. */
	toolDefinitions: number;
	/** The attached files of the request. */
	fileAttachments: number;
	/** Tokens that the provider counted in addition to all known parts; 0 or more. */
	other: number;
}

/** Tokens of each kind of content in the history. */
export interface Tally {
	/** Users' messages. */
	user: number;
	/** Text and reasoning of assistants' messages. */
	assistant: number;
	/** Calls with their arguments. */
	toolCalls: number;
	/** Results of calls. */
	toolResults: number;
	/** Summaries, each of which replaces many messages. */
	summaries: number;
	/** Images in any message. */
	images: number;
	/** System messages. */
	system: number;
}

/** One of the largest messages. */
export interface LargeMessage {
	/** The message's id. */
	messageId: string;
	/** The message's role. */
	role: Role;
	/** For a tool result: the name of the tool. */
	toolName?: string;
	/** Tokens of the message. */
	tokens: number;
}

/** The thresholds in use, as shares of the available input tokens. */
export interface StatsThresholds extends Thresholds {
	/**
	 * Share of the available input tokens at which `overflow` begins. Above 1 for a transcript whose agent compacts
	 * before its window is full.
	 * @minimum 0
	 */
	overflow: number;
	/** Share at which compaction is due. */
	compact: number;
}

/** Token budget for files that `context/readFile` reads. */
export interface FileBudget {
	/** The whole budget in tokens. */
	tokens: number;
	/** Tokens of the visible reads. */
	used: number;
	/** Tokens that are still available. */
	remaining: number;
}

/** A read of a file that has changed since. */
export interface StaleRead {
	/** URI of the file. */
	uri: string;
	/** Id of the message that shows the old content. */
	messageId: string;
}

/** The limit against which the history is measured. */
export interface ContextLimit {
	/**
	 * Equal to `availableInputTokens`.
	 * @deprecated Use `availableInputTokens`.
	 */
	tokens: number;
	/**
	 * Meaning of the limit: the point at which the agent itself compacts; the window minus the reserve; the user's
	 * setting; or a guess, because the window of the agent or the model is unknown.
	 */
	of: 'agent' | 'window' | 'setting' | 'guess';
	/** Who compacts at the limit. */
	compacts: 'agent' | 'contextd' | 'nobody';
}

/** The part of the window that is reserved for the answer. */
export interface Reserve {
	/**
	 * Equal to `outputReserve`.
	 * @deprecated Use `outputReserve`.
	 */
	tokens: number;
	/**
	 * Whether the reserve is larger than requested, because the model accepts less input than would otherwise be
	 * available.
	 */
	didOverride: boolean;
}

/** One part of a member of `Breakdown`, such as one group of tools. */
export interface DetailPart {
	/** Name of the part. */
	name: string;
	/** Tokens of the part. */
	tokens: number;
}

/** Parts of members of `Breakdown`, if the agent reports them. Each list adds up to its member; largest first. */
export interface StatsDetails {
	/** Parts of `breakdown.systemPrompt`. */
	systemPrompt?: DetailPart[];
	/** Parts of `breakdown.toolDefinitions`. */
	toolDefinitions?: DetailPart[];
	/** Parts of `breakdown.other`. */
	other?: DetailPart[];
}

/** How fast the window of a session fills, in tokens. */
export interface ContextGrowth {
	/** Tokens since the user's newest message, including that message; negative after a compaction. */
	sinceUserMessage: number;
	/**
	 * Median growth of the last turns in which the window became fuller, at most ten; absent if there were fewer than
	 * three.
	 */
	perTurn?: number;
}

/** When the provider's cache of a session's prompt expires, and how much the expiry costs. */
export interface CacheExpiry {
	/** When the cache expires if no request reads it before, or when it expired. Milliseconds since the epoch. */
	warmUntil: number;
	/** How long the cache lasts after each request, in milliseconds. */
	lifetimeMs: number;
	/** Tokens of the next request that must be written to the cache again once it has expired. */
	coldTokens: number;
	/** Extra cost of `coldTokens`, compared with reading them from the cache, in tokens at the price of input. */
	coldCostTokens: number;
	/** Extra cost of `coldTokens` in US dollars; absent if the price of the model is unknown. */
	coldCost?: number;
}

/** What the requests of a session cost so far, by the usage that was reported. */
export interface SessionCost {
	/** Cost in tokens at the price of input. */
	tokens: number;
	/** Cost in US dollars; absent if the price of the model is unknown. */
	usd?: number;
}

/** What compactions saved in all sessions, including deleted ones. */
export interface SavingsTotal extends SessionCost {
	/** When the first saving was recorded. Milliseconds since the epoch. */
	since: number;
}

/**
 * Estimate of what the compactions of a session saved, compared with never compacting; the provider caches in both
 * cases. Negative if the compactions cost more than they saved.
 */
export interface SessionSavings extends SessionCost {
	/** Savings of all sessions; absent if only this session saved something, or nothing is stored. */
	total?: SavingsTotal;
}

/** How full the window of a session is. All numbers are finite. */
export interface ContextStats {
	/** Id of the session. */
	sessionId: string;
	/** The provider whose counting rules apply. */
	provider: string;
	/** The model whose window is measured. */
	model: string;
	/** Number of visible messages. */
	messageCount: number;
	/** Changes with every visible change of the history except an append: with a step, an undo, or a pin. */
	revision: number;
	/** Size of the window in tokens. */
	contextWindow: number;
	/** Source of the window's size. */
	contextWindowSource: ContextWindowSource;
	/** Tokens reserved for the answer; for another agent's session, the tokens between the agent's limit and the window. */
	outputReserve: number;
	/** Equal to `contextWindow - outputReserve`, in tokens. */
	availableInputTokens: number;
	/** The limit against which the history is measured. */
	limit: ContextLimit;
	/** Set if the window's size was learned from a refused request. To discard it, undo the compaction that followed. */
	isLimitLearned?: true;
	/** The part of the window that is kept free, and whether it exceeds the requested reserve. */
	reserve: Reserve;
	/** The agent whose transcript the session mirrors, or whose plugin syncs it; absent if only the model's limit applies. */
	agent?: string;
	/** Time of the newest message in milliseconds since the epoch; absent if no message contains a time. */
	lastActivityAt?: number;
	/** Tokens of the next request. */
	estimatedInputTokens: number;
	/** Equal to `estimatedInputTokens / availableInputTokens`: the only percentage for clients to show. */
	usageRatio: number;
	/**
	 * Equal to `estimatedInputTokens <= availableInputTokens`.
	 * @deprecated Use `estimatedInputTokens` and `availableInputTokens`.
	 */
	withinBudget: boolean;
	/** Whether compaction is due, equal to `decision.isDue`. */
	shouldCompact: boolean;
	/**
	 * Set if compaction is postponed although the usual threshold is reached, because it would not pay back before the
	 * next compaction or the end of the session. Only while the request fits.
	 */
	isHeldBack?: true;
	/** Why compaction is due or not; absent if contextd does not compact the session. */
	decision?: PolicyDecision;
	/** The highest of the states whose threshold `usageRatio` has reached; `healthy` below `warning`. */
	state: ContextState;
	/** Where each state begins, and where compaction is due. */
	thresholds: StatsThresholds;
	/** How the tokens were obtained. */
	source: StatsSource;
	/** The estimator in use. */
	estimator: EstimatorName;
	/** The estimator for messages before the newest usage figure, if it differs from `estimator`. */
	headEstimator?: EstimatorName;
	/** Tokens of each part of the request; their sum is `estimatedInputTokens`. */
	breakdown: Breakdown;
	/** Parts of members of `breakdown`; absent if the agent does not report them. */
	details?: StatsDetails;
	/** Tokens of each kind of content in the history; their sum is `breakdown.conversationHistory`. */
	history: Tally;
	/** The largest messages, at most ten, largest first. */
	largest: LargeMessage[];
	/** Token budget for files. */
	fileBudget: FileBudget;
	/** Visible reads of files that have changed since. */
	staleReads: StaleRead[];
	/** The provider's cache of the prompt; absent if nothing is cached. */
	cache?: CacheExpiry;
	/** What the session cost so far; absent if fewer than three requests were reported. */
	cost?: SessionCost;
	/** US dollars for a million input tokens; absent if the price of the model is unknown. */
	usdPerMillion?: number;
	/** What compactions saved; absent if nothing was saved yet. */
	savings?: SessionSavings;
	/** How fast the window fills; absent if the provider reported nothing before the user's newest message. */
	growth?: ContextGrowth;
	/** The newest compaction, undone or not. */
	lastCompaction?: CompactionSummary;
	/** The newest compaction that `context/undo` can undo; absent if there is none. */
	undoable?: CompactionSummary;
}

/** Values that replace those of the session for one call. */
export interface StatsOverlay {
	/** The provider, for example `anthropic`; by default the session's own. */
	provider?: string;
	/** The model's id; by default the session's own. */
	model?: string;
	/** The model request except its history; absent members are taken from the session. */
	request?: ModelRequest;
	/** How to count tokens; by default the configured estimator. */
	estimator?: EstimatorName;
}

export interface StatsParams extends SessionParams, StatsOverlay {}

/** Returns how full the window is, or null if the session has no messages. */
export const contextStats: RequestDeclaration<StatsParams, ContextStats | null, 'context/stats'> =
	declareRequest('context/stats', readingErrors);

export interface NeedsCompactionParams extends SessionParams {
	/** The provider whose counting rules apply; by default the session's own. */
	provider?: string;
	/** The model whose window is used; by default the session's own. */
	model?: string;
	/** Usage ratio at which compaction is due, 0 to 1; by default the configured threshold. */
	threshold?: number;
}

export interface NeedsCompactionResult {
	/** Whether compaction is due. */
	needsCompaction: boolean;
}

/** Returns whether compaction is due; false for a session that does not exist or has no messages. */
export const contextNeedsCompaction: RequestDeclaration<
	NeedsCompactionParams,
	NeedsCompactionResult,
	'context/needsCompaction'
> = declareRequest('context/needsCompaction', ['StorageFailed']);

/** How full the window was when a message was appended. */
export interface TimelinePoint {
	/** Id of the message. */
	messageId: string;
	/** When the message was appended. Milliseconds since the epoch. */
	at: number;
	/** Tokens of the request after the message was appended. */
	tokens: number;
	/** `tokens` divided by the tokens that are available now. */
	usageRatio: number;
	/** How the tokens were obtained. */
	source: StatsSource;
}

export interface TimelineResult {
	/** How full the window was after each message, oldest first. */
	points: TimelinePoint[];
	/** The compactions, oldest first. */
	compactions: LoggedCompaction[];
}

/** Returns how full the window was after each message, and the compactions. */
export const contextTimeline: RequestDeclaration<SessionParams, TimelineResult, 'context/timeline'> =
	declareRequest('context/timeline', readingErrors);
