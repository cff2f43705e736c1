/** Creates the results that compactions report. */

import type { Plan } from '../../core/compact/plan/finishPlan.ts';
import type { Policy } from '../../core/compact/policy.ts';
import { tuning } from '../../core/compact/tuning.ts';
import { countRepairs } from '../../core/history/pairs.ts';
import type { Protection } from '../../core/history/protection.ts';
import type { Unit } from '../../core/history/row.ts';
import type { State } from '../../core/history/state.ts';
import { findFirstUnitFrom } from '../../core/history/unitLookup.ts';
import { ignoreShorterPrompt, type Meter } from '../../core/meter/meter.ts';
import { readMeter, weighRow } from '../../core/meter/reading.ts';
import type { SlicedTask } from '../../core/slices.ts';
import type { CompactResult, NoCompactionReason, StageOutcome } from '../../protocol/compact.ts';
import type { CacheCost } from '../../protocol/compaction.ts';
import type { WrittenSummary } from './modelSummary.ts';
import { targetTolerance } from './tuning.ts';

/** A plan, the messages that were protected during planning, and the summary. */
export interface Proposal {
	/** Id of the compaction. */
	id: string;
	plan: Plan;
	protection: Protection;
	/** The summary that was written for the plan; the plan may have rejected it. */
	written?: WrittenSummary;
	/** Version and measure of the session's state at planning. */
	base: Pick<State, 'version' | 'measure'>;
}

/** Returns the summary in a plan; if the plan has none, lists the models that were asked for it. */
export function extractSummary({ plan, written }: Proposal): Pick<CompactResult, 'summary' | 'warnings'> {
	if (!written) return {};
	const { text, by, attempts, warnings } = written;
	if (plan.patches.some((patch) => patch.replacement?.made === 'summary'))
		return { summary: { text, by, attempts }, warnings };
	return attempts.length > 0 ? { summary: { text: '', by: 'none', attempts } } : {};
}

/** Returns the tokens of the history, on the meter's scale. */
export function countHistoryTokens(state: State): number {
	return readMeter(state.meter, state.totals, state.request).breakdown.conversationHistory;
}

/** Converts a stage's outcome for a plan that was not applied: the history still has `tokens` tokens. */
function toDiscardedStage(stage: StageOutcome, tokens: number): StageOutcome {
	const savedTokens = stage.tokensBefore - stage.tokensAfter;
	return {
		...stage,
		...(stage.ran && {
			ran: false,
			reason: `it would have saved ${savedTokens} tokens, but was not applied`,
		}),
		tokensBefore: tokens,
		tokensAfter: tokens,
		messagesAffected: 0,
		...(stage.filesDeduped !== undefined && { filesDeduped: 0 }),
	};
}

/** Why a compaction changed nothing. */
interface NoopReason {
	outcome: 'nothing_to_compact' | 'no_progress';
	reasonCode: NoCompactionReason;
	reason: string;
	stages?: CompactResult['stages'];
}

/** Returns the result of a compaction that changed nothing. O(visible), in slices; the first slice reads the state. */
export function* createUnchangedResult(
	state: State,
	target: number,
	{ outcome, reasonCode, reason, stages = [] }: NoopReason,
): SlicedTask<CompactResult> {
	const tokens = countHistoryTokens(state);
	const view = [...state.view];
	const repairs = yield* countRepairs(view);
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
		stages: stages.map((stage) => toDiscardedStage(stage, tokens)),
		removed: [],
		repairs,
		stablePrefixMessages: view.length,
		cache: { rewrittenTokens: 0, costTokens: 0, paysBackAfterCalls: 0 },
	};
}

/** The change by a compaction: views and tokens before and after it. */
interface CompactionEffect {
	view: { before: readonly Unit[]; after: readonly Unit[] };
	/** The meter with which the views before and after are measured. */
	meter: Meter;
	tokensBefore: number;
	tokensAfter: number;
	/** Number of leading messages that did not change. */
	prefixLength: number;
	cache: CacheCost;
}

/** Names of the stages that changed something. */
export function listStagesUsed({ stages }: Plan): CompactResult['stagesUsed'] {
	return stages.filter((stage) => stage.ran).map((stage) => stage.stage);
}

/** Returns the tokens of the messages that no stage may change. O(protected · log visible). */
function countProtectedTokens(view: readonly Unit[], meter: Meter, { rows }: Protection): number {
	let tokens = 0;
	for (const seq of [...rows].sort((a, b) => a - b)) {
		for (let index = findFirstUnitFrom(view, seq); view[index]?.from === seq; index++) {
			const row = view[index]?.row;
			if (row) tokens += weighRow(meter, row);
		}
	}
	return Math.round(tokens);
}

/** Explains why a compaction ended above its target; empty if the target was met within the tolerance. */
function explainShortfall(
	target: number,
	{ view, meter }: CompactionEffect,
	{ plan: { shortfall }, protection }: Proposal,
): Pick<CompactResult, 'reason' | 'reasonCode'> {
	if (shortfall <= Math.max(1, target * targetTolerance)) return {};
	const shortfallText = `${shortfall} tokens above the target remain`;
	const protectedTokens = countProtectedTokens(view.before, meter, protection);
	if (protectedTokens <= tuning.target.protectedShareLimit * target)
		return { reason: `${shortfallText}: the enabled stages could remove no more` };
	const reason = `${shortfallText}: protected messages alone take ${protectedTokens}, and the remaining ones would not shrink`;
	return { reasonCode: 'protected_only', reason };
}

