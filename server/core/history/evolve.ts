/** Applies records to a session's state. Nothing else changes a state, neither live nor when a journal is read. */

import type { Usage } from '../../protocol/conversation.ts';
import { removeCompactions } from '../cost/saved.ts';
import { addUsage, isSameUsage } from '../cost/spent.ts';
import {
	adjustOverhead,
	applyObservation,
	createEmptyMeter,
	createInitialMeter,
	invalidateFrom,
	isAggregatedUsage,
	isUsable,
	type Observation,
	sumCallTokens,
	sumPromptTokens,
} from '../meter/meter.ts';
import { readMeterTokens } from '../meter/reading.ts';
import { computeCorrection } from '../meter/refusal.ts';
import {
	addVisibleRow,
	anchorTotalsAt,
	countRowTokens,
	createEmptyTotals,
	insertIfLargest,
	mergeIntoHead,
	sumTally,
} from '../meter/totals.ts';
import { joinBatch } from './batch.ts';
import { applyInfoChange, changesModel, replaceWindow } from './infoChange.ts';
import type { BodyRef, JournalRecord, Seq, StoredPatch, StoredRow, StoredStep } from './record.ts';
import { finishRecount, recountRows } from './recountRows.ts';
import { createRow, type Row, type Unit } from './row.ts';
import { computeSavingsAfterStep, computeSavingsWithCall } from './savedCalls.ts';
import { listTouched, type Patch, type State, type Step, startRecount } from './state.ts';
import { addCheckpoint, dropNewerCheckpoints } from './undo.ts';
import { findFirstUnitFrom } from './unitLookup.ts';
import { composeView, composeViewAfterStep } from './view.ts';

/**
 * Applies a record to a state, in place. An append costs O(appended rows), a change of the view O(rows).
 *
 * @param bodies where the record's bodies are stored in the journal.
 * @param next a copy of this state to which the same record was already applied; its view and totals are reused.
 */
export function evolve(state: State, record: JournalRecord, bodies: readonly BodyRef[], next?: State): void {
	state.version++;
	if (next && next.version !== state.version) throw new RangeError('next is not a copy of this state');
	applyRecord(state, record, bodies, next);
}

function applyRecord(state: State, record: JournalRecord, bodies: readonly BodyRef[], next?: State): void {
	switch (record.t) {
		case 'open':
			state.info = record.info;
			state.measure = record.measure;
			state.answeredTokens = record.info.passed?.answered ?? 0;
			state.meter = createInitialMeter(record.measure, record.info.passed?.standing);
			state.updatedAt = record.info.createdAt;
			return;
		case 'set':
			if (changesModel(state.info, record.change)) state.answeredTokens = 0;
			state.info = applyInfoChange(state.info, record.change);
			return;
		case 'append':
			state.updatedAt = record.at;
			state.appendedAt = record.at;
			state.appends.push({ seq: state.rows.length, at: record.at });
			for (const storedRow of record.rows) appendRow(state, storedRow, bodies, record);
			return;
		case 'usage':
			state.updatedAt = record.at;
			applyLateUsage(state, record);
			return;
		case 'refusal':
			state.updatedAt = record.at;
			// The error's token count corrects the weight of the history until the next answer reports usage.
			state.meter = { ...state.meter, correction: computeCorrection(state.meter, state.totals, record) };
			return;
		case 'unlearn':
			state.updatedAt = record.at;
			state.meter = { ...state.meter, correction: record.correction };
			if (record.window) state.info = replaceWindow(state.info, record.window);
			return;
		case 'request':
			state.request = record.counts;
			state.requestMaxOutputTokens = record.maxOutputTokens;
			state.requestRef = bodies[record.body];
			return;
		case 'recounted':
			recountRows(state, record.from, record.rows);
			// Old and new counts are mixed until the last part arrives. If it never arrives, an empty measure causes a
			// full recount.
			state.measure = '';
			return;
		case 'recount':
			applyRecount(state, record);
			return;
		case 'step':
			state.updatedAt = record.step.at;
			applyStep(state, record.step, bodies, next);
			return;
		case 'decision':
			state.decidedReason = record.policy.decision.reason;
			return;
		case 'undo':
			state.updatedAt = record.at;
			undoSteps(state, record);
			return;
		case 'pin':
			applyPins(state, record);
			return;
		case 'mark':
			addCheckpoint(state, record);
			return;
		case 'unmark':
			state.checkpoints.delete(record.id);
			return;
		case 'read': {
			const { t: _, ...read } = record;
			state.announcedReads.push({ ...read, seq: state.rows.length });
			return;
		}
	}
}

