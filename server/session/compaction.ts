/** Making room: planned on a snapshot, admitted on the state of then, all or nothing. */

import type { Plan, PlannedPatch, Removal } from '../core/compact/plan.ts';
import { plan } from '../core/compact/plan.ts';
import type { Policy } from '../core/compact/policy.ts';
import type { CompactResult, NoCompactionReason } from '../core/compact/result.ts';
import { Failure } from '../core/failure.ts';
import { admit } from '../core/history/admit.ts';
import { nextSheet } from '../core/history/cut.ts';
import { evolve } from '../core/history/evolve.ts';
import { pairUp } from '../core/history/pairs.ts';
import { protectionOf } from '../core/history/protection.ts';
import type { Seq, StoredPatch, StoredRow, StoredStep } from '../core/history/record.ts';
import type { State } from '../core/history/state.ts';
import { sheetsInForce } from '../core/history/view.ts';
import { readMeter } from '../core/measure/estimate.ts';
import { encodeBody, resolve } from './bodies.ts';
import { createMaterial } from './material.ts';
import { commit, type Session } from './session.ts';
import type { SessionStore } from './store.ts';
import { writeSummary } from './summary.ts';

export interface CompactionOrder {
	cause: 'compact' | 'recover';
	policy: Policy;
	/** Tokens that the history should come down to. */
	target: number;
	preserve?: readonly string[];
	dryRun: boolean;
	signal: AbortSignal;
	/** Told as the work goes on. */
	report(what: string, percentage: number): void;
}

/** How often a plan is made again when the history changed under it. */
const attempts = 3;

interface Proposal {
	plan: Plan;
	summary?: CompactResult['summary'];
}

function cutRows(state: State): (seq: Seq) => boolean {
	const cut = sheetsInForce(state)
		.filter((sheet) => !sheet.lossy)
		.flatMap((sheet) => sheet.patches);
	return (seq) => cut.some((patch) => seq >= patch.from && seq < patch.to);
}

async function propose(
	store: SessionStore,
	session: Session,
	order: CompactionOrder,
	id: string,
): Promise<Proposal> {
	const { world, bodies } = store;
	const { state } = session;
	const { provider, model } = state.info;
	const measure = world.measures.for(provider, model, world.settings().estimator);
	const view = [...state.view];
	const pause = async (): Promise<void> => {
		order.signal.throwIfAborted();
		await world.pause();
		order.signal.throwIfAborted();
	};
	const read = async (rows: Parameters<typeof resolve>[2]) =>
		(await resolve(session, bodies, rows)).map(({ message }) => message);
	const material = createMaterial(read, pause, measure.countText);
	let summary: CompactResult['summary'];
	const made = await plan({
		view,
		rows: state.rows,
		meter: state.meter,
		protection: protectionOf(state, order.preserve),
		policy: order.policy,
		target: order.target,
		cut: cutRows(state),
		ids: { summary: `summary-${id}`, marker: `truncation-marker-${id}` },
		effects: { read, pause, countText: measure.countText, countMessage: measure.countMessage },
		weigh: () => material.weigh(view.filter((unit) => unit.sheet === 0).map((unit) => unit.row)),
		bestLines: material.bestLines,
		async summarize(task) {
			order.report('writing the summary', 60);
			summary = await writeSummary(task, material, measure.countText);
			return summary.text;
		},
	});
	return { plan: made, ...(made.patches.some((patch) => patch.show?.made === 'summary') && { summary }) };
}

function storedRow(
	patch: PlannedPatch,
	state: State,
	digest: (text: string) => string,
	body: number,
): StoredRow | undefined {
	const { show } = patch;
	if (!show) return undefined;
	const own = state.rows[patch.from];
	const inPlace = own !== undefined && own.id === show.message.id;
	const content = JSON.stringify(show.message.content);
	return {
		...(inPlace && {
			...(own.calls && { calls: own.calls }),
			...(own.answers !== undefined && { answers: own.answers }),
			...(own.tool !== undefined && { tool: own.tool }),
			...(own.isError && { isError: own.isError }),
			...(own.stopReason !== undefined && { stopReason: own.stopReason }),
			...(own.touches && { touches: own.touches }),
			...(own.injected && { injected: own.injected }),
			...(own.at !== undefined && { at: own.at }),
		}),
		id: show.message.id,
		role: show.message.role,
		counts: show.counts,
		made: show.made,
		digest: digest(content),
		chars: content.length,
		body,
	};
}

