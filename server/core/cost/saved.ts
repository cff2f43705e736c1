/**
 * Computes what a session's compactions saved so far, compared with never compacting. When the usage of a call is reported,
 * it is compared with the tokens of the same call without compactions, up to the model's window.
 */

import type { CostBasis } from './compactionCost.ts';
import { inputPrice } from './prices.ts';

/** A compaction whose savings are counted, because it still applies. */
export interface CountedCompaction {
	id: string;
	/** Number of messages in the session before the compaction. */
	rowCount: number;
	/** Tokens that the compaction removed: an estimate, which is lowered if a call shows a smaller saving. */
	tokens: number;
	/** Whether a later call was smaller by at least half of the estimate. */
	isConfirmed: boolean;
}

/** Sums over the calls of a session, in tokens. */
export interface Savings {
	/** Tokens that calls did not have to read from the cache. */
	unreadTokens: number;
	/** Tokens that calls did not have to write to the cache after it had expired. */
	unwrittenTokens: number;
	/** Tokens written to the cache again because a compaction or its undo changed the prompt. */
	rewrittenTokens: number;
	/** Compactions that still apply, oldest first. */
	compactions: readonly CountedCompaction[];
	/** Number of following calls that may write the prompt again after a compaction or undo; 0 if none. */
	remainingChecks: number;
	/** The newest call whose usage was reported. */
	lastCall?: { seq: number; promptTokens: number; startedAt: number };
}

export const noSavings: Savings = {
	unreadTokens: 0,
	unwrittenTokens: 0,
	rewrittenTokens: 0,
	compactions: [],
	remainingChecks: 0,
};

/** A call whose usage was reported. */
export interface CallWithUsage {
	/** Ordinal of the answer. */
	seq: number;
	/** When the request was sent. Milliseconds since the epoch. */
	startedAt: number;
	promptTokens: number;
	cacheRead: number;
	/** Tokens of the messages after the previous call, including that call's answer. */
	grownTokens: number;
	/** Whether the cache had expired when the call started. */
	isCold: boolean;
	/** The model's window, in tokens. */
	windowTokens: number;
}

/** Maximum number of calls after a compaction that may still have the old prompt, because they started earlier. */
const maxUncertainCalls = 3;
/** A compaction counts as soon as a call is smaller by this share of the estimate. */
const minConfirmedShare = 0.5;

/** Returns the savings after a compaction by contextd. */
export function addCompaction(
	savings: Savings,
	{ id, rowCount, tokens }: Omit<CountedCompaction, 'isConfirmed'>,
): Savings {
	const newCompaction = { id, rowCount, tokens: Math.max(0, tokens), isConfirmed: false };
	return {
		...savings,
		compactions: [...savings.compactions, newCompaction],
		remainingChecks: maxUncertainCalls,
	};
}

/** Returns the savings after compactions were undone: later calls contain the removed tokens again. */
export function removeCompactions(savings: Savings, undone: ReadonlySet<string>): Savings {
	const compactions = savings.compactions.filter(({ id }) => !undone.has(id));
	if (compactions.length === savings.compactions.length) return savings;
	return { ...savings, compactions, remainingChecks: 1 };
}

/**
 * Returns the savings after the agent removed or summarized all messages from an ordinal on. Compactions after that message
 * no longer count, because the messages that they removed may be gone anyway.
 */
export function dropLaterCompactions(savings: Savings, fromSeq: number): Savings {
	const compactions = savings.compactions.filter(({ rowCount }) => rowCount <= fromSeq);
	return compactions.length === savings.compactions.length ? savings : { ...savings, compactions };
}

/** Lowers the estimates to the tokens that a call really saved; unchanged if these are less than half of the estimate. */
function confirmEstimates(
	compactions: readonly CountedCompaction[],
	missingTokens: number,
): readonly CountedCompaction[] {
	const unconfirmed = compactions.filter(({ isConfirmed }) => !isConfirmed);
	const estimate = unconfirmed.reduce((sum, { tokens }) => sum + tokens, 0);
	if (unconfirmed.length === 0 || missingTokens < minConfirmedShare * estimate) return compactions;
	const share = estimate === 0 ? 0 : Math.min(1, missingTokens / estimate);
	return compactions.map((one) =>
		one.isConfirmed ? one : { ...one, tokens: share * one.tokens, isConfirmed: true },
	);
}

/** Returns the savings with another call. O(compactions). A call before the newest one is ignored. */
export function addCall(savings: Savings, call: CallWithUsage): Savings {
	const { seq, startedAt, promptTokens, cacheRead, grownTokens, isCold, windowTokens } = call;
	const { lastCall, remainingChecks } = savings;
	if (lastCall !== undefined && seq <= lastCall.seq) return savings;
	const nextCall = { seq, promptTokens, startedAt };
	// Without an earlier call, it is unknown how much smaller the compactions made this call.
	if (lastCall === undefined) return { ...savings, compactions: [], remainingChecks: 0, lastCall: nextCall };
	const confirmed = confirmEstimates(savings.compactions, lastCall.promptTokens + grownTokens - promptTokens);
	const isOpen = remainingChecks > 1 && confirmed.some(({ isConfirmed }) => !isConfirmed);
	const compactions = isOpen ? confirmed : confirmed.filter(({ isConfirmed }) => isConfirmed);
	const missingTokens = compactions.reduce((sum, one) => sum + (one.isConfirmed ? one.tokens : 0), 0);
	const avoidedTokens = Math.min(missingTokens, Math.max(0, windowTokens - promptTokens));
	const rewrittenTokens = Math.max(0, Math.min(promptTokens, lastCall.promptTokens) - cacheRead);
	return {
		unreadTokens: savings.unreadTokens + (isCold ? 0 : avoidedTokens),
		unwrittenTokens: savings.unwrittenTokens + (isCold ? avoidedTokens : 0),
		// After an expiry, the prompt would have been written again even without the compaction.
		rewrittenTokens: savings.rewrittenTokens + (remainingChecks > 0 && !isCold ? rewrittenTokens : 0),
		compactions,
		remainingChecks: isOpen ? remainingChecks - 1 : 0,
		lastCall: nextCall,
	};
}

/** Returns the net savings in tokens at the price of input; negative if the compactions cost more than they saved. */
export function computeSavedTokens(
	{ unreadTokens, unwrittenTokens, rewrittenTokens }: Savings,
	{ read, write }: Pick<CostBasis['prices'], 'read' | 'write'> = { read: inputPrice, write: inputPrice },
): number {
	return Math.round(
		read * unreadTokens + write * unwrittenTokens - Math.max(0, write - read) * rewrittenTokens,
	);
}
