/** `context/prepare`: what to send to the model next, made to fit where that is due. */

import type { Policy } from '../../core/compact/policy.ts';
import { resolvePolicy } from '../../core/compact/resolvePolicy.ts';
import { historyBudget, targetBelowTrigger } from '../../core/compact/target.ts';
import { Failure } from '../../core/failure.ts';
import { usageRatio } from '../../core/models/budget.ts';
import { contextState } from '../../core/models/profiles.ts';
import { isSilentOverflow } from '../../core/overflow/silent.ts';
import type { CompactResult, PrepareParams, PrepareResult } from '../../protocol/compact.ts';
import type { Asked } from '../../protocol/declaration.ts';
import type { ContextStats } from '../../protocol/stats.ts';
import { renderHistory } from '../history.ts';
import type { Session } from '../session.ts';
import { isCompactionDue, isJustCompacted, type Standing, standingOf, statsOf } from '../stats.ts';
import { compactAhead, stopAhead } from './ahead.ts';
import { compact } from './compact.ts';
import { ticketOf, type Watcher } from './request.ts';
import { hasStalled, noteProgress } from './stall.ts';
import { inOneAnswer } from './twoSteps.ts';

/** Share of what is available that user messages are cut for: a count to the brim fails for a small error. */
const belowBrim = 0.8;

/** What may run in a state: from the warning level prunes alone, the emergency cut on overflow alone. */
function policyIn(state: ContextStats['state'], policy: Policy): Policy {
	if (state === 'overflow') return policy;
	const all: Policy = { ...policy, emergencyCut: 'never' };
	if (state !== 'warning') return all;
	return { ...all, stages: { ...policy.stages, deduplicate: false, summarize: false, truncate: false } };
}

function ratioOf(standing: Standing): number {
	return usageRatio(standing.reading.tokens, standing.budget.available);
}

function stateOf(standing: Standing): ContextStats['state'] {
	return contextState(ratioOf(standing), standing.budget.thresholds);
}

/** The state whose means may be used: without a profile all may run whenever a compaction is due. */
function allowedState(session: Session, standing: Standing): ContextStats['state'] {
	return session.world.settings().compaction.profile === null ? 'overflow' : stateOf(standing);
}

function isLeftAlone(session: Session, standing: Standing): boolean {
	const { conversationHistory } = standing.reading.breakdown;
	return hasStalled(session, conversationHistory, allowedState(session, standing));
}

/** Whether to compact now: due by the threshold, or by the state where a profile is set, and not held off. */
function isDue(session: Session, standing: Standing): boolean {
	const { state } = session;
	const { compaction } = session.world.settings();
	if (!compaction.enabled || !session.journal) return false;
	const threatens = ratioOf(standing) >= standing.budget.thresholds.overflow;
	if (threatens) return true;
	if (state.heldOff || isJustCompacted(state)) return false;
	if (compaction.profile !== null && stateOf(standing) !== 'healthy') return true;
	return isCompactionDue(session, standing);
}

/** Whether compaction is not due yet, but will be soon. */
function isNear(session: Session, standing: Standing): boolean {
	const { state } = session;
	if (!session.world.settings().compaction.enabled || !session.journal) return false;
	if (state.heldOff || isJustCompacted(state) || isLeftAlone(session, standing)) return false;
	return ratioOf(standing) >= standing.budget.thresholds.warning;
}

async function makeRoom(
	session: Session,
	standing: Standing,
	target: number,
	cutUserMessages: Policy['cutUserMessages'],
	watcher: Watcher,
): Promise<CompactResult> {
	const settings = session.world.settings();
	const policy = resolvePolicy({ settings, contextWindow: standing.budget.contextWindow, cutUserMessages });
	return compact(session, {
		cause: 'compact',
		policy: cutUserMessages === 'never' ? policyIn(allowedState(session, standing), policy) : policy,
		target,
		signal: watcher.signal,
		report: watcher.report,
	});
}

/** What to say where a compaction came to little; the history is then left alone for a while. */
function stallWarning(session: Session, result: CompactResult, tried: ContextStats['state']): string[] {
	if (!noteProgress(session, result, tried)) return [];
	if (!result.compacted) return [`nothing could be compacted: ${result.reason}`];
	return [
		`the compaction saved ${result.tokensSaved} of ${result.tokensBefore} tokens: more of the same will not help`,
	];
}

function cutWarnings(result: CompactResult): string[] {
	const ids = result.removed
		.filter((one) => one.role === 'user' && one.change === 'shortened')
		.map((one) => one.messageId);
	return ids.map(
		(id) => `the middle of user message ${id} was cut, since the request could not fit otherwise`,
	);
}