/** The record of a plan, with the bodies of what it shows. */
function stepOf(
	store: SessionStore,
	state: State,
	order: CompactionOrder,
	made: Plan,
	id: string,
): { step: StoredStep; bodies: string[] } {
	const bodies: string[] = [];
	const no = nextSheet(state);
	const patches = made.patches.map((patch): StoredPatch => {
		const show = storedRow(patch, state, store.world.digest, bodies.length);
		if (patch.show && show) {
			const group =
				show.made === 'summary' ? { condenseId: id } : show.made === 'marker' ? { truncationId: id } : {};
			bodies.push(encodeBody('contextd', { ...patch.show.message, ...group }));
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
		cause: order.cause,
		at: store.world.now(),
		sheet: { no, lossy: true, patches },
		on: [no],
		off: [],
	};
	return { step, bodies };
}

/** What a state would be after a step, without touching it. */
function simulate(state: State, step: StoredStep): State {
	const copy: State = {
		...state,
		sheets: new Map(state.sheets),
		on: new Set(state.on),
		steps: [...state.steps],
		marks: new Map(state.marks),
	};
	const nowhere = { offset: 0, length: 0, crc: 0 };
	const bodies = (step.sheet?.patches ?? []).map(() => nowhere);
	evolve(copy, { t: 'step', step }, bodies);
	return copy;
}

function historyTokens(state: State): number {
	return readMeter(state.meter, state.totals, state.request).breakdown.conversationHistory;
}

/** Leading messages that a model's provider will find unchanged. */
function stablePrefix(before: State, after: State): number {
	let count = 0;
	while (count < before.view.length && before.view[count]?.row === after.view[count]?.row) count++;
	return count;
}

/**
 * The price of the lost prompt cache: what stands behind the stable prefix is written anew at 1.25 times the
 * price of input (0.1 times where it is read from the cache), which the tokens saved win back call by call.
 */
function cachePrice(after: number, saved: number, prefix: number, visible: number): CompactResult['cache'] {
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
	const { orphanedCallsFixed, orphanedResultsFixed } = pairUp(state.view);
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
		repairs: { orphanedCallsFixed, orphanedResultsFixed },
		stablePrefixMessages: state.view.length,
		cache: { rewrittenTokens: 0, paysBackAfterCalls: 0 },
	};
}

function resultOf(
	before: State,
	after: State,
	proposal: Proposal,
	order: CompactionOrder,
	id: string,
): CompactResult {
	const tokensBefore = historyTokens(before);
	const tokensAfter = historyTokens(after);
	const { removed, stages, shortfall } = proposal.plan;
	const prefix = stablePrefix(before, after);
	const short = shortfall > Math.max(1, order.target * 0.02);
	const { orphanedCallsFixed, orphanedResultsFixed } = pairUp(after.view);
	return {
		outcome: 'compacted',
		compacted: true,
		compactionId: id,
		...(short && {
			reasonCode: 'protected_only' as const,
			reason: `${shortfall} tokens above the target are left: only protected messages and what cannot shrink remain`,
		}),
		stagesUsed: stages.filter((stage) => stage.ran).map((stage) => stage.stage),
		tokensBefore,
		tokensAfter,
		tokensSaved: tokensBefore - tokensAfter,
		targetTokens: Math.round(order.target),
		stages,
		removed: removedOf(removed),
		...(proposal.summary && { summary: proposal.summary }),
		repairs: { orphanedCallsFixed, orphanedResultsFixed },
		stablePrefixMessages: prefix,
		cache: cachePrice(tokensAfter, tokensBefore - tokensAfter, prefix, after.view.length),
	};
}

/** Nothing in the plan: only protected messages are left, or nothing would get smaller. */
function emptyPlan(state: State, order: CompactionOrder, made: Plan): CompactResult {
	const allOff = Object.values(order.policy.stages).every((enabled) => !enabled);
	if (allOff) {
		return nothingDone(
			state,
			order.target,
			'nothing_to_compact',
			'disabled',
			'every stage is disabled',
			made.stages,
		);
	}
	const protectedOnly = state.view.every((unit) => protectionOf(state, order.preserve).rows.has(unit.from));
	const reason = `${made.shortfall} tokens above the target are left, and nothing that may go would make it smaller`;
	const code = protectedOnly ? 'protected_only' : 'no_progress';
	return nothingDone(
		state,
		order.target,
		protectedOnly ? 'nothing_to_compact' : 'no_progress',
		code,
		reason,
		made.stages,
	);
}

/** Runs a compaction on a session that has messages. A cancelled one leaves the session as it was. */
export async function compact(
	store: SessionStore,
	session: Session,
	order: CompactionOrder,
): Promise<CompactResult> {
	const { state } = session;
	for (let attempt = 1; ; attempt++) {
		const version = state.version;
		const id = store.world.newId();
		const proposal = await propose(store, session, order, id);
		order.signal.throwIfAborted();
		const { plan: made } = proposal;
		if (made.patches.length === 0) return emptyPlan(state, order, made);
		const patches = made.patches.map(({ from, to, show }) => ({
			from,
			to,
			...(show && { show: { id: show.message.id, counts: show.counts } }),
		}));
		const refusal = admit(state, patches, protectionOf(state, order.preserve));
		if (refusal === 'grows') return emptyPlan(state, order, made);
		if (refusal) {
			// The history changed under the plan, or the plan is wrong: only the first is worth another try.
			if (state.version !== version && attempt < attempts) continue;
			throw new Failure('SummarizerFailed', `the compaction was refused: ${refusal}`, { refusal });
		}
		return apply(store, session, order, proposal, id);
	}
}

async function apply(
	store: SessionStore,
	session: Session,
	order: CompactionOrder,
	proposal: Proposal,
	id: string,
): Promise<CompactResult> {
	const { state } = session;
	const { step, bodies } = stepOf(store, state, order, proposal.plan, id);
	const after = simulate(state, step);
	const result = resultOf(state, after, proposal, order, id);
	if (result.tokensSaved <= 0) return emptyPlan(state, order, proposal.plan);
	if (order.dryRun) return { ...result, compactionId: undefined };
	const { tokensBefore, tokensAfter, stagesUsed } = result;
	const removed = proposal.plan.removed.map(({ row, stage, change, tokens }) => ({
		seq: row.seq,
		stage,
		change,
		tokens,
	}));
	await commit(
		store.world,
		session,
		{ t: 'step', step: { ...step, receipt: { tokensBefore, tokensAfter, stagesUsed, removed } } },
		bodies,
	);
	store.world.events.compacted(session.id, result);
	return result;
}