function requireBodyRef(storedRow: StoredRow, bodies: readonly BodyRef[]): BodyRef {
	const ref = bodies[storedRow.body];
	if (!ref) throw new RangeError(`record names body ${storedRow.body}, but has ${bodies.length}`);
	return ref;
}

function appendRow(
	state: State,
	storedRow: StoredRow,
	bodies: readonly BodyRef[],
	{ at, window }: Extract<JournalRecord, { t: 'append' }>,
): void {
	const seq = state.rows.length;
	const row = createRow(storedRow, seq, seq, requireBodyRef(storedRow, bodies));
	state.rows.push(row);
	state.index.set(row.id, seq);
	joinBatch(state, row);
	if (row.pinned) state.pins.add(seq);
	if (isUsable(row.usage, row.stopReason) && !isSameUsage(state.rows[seq - 1]?.usage, row.usage))
		state.spentUsage = addUsage(state.spentUsage, row.usage);
	const unit: Unit = { row, from: seq, to: seq + 1, layer: 0 };
	state.units.push(unit);
	state.view.push(unit);
	if (row.role === 'assistant' && isUsable(row.usage, row.stopReason)) {
		const observation: Observation = {
			seq,
			usage: row.usage,
			answerTokens: countRowTokens(row),
			headTokens: sumTally(state.totals.head) + sumTally(state.totals.anchor) + sumTally(state.totals.tail),
			exactTokens: sumTally(state.totals.exact),
			windowTokens: window,
			request: state.request,
			measure: state.measure,
		};
		if (applyUsage(state, observation)) {
			mergeIntoHead(state.totals);
			state.savings = computeSavingsWithCall(state, seq, at);
		}
	}
	addVisibleRow(state.totals, row, getAnchorSeq(state));
	insertIfLargest(state.largest, unit);
	if (row.role === 'assistant') addUsagePoint(state, row.id, row.at ?? at);
}

/** Applies the usage of one call. Returns false, and ignores the usage, if it is the sum of several calls. */
function applyUsage(state: State, observation: Observation): boolean {
	if (isAggregatedUsage(observation)) return false;
	state.meter = applyObservation(state.meter, observation);
	state.answeredTokens = Math.max(state.answeredTokens, sumPromptTokens(observation.usage));
	checkLearnedWindow(state, observation.usage);
	return true;
}

function getAnchorSeq(state: State): Seq {
	return state.meter.anchor?.seq ?? -1;
}

function addUsagePoint(state: State, messageId: string, at: number): void {
	state.usagePoints.push({
		messageId,
		at,
		...readMeterTokens(state.meter, state.totals, removeCurrentPrompt(state)),
	});
}

/** Returns the request without its prompt, which became part of the history when the request was answered. */
const removeCurrentPrompt = (state: State): State['request'] => ({ ...state.request, currentPrompt: 0 });

