/** Applies the plan of a compaction to the current state and writes it to the journal, all or nothing. */

import type { PlannedPatch } from '../../core/compact/plan/finishPlan.ts';
import type { Policy } from '../../core/compact/policy.ts';
import { computeRewriteCost } from '../../core/cost/compactionCost.ts';
import type { DecidedPolicy } from '../../core/cost/policy.ts';
import { findSessionPrices } from '../../core/cost/sessionPrices.ts';
import { Failure } from '../../core/failure.ts';
import { admit } from '../../core/history/admit.ts';
import { evolve } from '../../core/history/evolve.ts';
import type { StoredPatch, StoredRow, StoredStep } from '../../core/history/record.ts';
import type { Unit } from '../../core/history/row.ts';
import type { State } from '../../core/history/state.ts';
import { getNextLayerNumber } from '../../core/history/undo.ts';
import { weighRow } from '../../core/meter/reading.ts';
import { pickDefined } from '../../core/shape.ts';
import type { SlicedTask } from '../../core/slices.ts';
import type { CompactResult } from '../../protocol/compact.ts';
import type { CacheCost } from '../../protocol/compaction.ts';
import type { FreeSelection } from '../../protocol/sources.ts';
import { encodeBody } from '../body.ts';
import { commit } from '../commit.ts';
import { isCacheCold } from '../contextUsage.ts';
import { runInSlices, type SessionServices } from '../services.ts';
import type { Session } from '../session.ts';
import {
	countHistoryTokens,
	createCompactionResult,
	createEmptyPlanResult,
	createNothingToFreeResult,
	createTooSmallResult,
	createUnchangedResult,
	extractSummary,
	listStagesUsed,
	type Proposal,
} from './receipt.ts';
import { minSaving } from './tuning.ts';

/** Why and for which target a plan was made, and what it must fulfil to be applied. */
export interface ApplyOptions {
	cause: 'compact' | 'recover';
	policy: Policy;
	/** Target size of the history, in tokens. */
	targetTokens: number;
	/** The decision that made the compaction due; absent if the user requested it. */
	decidedPolicy?: DecidedPolicy;
	/** Clears only the outdated results of these files and commands. */
	free?: FreeSelection;
	/** Returns why the planned history is refused, so that nothing changes; undefined if it is accepted. */
	findRefusal?(after: State): string | undefined;
}

/**
 * Applies a plan if it is accepted and saves enough; returns the result, with the reason if nothing changed.
 *
 * A refused plan fails with `CompactionFailed`. If the history changed since planning, a new plan may be accepted: with
 * `canRetry`, returns undefined instead of failing.
 */
export async function applyPlan(
	session: Session,
	options: ApplyOptions,
	proposal: Proposal,
	canRetry: boolean,
): Promise<CompactResult | undefined> {
	const { state, services } = session;
	const { plan, protection, base } = proposal;
	const run = (task: SlicedTask<CompactResult>): Promise<CompactResult> => runInSlices(task, services);
	const createUnchanged = async (): Promise<CompactResult> => {
		const { summary } = extractSummary(proposal);
		const result = options.free
			? createNothingToFreeResult(state, plan, options.targetTokens)
			: createEmptyPlanResult(state, plan, options, protection);
		return { ...(await run(result)), ...(summary?.text === '' && { summary }) };
	};
	if (plan.patches.length === 0) return createUnchanged();
	const patches = plan.patches.map(({ from, to, replacement: show }) => ({
		from,
		to,
		...(show && { show: { id: show.message.id, counts: show.counts } }),
	}));
	const refusal = state.measure === base.measure ? admit(state, patches, protection) : 'recounted';
	if (refusal === 'grows') return createUnchanged();
	if (refusal) {
		if (state.version !== base.version && canRetry) return undefined;
		throw new Failure('CompactionFailed', `the compaction was refused: ${refusal}`, { refusal });
	}
	const { step, bodies } = createStepRecord(services, state, proposal, options.cause);
	const after = computeStateAfterStep(state, step);
	const tokensBefore = countHistoryTokens(state);
	const tokensSaved = tokensBefore - countHistoryTokens(after);
	if (tokensSaved <= 0) return createUnchanged();
	const isNeeded = options.free || options.cause === 'recover' || options.policy.cutUserMessages !== 'never';
	if (!isNeeded && !isSavingWorthIt(tokensSaved, tokensBefore))
		return run(createTooSmallResult(state, options.targetTokens, tokensSaved, plan));
	const reason = options.findRefusal?.(after);
	if (reason !== undefined) {
		const { stages } = plan;
		const noProgress = { outcome: 'no_progress', reasonCode: 'no_progress', reason, stages } as const;
		return run(createUnchangedResult(state, options.targetTokens, noProgress));
	}
	return commitStep(session, options, proposal, { step, bodies, after });
}

/**
 * Whether a compaction saves enough to be worth its costs. Used if requests would also fit without the compaction.
 *
 * Each compaction invalidates the provider's prompt cache, and hides original messages from the model.
 */
function isSavingWorthIt(tokensSaved: number, tokensBefore: number): boolean {
	return tokensSaved >= minSaving.tokens && tokensSaved >= minSaving.share * tokensBefore;
}

/** Returns the number of leading messages that did not change, for which the provider's cache still applies. */
function countStablePrefix(before: readonly Unit[], after: readonly Unit[]): number {
	let count = 0;
	while (count < before.length && before[count]?.row === after[count]?.row) count++;
	return count;
}

