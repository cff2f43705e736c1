/** Decides whether a compaction of a session is due, by the setting `compaction.policy`. */

import { computeCacheState } from '../core/cost/cacheState.ts';
import { type DecidedPolicy, decideCompaction } from '../core/cost/policy.ts';
import { listNewestRequests } from '../core/cost/sessionRequests.ts';
import { computeSpentTokens } from '../core/cost/spent.ts';
import { collectPolicyFigures, type TargetBasis } from '../core/cost/target.ts';
import { listLiveSteps, type State } from '../core/history/state.ts';
import { withoutUndefined } from '../core/shape.ts';
import type { Session } from './session.ts';

/** Whether the provider's cache of a session's prompt has expired; false if its state is unknown. O(1). */
export function isCacheCold({ state, services }: Pick<Session, 'state' | 'services'>): boolean {
	const { provider, model } = state.info;
	const cache = computeCacheState(services.now(), { provider, model, requests: listNewestRequests(state) });
	return cache?.isWarm === false;
}

/** Whether a tool call of the newest message has no result yet. */
function hasOpenCalls({ view, rows, unansweredCalls }: State): boolean {
	const { batch = -1 } = view.at(-1)?.row ?? {};
	const calls = rows[batch]?.calls ?? [];
	return calls.some(({ id }) => unansweredCalls.get(id)?.includes(batch));
}

/** Returns the part of the last compaction's cost that has not paid back yet. Tokens at the input price. */
function computeUnpaidTokens(state: State, readPriceShare: number): number {
	const lastCompaction = listLiveSteps(state).findLast(({ receipt }) => receipt?.cache !== undefined);
	const { cache, tokensBefore = 0, tokensAfter = 0 } = lastCompaction?.receipt ?? {};
	if (lastCompaction === undefined || cache === undefined) return 0;
	let calls = 0;
	for (
		let seq = lastCompaction.rowCount;
		seq < state.rows.length && calls < cache.paysBackAfterCalls;
		seq++
	) {
		if (state.rows[seq]?.role === 'assistant') calls++;
	}
	const savedTokens = calls * readPriceShare * (tokensBefore - tokensAfter);
	return Math.max(0, Math.round(cache.costTokens - savedTokens));
}

/**
 * Decides whether a compaction is due. O(1).
 *
 * @param promptTokens tokens of the next request, on the meter's scale
 */
export function decideSessionCompaction(
	session: Session,
	basis: TargetBasis,
	promptTokens: number,
): DecidedPolicy {
	const { state } = session;
	const { prices } = basis;
	const figures = collectPolicyFigures(basis, promptTokens, {
		isCold: isCacheCold(session),
		hasOpenCalls: hasOpenCalls(state),
		owedTokens: prices === undefined ? 0 : computeUnpaidTokens(state, prices.read),
		...withoutUndefined({ spentTokens: prices && computeSpentTokens(state.spentUsage, prices) }),
	});
	return { figures, decision: decideCompaction(figures) };
}