function applyLateUsage(state: State, record: Extract<JournalRecord, { t: 'usage' }>): void {
	const seq = state.index.get(record.id);
	const row = seq === undefined ? undefined : state.rows[seq];
	if (seq === undefined || !row) throw new RangeError(`usage for unknown message ${record.id}`);
	if (isUsable(record.usage, undefined))
		state.spentUsage = addUsage(state.spentUsage, record.usage, row.usage);
	row.usage = record.usage;
	if (record.stopReason !== undefined) row.stopReason = record.stopReason;
	if (record.isStale) return;
	// Usage from before the last change of the view, or before newer usage, describes an outdated history.
	if (seq < state.lastViewChangeSeq || seq < getAnchorSeq(state)) return;
	if (!isUsable(row.usage, row.stopReason)) {
		// The answer looked complete but was cut off, so its usage no longer counts.
		state.meter = invalidateFrom(state.meter, seq);
		return;
	}
	const index = state.view.findLastIndex((unit) => unit.row === row);
	if (index < 0) return;
	const { all, throughAnchor, tokensBefore } = anchorTotalsAt(state.totals, state.view, index);
	const observation: Observation = {
		seq,
		usage: record.usage,
		answerTokens: countRowTokens(row),
		headTokens: tokensBefore,
		exactTokens: sumTally(throughAnchor.exact) - (row.exact ? countRowTokens(row) : 0),
		windowTokens: record.window,
		request: state.request,
		measure: state.measure,
	};
	if (!applyUsage(state, observation)) return;
	state.savings = computeSavingsWithCall(state, seq, record.at);
	state.totals = all;
	const position = state.usagePoints.findLastIndex((one) => one.messageId === record.id);
	const point = state.usagePoints[position];
	if (!point) return;
	// Replaces the point instead of changing it, because readers may still use the old object.
	state.usagePoints[position] = {
		...point,
		...readMeterTokens(state.meter, throughAnchor, removeCurrentPrompt(state)),
	};
}

/** Restores the earlier window if an answered prompt was larger than the learned window allows. */
function checkLearnedWindow(state: State, usage: Usage): void {
	const { contextWindow, refusedPrompt = Number.POSITIVE_INFINITY } = state.info;
	if (contextWindow === undefined) return;
	if (sumCallTokens(usage) <= contextWindow && sumPromptTokens(usage) < refusedPrompt) return;
	dropLearnedWindow(state);
}

/** Restores the window that was known before one was learned from an overflow. */
function dropLearnedWindow(state: State): void {
	const { contextWindowLearned, contextWindowBefore } = state.info;
	if (contextWindowLearned) state.info = replaceWindow(state.info, { contextWindow: contextWindowBefore });
}

function applyRecount(state: State, record: Extract<JournalRecord, { t: 'recount' }>): void {
	const isWhole = recountRows(state, record.from ?? 0, record.rows);
	for (const [no, index, counts] of record.shown) {
		const patch = state.layers.get(no)?.patches[index];
		if (patch?.show) patch.show = { ...patch.show, counts };
	}
	state.request = record.request;
	state.measure = isWhole ? record.measure : '';
	state.meter = createEmptyMeter();
	if (state.recountProgress.view === state.view) finishRecount(state);
	else recomposeView(state);
	state.recountProgress = startRecount([]);
}

function recomposeView(state: State, view = composeView(state)): void {
	state.view = view;
	const anchor = getAnchorSeq(state);
	const totals = createEmptyTotals();
	const largest: Unit[] = [];
	// Computes both in one pass, because each pass over a million rows is slow.
	view.forEach((unit) => {
		addVisibleRow(totals, unit.row, anchor);
		insertIfLargest(largest, unit);
	});
	state.totals = totals;
	state.largest = largest;
}

function showRow(stored: StoredRow, patch: StoredPatch, state: State, bodies: readonly BodyRef[]): Row {
	const row = state.rows[patch.from];
	const isInPlace = row !== undefined && patch.to - patch.from === 1 && row.id === stored.id;
	const batch = isInPlace ? row.batch : patch.from;
	return createRow(stored, patch.from, batch, requireBodyRef(stored, bodies));
}

/** Returns the first row that looks different after a step's layers are applied or reverted. */
function findFirstChangedRow(state: State, step: Step): Seq {
	return listTouched(state, step).reduce(
		(lowest, { from }) => Math.min(lowest, from),
		Number.POSITIVE_INFINITY,
	);
}