/** A history after a compaction. */
interface RewrittenHistory extends Pick<State, 'view' | 'meter' | 'rows' | 'info'> {
	/** Set if the provider's cache had expired, so that the whole prompt would have been written in any case. */
	wasCold?: true;
}

/**
 * Returns what a compaction costs at a provider that caches only the unchanged prefix. O(visible).
 * @param prefixLength number of leading messages of the state's view that did not change
 * @param savedTokens tokens by which the history became smaller
 */
export function computeCacheCost(
	{ view, meter, rows, info, wasCold }: RewrittenHistory,
	prefixLength: number,
	savedTokens: number,
): CacheCost {
	let tokens = 0;
	for (let index = prefixLength; index < view.length; index++) {
		const row = view[index]?.row;
		if (row) tokens += weighRow(meter, row);
	}
	const rewrittenTokens = Math.round(tokens);
	const prices = findSessionPrices(rows, info.provider, info.model);
	const cost =
		prices && !wasCold
			? computeRewriteCost(rewrittenTokens, savedTokens, prices)
			: { costTokens: 0, paysBackAfterCalls: 0 };
	return { rewrittenTokens, ...cost, ...pickDefined({ wasCold }) };
}

/** Writes a step to the journal with its receipt; returns the compaction's result. */
async function commitStep(
	session: Session,
	options: ApplyOptions,
	proposal: Proposal,
	{ step, bodies, after }: ReturnType<typeof createStepRecord> & { after: State },
): Promise<CompactResult> {
	const { state, services } = session;
	const { meter } = state;
	const { plan } = proposal;
	const tokensBefore = countHistoryTokens(state);
	const tokensAfter = countHistoryTokens(after);
	const prefixLength = countStablePrefix(state.view, after.view);
	const wasCold = isCacheCold(session) ? { wasCold: true as const } : {};
	const history = { ...state, ...wasCold, view: after.view };
	const cache = computeCacheCost(history, prefixLength, tokensBefore - tokensAfter);
	const view = { before: state.view, after: after.view };
	const effect = { view, meter, tokensBefore, tokensAfter, prefixLength, cache };
	const stagesUsed = listStagesUsed(plan);
	const receipt = {
		tokensBefore,
		tokensAfter,
		stagesUsed,
		removed: plan.removed.rows,
		targetTokens: Math.round(options.targetTokens),
		cache,
		...pickDefined({ policy: options.decidedPolicy }),
	};
	await commit(session, { t: 'step', step: { ...step, receipt } }, bodies, after);
	// A summary or marker replaced the messages that the prefetched summary describes.
	if (stagesUsed.includes('summarize') || stagesUsed.includes('truncate'))
		session.prefetch.summary = undefined;
	// Other tasks run first, because applying a step to a long history takes a hundred milliseconds.
	await services.pause();
	const result = await runInSlices(createCompactionResult(effect, proposal, options.targetTokens), services);
	services.events.notifyCompacted(session.id, result);
	await services.pause();
	return result;
}

function createStoredRow(
	patch: PlannedPatch,
	state: State,
	digest: (text: string) => string,
	body: number,
): StoredRow | undefined {
	const { replacement: show } = patch;
	if (!show) return undefined;
	const original = state.rows[patch.from];
	const isInPlace = original !== undefined && original.id === show.message.id;
	const { calls, answers, tool, isError, stopReason, touches, injected, at } = original ?? {};
	const content = JSON.stringify(show.message.content);
	return {
		...(isInPlace && pickDefined({ calls, answers, tool, isError, stopReason, touches, injected, at })),
		id: show.message.id,
		role: show.message.role,
		counts: show.counts,
		made: show.made,
		// A replacement gets the digest of the replaced message, so that a repeated result is still recognized.
		digest: isInPlace ? original.digest : digest(content),
		chars: content.length,
		body,
	};
}

/** Returns the record of a plan, and the serialized messages that the plan creates. */
function createStepRecord(
	services: Pick<SessionServices, 'digest' | 'now'>,
	state: State,
	{ id, plan }: Proposal,
	cause: ApplyOptions['cause'],
): { step: StoredStep; bodies: string[] } {
	const bodies: string[] = [];
	const no = getNextLayerNumber(state);
	const patches = plan.patches.map((patch): StoredPatch => {
		const show = createStoredRow(patch, state, services.digest, bodies.length);
		if (patch.replacement && show) {
			const group =
				show.made === 'summary' ? { condenseId: id } : show.made === 'marker' ? { truncationId: id } : {};
			bodies.push(encodeBody('contextd', { ...patch.replacement.message, ...group }));
		}
		const behind = patch.stage === 'summarize' ? 'summary' : 'marker';
		return {
			from: patch.from,
			to: patch.to,
			...(show && { show }),
			...((!show || show.made === 'summary' || show.made === 'marker') && { behind }),
		};
	});
	const step: StoredStep = {
		id,
		cause,
		at: services.now(),
		sheet: { no, lossy: true, patches },
		on: [no],
		off: [],
	};
	return { step, bodies };
}

/** Returns the state after a step; the given state is not changed. */
function computeStateAfterStep(state: State, step: StoredStep): State {
	const copy: State = {
		...state,
		layers: new Map(state.layers),
		activeLayers: new Set(state.activeLayers),
		steps: [...state.steps],
		checkpoints: new Map(state.checkpoints),
	};
	const emptyRef = { offset: 0, length: 0, crc: 0 };
	const bodies = (step.sheet?.patches ?? []).map(() => emptyRef);
	evolve(copy, { t: 'step', step }, bodies);
	return copy;
}
