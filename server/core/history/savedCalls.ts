/** Updates the savings of a session's compactions as its records are applied. */

import { estimateCacheLifetimeMs, minCacheLifetimeMs } from '../cost/cacheState.ts';
import { addCall, addCompaction, dropLaterCompactions, noSavings, type Savings } from '../cost/saved.ts';
import { findArrivalTime, listNewestRequests } from '../cost/sessionRequests.ts';
import { isSameUsage } from '../cost/spent.ts';
import { sumPromptTokens } from '../meter/meter.ts';
import { countRowTokens } from '../meter/totals.ts';
import { lookupModel } from '../models/registry.ts';
import { isAgentCompaction } from '../transcript/index.ts';
import type { Seq } from './record.ts';
import type { State, Step } from './state.ts';

/** Minimum share of the previous prompt that a call reads from a cache that has not expired. */
const minReadShare = 0.5;

/** Whether the cache had expired before a call, judged by the call's start time and cached tokens. */
function isColdCall(state: State, startedAt: number, cacheRead: number): boolean {
	const { lastCall } = state.savings;
	if (lastCall === undefined || startedAt - lastCall.startedAt < minCacheLifetimeMs) return false;
	if (cacheRead >= minReadShare * lastCall.promptTokens) return false;
	const { provider, model } = state.info;
	const lifetimeMs = estimateCacheLifetimeMs(provider, model, listNewestRequests(state));
	return lifetimeMs !== undefined && startedAt - lastCall.startedAt > lifetimeMs;
}

/** Returns the tokens of the messages from the newest counted answer up to the answer `seq`. O(messages). */
function countGrownTokens({ rows, meter, savings: { lastCall } }: State, seq: Seq): number {
	let tokens = 0;
	for (let at = lastCall?.seq ?? seq; at < seq; at++) {
		const row = rows[at];
		if (row) tokens += (row.exact ? 1 : meter.factor) * countRowTokens(row);
	}
	return tokens;
}

/**
 * Returns savings that include the model call of a message. O(messages since the newest call).
 *
 * Two kinds of calls are not counted: calls before the session was created, which belong to the session that it was
 * forked from, and calls of a mirrored transcript, whose prompts the agent builds itself.
 *
 * @param at when the call's usage was recorded, in milliseconds since the epoch
 */
export function computeSavingsWithCall(state: State, seq: Seq, at: number): Savings {
	const { info, rows, savings } = state;
	const usage = rows[seq]?.usage;
	if (usage === undefined || isSameUsage(rows[seq - 1]?.usage, usage)) return savings;
	if (info.source !== undefined || at < info.createdAt) return noSavings;
	const { compactions, remainingChecks } = savings;
	const startedAt = findArrivalTime(state, seq - 1) ?? at;
	const cacheRead = usage.cacheRead ?? 0;
	const isCounted = compactions.length > 0 || remainingChecks > 0;
	return addCall(savings, {
		seq,
		startedAt,
		promptTokens: sumPromptTokens(usage),
		cacheRead,
		grownTokens: remainingChecks > 0 ? countGrownTokens(state, seq) : 0,
		isCold: isCounted && isColdCall(state, startedAt, cacheRead),
		windowTokens: compactions.length > 0 ? findWindow(state) : 0,
	});
}

/** Returns the window of a session's model, ignoring the user's settings, which are not recorded. Tokens. */
function findWindow({ info }: State): number {
	return info.contextWindow ?? lookupModel(info.provider, info.model).contextWindow;
}

/**
 * Returns the savings after a step.
 *
 * @param from the first row that the step changes
 */
export function computeSavingsAfterStep({ savings, info }: State, step: Step, from: Seq): Savings {
	const { id, cause, at, receipt, rowCount } = step;
	if (isAgentCompaction(id) || (cause !== 'compact' && cause !== 'recover'))
		return dropLaterCompactions(savings, from);
	if (receipt === undefined || at < info.createdAt) return savings;
	return addCompaction(savings, { id, rowCount, tokens: receipt.tokensBefore - receipt.tokensAfter });
}
