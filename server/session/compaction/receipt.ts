/** What a compaction tells of itself. */

import type { Plan } from '../../core/compact/plan.ts';
import type { Removal } from '../../core/compact/planned.ts';
import type { Policy } from '../../core/compact/policy.ts';
import { repairsNeeded } from '../../core/history/pairs.ts';
import type { Protection } from '../../core/history/protection.ts';
import type { Unit } from '../../core/history/row.ts';
import type { State } from '../../core/history/state.ts';
import { readMeter } from '../../core/measure/estimate.ts';
import type { CompactResult, NoCompactionReason } from '../../protocol/compact.ts';

/** A plan, with what it was made under and the summary that it holds. */
export interface Proposal {
	plan: Plan;
	protection: Protection;
	summary?: CompactResult['summary'];
}

/** Tokens of the history, on the meter's scale. */
export function historyTokens(state: State): number {
	return readMeter(state.meter, state.totals, state.request).breakdown.conversationHistory;
}

/** Leading messages that a model's provider will find unchanged. */
function stablePrefix(before: readonly Unit[], after: readonly Unit[]): number {
	let count = 0;
	while (count < before.length && before[count]?.row === after[count]?.row) count++;
	return count;
}

/**
 * The price of the lost prompt cache: what stands behind the stable prefix is written anew at 1.25 times the
 * price of input (0.1 times where it is read from the cache), which the tokens saved win back call by call.
 */
export function cachePrice(
	after: number,
	saved: number,
	prefix: number,
	visible: number,
): CompactResult['cache'] {
	const rewrittenTokens = Math.round(after * (visible > 0 ? 1 - prefix / visible : 0));
	const paysBackAfterCalls = saved > 0 ? Math.ceil((1.15 * rewrittenTokens) / (0.1 * saved)) : 0;
	return { rewrittenTokens, paysBackAfterCalls };
}

function removedOf(removals: readonly Removal[]): CompactResult['removed'] {
	return removals.map(({ row, stage, change, tokens }) => ({
		messageId: row.id,
		stage,
		change,
		tokens,
		role: row.role,
		...(row.tool !== undefined && { toolName: row.tool }),
	}));
}

/** The answer of a compaction that did nothing. */
export function nothingDone(
	state: State,
	target: number,
	outcome: 'nothing_to_compact' | 'no_progress',
	reasonCode: NoCompactionReason,
	reason: string,
	stages: CompactResult['stages'] = [],
): CompactResult {
	const tokens = historyTokens(state);
	return {
		outcome,
		compacted: false,
		reason,
		reasonCode,
		stagesUsed: [],
		tokensBefore: tokens,
		tokensAfter: tokens,
		tokensSaved: 0,
		targetTokens: Math.round(target),
		stages,
		removed: [],
		repairs: repairsNeeded(state.view),
		stablePrefixMessages: state.view.length,
		cache: { rewrittenTokens: 0, paysBackAfterCalls: 0 },
	};
}

/** What a compaction did to a history: what was seen of it and its tokens, before and after. */
interface Effect {
	view: { before: readonly Unit[]; after: readonly Unit[] };
	tokensBefore: number;
	tokensAfter: number;
}

/** The stages that did something. */
export function stagesUsed({ stages }: Plan): CompactResult['stagesUsed'] {
	return stages.filter((stage) => stage.ran).map((stage) => stage.stage);
}

/** The answer of a compaction that did something; O(visible). */
export function resultOf(effect: Effect, proposal: Proposal, target: number, id: string): CompactResult {
	const { view, tokensBefore, tokensAfter } = effect;
	const { removed, stages, shortfall } = proposal.plan;
	const prefix = stablePrefix(view.before, view.after);
	const short = shortfall > Math.max(1, target * 0.02);
	return {
		outcome: 'compacted',
		compacted: true,
		compactionId: id,
		...(short && {
			reasonCode: 'protected_only' as const,
			reason: `${shortfall} tokens above the target are left: only protected messages and what cannot shrink remain`,
		}),
		stagesUsed: stagesUsed(proposal.plan),
		tokensBefore,
		tokensAfter,
		tokensSaved: tokensBefore - tokensAfter,
		targetTokens: Math.round(target),
		stages,
		removed: removedOf(removed),
		...(proposal.summary && { summary: proposal.summary }),
		repairs: repairsNeeded(view.after),
		stablePrefixMessages: prefix,
		cache: cachePrice(tokensAfter, tokensBefore - tokensAfter, prefix, view.after.length),
	};
}

/** The answer where the plan holds nothing: only protected messages are left, or nothing would get smaller. */
export function emptyPlan(
	state: State,
	made: Plan,
	target: number,
	policy: Policy,
	protection: Protection,
): CompactResult {
	if (Object.values(policy.stages).every((enabled) => !enabled)) {
		return nothingDone(
			state,
			target,
			'nothing_to_compact',
			'disabled',
			'every stage is disabled',
			made.stages,
		);
	}
	if (made.shortfall === 0) {
		const reason = `the history is within its target of ${Math.round(target)} tokens`;
		return nothingDone(state, target, 'nothing_to_compact', 'below_target', reason, made.stages);
	}
	const over = `${made.shortfall} tokens above the target are left`;
	if (state.view.every((unit) => protection.rows.has(unit.from))) {
		const reason = `${over}, and every message is protected`;
		return nothingDone(state, target, 'nothing_to_compact', 'protected_only', reason, made.stages);
	}
	const reason = `${over}, and nothing that may go would make it smaller`;
	return nothingDone(state, target, 'no_progress', 'no_progress', reason, made.stages);
}
