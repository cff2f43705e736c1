/** How stats, receipts and timelines describe compactions. */

import type { Role } from './conversation.ts';
import type { CompactionPreference } from './settingParts.ts';

/**
 * The stages of a compaction, in the order of the values: shorten tool results, remove superseded reads, summarize,
 * remove the oldest messages. `deduplicate` runs first.
 */
export type StageName = 'prune' | 'deduplicate' | 'summarize' | 'truncate';

/** What an agent reports about its own compaction. */
export interface ReportedCompaction {
	/** Tokens of the agent's whole context before the compaction, including the system prompt and the tools. */
	tokensBefore?: number;
	/** The trigger, for example `auto` or `manual`. */
	trigger?: string;
}

/** Cost of a change at the provider, which must cache the tokens after the stable prefix again. */
export interface CacheCost {
	/** Tokens of the history after the stable prefix. */
	rewrittenTokens: number;
	/**
	 * Extra cost of writing `rewrittenTokens` to the cache, in tokens at the input price; 0 if the provider does not cache,
	 * or if the cache had expired.
	 */
	costTokens: number;
	/** Number of calls after which the savings from the smaller history exceed `costTokens`. */
	paysBackAfterCalls: number;
	/** Set if the cache had expired, so that the whole prompt would have been written in any case. */
	wasCold?: true;
}

/**
 * Why a compaction is due or not. Due: `setting`: at the user's own threshold; `threshold`: at the usual share of the
 * window; `cost`: at the size from which compacting is cheapest; `budget`: a request would cost more than
 * `compaction.maxCostPerCall`; `cold`: the provider's cache has expired, so the prompt is written again anyway. Not due:
 * `notReached`: the request is small enough; `openCalls`: a call has no result yet; `paysBackLate`: the session is
 * expected to end before the compaction pays back; `shortSession`: if the session ended now, the compaction would have
 * cost too much compared with the whole session.
 */
export type PolicyReason =
	| 'setting'
	| 'threshold'
	| 'cost'
	| 'budget'
	| 'cold'
	| 'notReached'
	| 'openCalls'
	| 'paysBackLate'
	| 'shortSession';

/** Whether a compaction is due by `compaction.policy`, and what it would cost and save: estimates at the input price. */
export interface PolicyDecision {
	/** Whether a compaction is due. */
	isDue: boolean;
	/** Why the compaction is due or not. */
	reason: PolicyReason;
	/** The preference that decided, unless the reason is `setting`. */
	preference: CompactionPreference;
	/** Tokens that the history would have after the compaction. */
	targetTokens: number;
	/**
	 * Extra cost of writing the smaller prompt to the cache, in input tokens; 0 if nothing is cached or the cache has
	 * expired.
	 */
	costTokens: number;
	/** What the next request saves because it writes a smaller prompt, in input tokens; 0 while the cache is warm. */
	savesOnceTokens: number;
	/** What each later request saves, in input tokens. */
	savesPerCallTokens: number;
	/** Number of calls after which the savings exceed the cost of the compaction. */
	paysBackAfterCalls: number;
	/** Expected number of further calls in the session. */
	expectedCalls: number;
}

/** A past compaction. */
export interface CompactionSummary {
	/** The id to pass to `context/undo`. */
	compactionId: string;
	/** When the compaction was made. Milliseconds since the epoch. */
	at: number;
	/** Tokens of the history before the compaction. */
	tokensBefore: number;
	/** Tokens of the history after the compaction. */
	tokensAfter: number;
	/** The stages that saved something. */
	stagesUsed: StageName[];
	/** Cost at the provider; absent for the agent's own compactions, and if an old version did not record it. */
	cache?: CacheCost;
	/** Why the compaction was due, if contextd made it automatically; absent if it was requested. */
	decision?: PolicyDecision;
	/** Whether the compaction was undone. */
	undone: boolean;
	/** Set if the agent whose transcript the session mirrors made the compaction; absent if contextd did. */
	byAgent?: true;
	/** The agent's own report about the compaction. */
	told?: ReportedCompaction;
}

/** A message that a compaction changed. */
export interface RemovedMessage {
	/** The message's id. */
	messageId: string;
	/** The stage that changed the message. */
	stage: StageName;
	/** How the message changed: `hidden` from the history, `shortened`, or `replaced` by another message. */
	change: 'hidden' | 'shortened' | 'replaced';
	/** Tokens saved on this message. */
	tokens: number;
	/** The message's role. */
	role: Role;
	/** For a tool result: the name of the tool. */
	toolName?: string;
	/** Why the result was outdated, if `free` selected it. */
	reason?: OutdatedReason;
}

/** Why a result is outdated: its file changed, a later read shows its lines, or its command ran again. */
export type OutdatedReason = 'changed' | 'read_again' | 'ran_again';

/** A past compaction with the messages that it changed. */
export interface LoggedCompaction extends CompactionSummary {
	/** The messages that were changed, and how. */
	removed: RemovedMessage[];
}