function applyStep(state: State, storedStep: StoredStep, bodies: readonly BodyRef[], next?: State): void {
	const patches: Patch[] | undefined = storedStep.sheet?.patches.map((patch) => ({
		from: patch.from,
		to: patch.to,
		...(patch.show && { show: showRow(patch.show, patch, state, bodies) }),
		...(patch.behind && { behind: patch.behind }),
	}));
	const sheet = storedStep.sheet && patches && { ...storedStep.sheet, patches };
	const step: Step = { ...storedStep, sheet, rowCount: state.rows.length };
	if (sheet) state.layers.set(sheet.no, sheet);
	for (const no of step.off) state.activeLayers.delete(no);
	for (const no of step.on) state.activeLayers.add(no);
	state.steps.push(step);
	state.decidedReason = undefined;
	state.lastViewChangeSeq = state.rows.length;
	state.revision = state.version;
	if (step.cause === 'compact' || step.cause === 'recover') state.isAutoCompactPaused = false;
	if (step.mark !== undefined) dropNewerCheckpoints(state, step.mark, step.id);
	const from = findFirstChangedRow(state, step);
	state.savings = computeSavingsAfterStep(state, step, from);
	state.meter = adjustOverhead(invalidateFrom(state.meter, from), -(step.unrecorded ?? 0));
	if (next) adoptNextState(state, step, next);
	else recomposeView(state, composeViewAfterStep(state, step));
}

/** Adopts view and totals of a copy to which the step was applied, and corrects the body references of new rows. */
function adoptNextState(state: State, { sheet }: Step, { view, totals, largest }: State): void {
	const units = view.slice();
	let index = 0;
	for (const { from, show } of sheet?.patches ?? []) {
		if (!show) continue;
		index = findFirstUnitFrom(units, from, index);
		const unit = units[index];
		if (unit?.from === from && unit.layer === sheet?.no) units[index] = { ...unit, row: show };
	}
	state.view = units;
	state.totals = totals;
	state.largest = largest.map((unit) =>
		unit.layer === sheet?.no ? (units[findFirstUnitFrom(units, unit.from)] ?? unit) : unit,
	);
}

function undoSteps(state: State, { steps, isRestore }: Extract<JournalRecord, { t: 'undo' }>): void {
	for (const id of steps) {
		const step = state.steps.find((one) => one.id === id);
		if (!step) throw new RangeError(`undo of unknown step ${id}`);
		for (const no of step.on) state.activeLayers.delete(no);
		for (const no of step.off) state.activeLayers.add(no);
		state.undoneStepIds.add(id);
		for (const checkpoint of state.checkpoints.values())
			if (checkpoint.droppedBy === id) checkpoint.droppedBy = undefined;
		const isCompaction = step.cause === 'compact' || step.cause === 'recover';
		if (isCompaction && !isRestore) state.isAutoCompactPaused = true;
		// The history that the user wants back may exceed the limit that caused the compaction.
		if (isCompaction) dropLearnedWindow(state);
		state.meter = adjustOverhead(
			invalidateFrom(state.meter, findFirstChangedRow(state, step)),
			step.unrecorded ?? 0,
		);
	}
	state.savings = removeCompactions(state.savings, new Set(steps));
	state.lastViewChangeSeq = state.rows.length;
	state.revision = state.version;
	recomposeView(state);
}

function applyPins(state: State, record: Extract<JournalRecord, { t: 'pin' }>): void {
	for (const seq of record.rows) {
		if (record.on) state.pins.add(seq);
		else state.pins.delete(seq);
	}
	for (const uri of record.uris) {
		if (record.on) state.pinnedUris.add(uri);
		else state.pinnedUris.delete(uri);
	}
	if (state.activeLayers.size === 0) return;
	state.revision = state.version;
	recomposeView(state);
}