/** Warns if the newest usage figure belongs to a shorter prompt and our own count exceeds the target. */
function warnAboutShorterPrompt(target: number, { view, meter }: CompactionEffect): string[] {
	const counting = ignoreShorterPrompt(meter);
	if (counting === meter) return [];
	const tokens = Math.round(view.after.reduce((sum, { row }) => sum + weighRow(counting, row), 0));
	if (tokens <= target) return [];
	return [
		`the newest usage figure is of a prompt shorter than this history: by our own count, ${tokens} tokens remain`,
	];
}

/** Returns the result of an effective compaction. O(visible), in slices; the views must not change meanwhile. */
export function* createCompactionResult(
	effect: CompactionEffect,
	proposal: Proposal,
	target: number,
): SlicedTask<CompactResult> {
	const repairs = yield* countRepairs(effect.view.after);
	const { tokensBefore, tokensAfter, prefixLength, cache } = effect;
	const { removed, stages } = proposal.plan;
	const { summary, warnings: summaryWarnings = [] } = extractSummary(proposal);
	const warnings = [...proposal.plan.warnings, ...summaryWarnings, ...warnAboutShorterPrompt(target, effect)];
	return {
		outcome: 'compacted',
		compacted: true,
		compactionId: proposal.id,
		...explainShortfall(target, effect, proposal),
		stagesUsed: listStagesUsed(proposal.plan),
		tokensBefore,
		tokensAfter,
		tokensSaved: tokensBefore - tokensAfter,
		targetTokens: Math.round(target),
		stages,
		removed: removed.messages,
		...(summary && { summary }),
		repairs,
		...(warnings.length > 0 && { warnings }),
		stablePrefixMessages: prefixLength,
		cache,
	};
}

/** Returns the result of a compaction that was not applied because it would have saved too little. */
export function createTooSmallResult(
	state: State,
	target: number,
	savedTokens: number,
	plan: Plan,
): SlicedTask<CompactResult> {
	const { stages, shortfall } = plan;
	const above = shortfall > 0 ? `, and would leave ${shortfall} above the target` : '';
	const reason = `it would save ${savedTokens} of ${countHistoryTokens(state)} tokens${above}`;
	return createUnchangedResult(state, target, {
		outcome: 'nothing_to_compact',
		reasonCode: 'not_worth_it',
		reason,
		stages,
	});
}

/** Returns the compaction's result if none of the selected tool results can be cleared. */
export function createNothingToFreeResult(
	state: State,
	{ stages }: Plan,
	target: number,
): SlicedTask<CompactResult> {
	const reason = stages[0]?.reason ?? 'no selected result would become shorter';
	return createUnchangedResult(state, target, {
		outcome: 'nothing_to_compact',
		reasonCode: 'nothing_to_free',
		reason,
		stages,
	});
}

/** Returns the result for an empty plan, with the reason why nothing could be removed. */
export function createEmptyPlanResult(
	state: State,
	{ stages, shortfall }: Plan,
	{ targetTokens, policy }: { targetTokens: number; policy: Policy },
	protection: Protection,
): SlicedTask<CompactResult> {
	const createResult = (reasonCode: NoCompactionReason, reason: string): SlicedTask<CompactResult> =>
		createUnchangedResult(state, targetTokens, { outcome: 'nothing_to_compact', reasonCode, reason, stages });
	if (policy.contentToDrop.length > 0)
		return createResult('no_progress', stages[0]?.reason ?? 'nothing could be dropped');
	if (Object.values(policy.stages).every((isEnabled) => !isEnabled))
		return createResult('disabled', 'every stage is disabled');
	if (shortfall === 0) {
		return createResult(
			'below_target',
			`the history is within its target of ${Math.round(targetTokens)} tokens`,
		);
	}
	const shortfallText = `${shortfall} tokens above the target remain`;
	if (state.view.every((unit) => protection.rows.has(unit.from)))
		return createResult('protected_only', `${shortfallText}, and every message is protected`);
	const protectedTokens = countProtectedTokens(state.view, state.meter, protection);
	if (protectedTokens > targetTokens) {
		const excess = `protected messages alone take ${protectedTokens} tokens, more than the target of ${Math.round(targetTokens)}`;
		return createResult('protected_only', excess);
	}
	const noProgress = `${shortfallText}, and no allowed change would make it smaller`;
	return createUnchangedResult(state, targetTokens, {
		outcome: 'no_progress',
		reasonCode: 'no_progress',
		reason: noProgress,
		stages,
	});
}

/** Returns a warning for each user message of which a compaction removed the middle. */
export function describeCutMessages({ removed }: CompactResult): string[] {
	return removed
		.filter(({ role, change }) => role === 'user' && change === 'shortened')
		.map(
			({ messageId }) =>
				`removed the middle of user message ${messageId}, since the request would not fit otherwise`,
		);
}