/**
 * Some providers let a prompt beyond the window pass, and cut it off unseen: only the figures of the newest answer
 * show it. Room is made for the next call anyway; that the answer may not have seen everything must be said.
 */
function silentWarning(session: Session, standing: Standing): string[] {
	const row = session.state.view.findLast((unit) => unit.row.role === 'assistant')?.row;
	const { contextWindow } = standing.budget;
	if (!row) return [];
	// A figure that does not anchor the count is not of that call.
	const usage = session.state.meter.anchor?.seq === row.seq ? row.usage : undefined;
	if (!isSilentOverflow({ usage, stopReason: row.stopReason, contextWindow })) return [];
	return [
		`message ${row.id} was answered from a prompt that did not fit the window of ${contextWindow} tokens: its provider may have left parts of it out`,
	];
}

function exceeded(session: Session, standing: Standing, stagesUsed: CompactResult['stagesUsed']): Failure {
	const { reading, budget } = standing;
	return new Failure(
		'ContextBudgetExceeded',
		`the request has about ${reading.tokens} tokens, ${budget.available} are available, and nothing more can be taken out`,
		{
			sessionId: session.id,
			estimated: reading.tokens,
			available: budget.available,
			stagesUsed,
			breakdown: reading.breakdown,
		},
	);
}

interface Fitting {
	compaction: CompactResult | null;
	warnings: string[];
}

/** Compacts where that is due, and harder where the request would not fit otherwise. */
async function makeFit(session: Session, order: Asked<PrepareParams>, watcher: Watcher): Promise<Fitting> {
	const overlay = { request: order.request };
	const fitting: Fitting = { compaction: null, warnings: [] };
	let standing = await standingOf(session, overlay);
	const isOver = (): boolean => standing.reading.tokens > standing.budget.available;
	// Where the rest of the request leaves no room for any history, nothing that could be taken out of it helps.
	const isHopeless = historyBudget(standing.reading.breakdown, standing.budget.available) === 0;
	if (isHopeless && isOver()) throw exceeded(session, standing, []);
	let stall: string[] = [];
	if (isDue(session, standing)) {
		if (isLeftAlone(session, standing)) {
			stall = ['compaction has stalled: the history is left alone until it has changed'];
		} else {
			const settings = session.world.settings();
			const target = targetBelowTrigger(standing.reading.breakdown, standing.budget, settings);
			fitting.compaction = await makeRoom(session, standing, target, 'never', watcher);
			stall = stallWarning(session, fitting.compaction, allowedState(session, standing));
			standing = await standingOf(session, overlay);
		}
	}
	if (!isOver()) return { ...fitting, warnings: stall };
	const share = Math.min(1, Math.max(belowBrim, standing.budget.thresholds.compact));
	const target = historyBudget(standing.reading.breakdown, standing.budget.available * share);
	const again = await makeRoom(session, standing, target, 'when nothing else is left', watcher);
	fitting.warnings.push(...cutWarnings(again));
	fitting.compaction = inOneAnswer(fitting.compaction, again, session.state.view.length);
	standing = await standingOf(session, overlay);
	if (!isOver()) return fitting;
	throw exceeded(session, standing, fitting.compaction?.stagesUsed ?? []);
}

/**
 * The history for the next model call, compacted first where that is due. Fails with `ContextBudgetExceeded` where
 * it cannot be made to fit. With auto-compaction off nothing is touched: a warning says that it does not fit.
 */
export async function prepare(
	session: Session,
	order: Asked<PrepareParams>,
	watcher: Watcher,
): Promise<PrepareResult> {
	const overlay = { request: order.request };
	const standing = await standingOf(session, overlay);
	const warnings = silentWarning(session, standing);
	const isOff = !session.world.settings().compaction.enabled || !session.journal;
	const isOver = standing.reading.tokens > standing.budget.available;
	let compaction: CompactResult | null = null;
	if (isOff && isOver) {
		warnings.push(
			`about ${standing.reading.tokens} tokens do not fit into the ${standing.budget.available} available, and auto-compaction is off`,
		);
	} else if (!isOff && (isOver || (session.state.view.length > 0 && isDue(session, standing)))) {
		stopAhead(session);
		const fitting = await session.compacting.run(ticketOf(session, watcher), (signal) =>
			makeFit(session, order, { ...watcher, signal }),
		);
		compaction = fitting.compaction;
		warnings.push(...fitting.warnings);
	} else if (isNear(session, standing)) compactAhead(session);
	const rendered = await renderHistory(session, order.format);
	return {
		messages: rendered.messages,
		...(rendered.system !== undefined && { system: rendered.system }),
		stats: await statsOf(session, overlay),
		compaction,
		warnings: [...warnings, ...rendered.warnings],
	};
}
