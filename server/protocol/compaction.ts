/** Compactions that happened, as stats, receipts and timelines tell of them. */

import type { Role } from './conversation.ts';

/** The stages of a compaction: results shorten, superseded reads go, a summary is made, the oldest go. */
export type StageName = 'prune' | 'deduplicate' | 'summarize' | 'truncate';

/** What another agent says of its own compaction. */
export interface ToldCompaction {
	/** Tokens of its whole context before it, the system prompt and the tools among them. */
	tokensBefore?: number;
	/** Why it was made: \`auto\` or \`manual\`, say. */
	trigger?: string;
}

/** What a change costs at the provider: tokens after the stable prefix must be written to its prompt cache again. */
export interface CacheCost {
	/** Tokens of the history after the stable prefix. */
	rewrittenTokens: number;
	/** What writing them costs beyond reading them, in tokens at the price of input; 0 if the provider does not cache. */
	costTokens: number;
	/** Calls after which the smaller history has saved that. */
	paysBackAfterCalls: number;
}

/** A compaction of the past. */
export interface CompactionSummary {
	/** What `context/undo` takes. */
	compactionId: string;
	/** Milliseconds since the epoch. */
	at: number;
	/** Tokens of the history before it. */
	tokensBefore: number;
	/** Tokens of the history after it. */
	tokensAfter: number;
	/** The stages that did something. */
	stagesUsed: StageName[];
	/** What it costs at the provider; absent for the agent's own, and for those of versions that did not record it. */
	cache?: CacheCost;
	/** It was taken back. */
	undone: boolean;
	/** The agent whose transcript the session mirrors made it by itself; absent where contextd did. */
	byAgent?: true;
	/** What that agent says of it. */
	told?: ToldCompaction;
}

/** A message that a compaction changed. */
export interface RemovedMessage {
	/** Its id. */
	messageId: string;
	/** The stage that did it. */
	stage: StageName;
	/** It left the history, lost a part, or another message stands for it. */
	change: 'hidden' | 'shortened' | 'replaced';
	/** Tokens saved on it. */
	tokens: number;
	/** Its role. */
	role: Role;
	/** Of a result: the name of the tool. */
	toolName?: string;
}

/** A compaction of the past with what it removed. */
export interface LoggedCompaction extends CompactionSummary {
	/** What became of which message. */
	removed: RemovedMessage[];
}
