/** Creates the steps that repeat rewinds and compactions of an agent's transcript in its session. */

import type {
	RemovedRows,
	Seq,
	StepReceipt,
	StoredPatch,
	StoredRow,
	StoredStep,
} from '../../core/history/record.ts';
import type { Row } from '../../core/history/row.ts';
import type { State } from '../../core/history/state.ts';
import { getMessageText } from '../../core/history/text.ts';
import { getNextLayerNumber } from '../../core/history/undo.ts';
import { listActiveLayers } from '../../core/history/view.ts';
import { readMeter, weighRow } from '../../core/meter/reading.ts';
import { pickDefined } from '../../core/shape.ts';
import { createAgentCompactionId } from '../../core/transcript/index.ts';
import type { IdentifiedMessage } from '../../protocol/conversation.ts';
import { encodeBody } from '../body.ts';
import type { SessionMeasure } from '../services.ts';
import { createAgentRewindId, createCompactionRowId, findUnusedRowId } from './mirrored.ts';

/** Returns the active layers with patches on both sides of a cut, lowest first: a rewind turns them off. O(later steps). */
function findLayersAcrossCut(state: State, from: Seq, mirroredLayers: ReadonlySet<number>): number[] {
	const crossing: number[] = [];
	for (let index = state.steps.length - 1; index >= 0; index--) {
		const { rowCount, sheet } = state.steps[index] as State['steps'][number];
		// A step covers only rows that existed then, so no earlier layer reaches beyond the cut.
		if (rowCount <= from) break;
		if (sheet === undefined || !state.activeLayers.has(sheet.no) || mirroredLayers.has(sheet.no)) continue;
		const { patches } = sheet;
		if (patches.some((patch) => patch.from < from) && patches.some((patch) => patch.to > from))
			crossing.push(sheet.no);
	}
	return crossing.toReversed();
}

/**
 * Returns the layers before a cut that become active again, because the compaction that turned them off is removed.
 *
 * O(steps), or O(1) if no compaction is removed.
 */
function findReactivatedLayers(state: State, from: Seq, removedLayers: readonly number[]): number[] {
	if (removedLayers.length === 0) return [];
	const before = new Set(listActiveLayers(state).map(({ no }) => no));
	const active = new Set(before);
	for (const { sheet, off } of state.steps.toReversed()) {
		if (sheet === undefined || !removedLayers.includes(sheet.no) || !active.delete(sheet.no)) continue;
		for (const no of off) active.add(no);
	}
	return state.steps.flatMap(({ sheet }) => {
		if (sheet === undefined || before.has(sheet.no) || !active.has(sheet.no)) return [];
		return sheet.patches.every((patch) => patch.to <= from) ? [sheet.no] : [];
	});
}

/**
 * Returns a step that hides the rows from `from` on, and turns off the agent's compactions after that row. Null if
 * nothing changes.
 * @param layers layer numbers of the agent's compactions after the cut, and of those before it, which stay
 */
export function createMirroredRewind(
	state: State,
	from: Seq,
	{
		removedLayers,
		retainedLayers,
	}: { removedLayers: readonly number[]; retainedLayers: ReadonlySet<number> },
	at: number,
): StoredStep | null {
	const hasCut = from < state.rows.length;
	const off = [
		...new Set([...removedLayers, ...(hasCut ? findLayersAcrossCut(state, from, retainedLayers) : [])]),
	];
	if (!hasCut && off.length === 0) return null;
	const no = getNextLayerNumber(state);
	const sheet = { no, lossy: false, patches: [{ from, to: state.rows.length }] };
	const reactivatedLayers = findReactivatedLayers(state, from, removedLayers);
	return {
		id: createAgentRewindId(no),
		cause: 'rewind',
		at,
		mirrored: true,
		...(hasCut && { sheet }),
		on: [...reactivatedLayers, ...(hasCut ? [no] : [])],
		off,
	};
}

/** One message that the model sees after its agent compacted: an existing row or a new message. */
export type RetainedRow = { seq: Seq } | { message: IdentifiedMessage };

export interface AgentCompaction {
	step?: StoredStep;
	bodies: string[];
	/** Messages that cannot replace a hidden row, and must be appended in order. */
	unplaced: (RetainedRow & { rowId: string })[];
}

/** Assigns positions to retained messages: rows stay, new messages replace hidden rows, others are appended. */
function assignPositions(
	retainedRows: readonly RetainedRow[],
	rowCount: Seq,
): {
	patches: Omit<StoredPatch, 'show'>[];
	replacementByRow: Map<Seq, IdentifiedMessage>;
	rest: RetainedRow[];
} {
	const patches: Omit<StoredPatch, 'show'>[] = [];
	const replacementByRow = new Map<Seq, IdentifiedMessage>();
	let position: Seq = 0;
	let pending: IdentifiedMessage[] = [];
	/** Lets waiting messages replace rows before `to`; returns the number of placed messages. */
	const replaceRowsBefore = (to: Seq): number => {
		const placedCount = Math.min(pending.length, to - position);
		for (const [index, message] of pending.slice(0, placedCount).entries()) {
			const from = position + index;
			replacementByRow.set(from, message);
			patches.push({ from, to: index === placedCount - 1 ? to : from + 1, behind: 'summary' });
		}
		if (placedCount === 0 && position < to) patches.push({ from: position, to, behind: 'summary' });
		return placedCount;
	};
	for (const [index, one] of retainedRows.entries()) {
		if ('message' in one) {
			pending.push(one.message);
			continue;
		}
		if (one.seq < position || one.seq - position < pending.length) {
			const placedCount = replaceRowsBefore(rowCount);
			return { patches, replacementByRow, rest: retainedRows.slice(index - pending.length + placedCount) };
		}
		replaceRowsBefore(one.seq);
		pending = [];
		position = one.seq + 1;
	}
	const placedCount = replaceRowsBefore(rowCount);
	return { patches, replacementByRow, rest: pending.slice(placedCount).map((message) => ({ message })) };
}

/**
 * Returns the agent's own compaction as a step, which can be undone like any compaction.
 *
 * The new messages in `retainedRows` replace all rows that the list does not name. Earlier compactions are turned off,
 * since this step also hides what they hid.
 */
export function createCompactionStep(
	state: State,
	retainedRows: readonly RetainedRow[],
	key: string,
	context: {
		at: number;
		measure: SessionMeasure;
		digest(text: string): string;
		/** What the agent reports about the compaction. */
		told?: StepReceipt['told'];
		/** Maximum tokens of later requests in addition to the messages, if known. */
		standing?: number;
	},
): AgentCompaction {
	const no = getNextLayerNumber(state);
	const id = createAgentCompactionId(no, key);
	const { patches: assigned, replacementByRow, rest } = assignPositions(retainedRows, state.rows.length);
	const bodies: string[] = [];
	const usedIds = new Set<string>();
	const patches = assigned.map((patch): StoredPatch => {
		const message = replacementByRow.get(patch.from);
		if (!message) return patch;
		const rowId = findUnusedRowId(message.id, (one) => state.index.has(one) || usedIds.has(one));
		usedIds.add(rowId);
		const show = createShownRow({ ...message, id: rowId }, bodies.length, context);
		bodies.push(encodeBody('contextd', { ...message, id: rowId, condenseId: id }));
		return { ...patch, show };
	});
	const withIds = rest.map((one, index) => ({ ...one, rowId: createCompactionRowId(id, index) }));
	if (state.rows.length === 0) return { bodies: [], unplaced: withIds };
	const unrecorded = Math.max(0, (state.meter.anchor?.other ?? 0) - (context.standing ?? Infinity));
	const step: StoredStep = {
		id,
		cause: 'compact',
		at: context.at,
		sheet: { no, lossy: true, patches },
		on: [no],
		off: listActiveLayers(state)
			.filter(({ lossy }) => lossy)
			.map((sheet) => sheet.no),
		...(unrecorded > 0 && { unrecorded }),
		receipt: { ...createReceipt(state, patches), ...(context.told && { told: context.told }) },
	};
	return { step, bodies, unplaced: withIds };
}

function createShownRow(
	message: IdentifiedMessage,
	body: number,
	{ measure, digest }: { measure: SessionMeasure; digest(text: string): string },
): StoredRow {
	const { id, role, content, toolCalls, toolCallId, toolName, timestamp } = message;
	return {
		id,
		role,
		counts: measure.countMessage(message),
		...(toolCalls?.length && { calls: toolCalls.map((call) => ({ id: call.id, name: call.name })) }),
		...pickDefined({ answers: toolCallId, tool: toolName, at: timestamp }),
		made: 'summary',
		digest: digest(JSON.stringify(content)),
		chars: getMessageText(message).length,
		body,
	};
}

/** Returns the receipt of an agent's compaction, in tokens on the meter's scale. */
function createReceipt(state: State, patches: readonly StoredPatch[]): StepReceipt {
	const tokensBefore = readMeter(state.meter, state.totals, state.request).breakdown.conversationHistory;
	const isHidden = (seq: Seq): boolean => patches.some((patch) => patch.from <= seq && seq < patch.to);
	const hiddenUnits = state.view.filter((unit) => isHidden(unit.from) && !state.pins.has(unit.from));
	const replacedRows = hiddenUnits.filter((unit) => unit.layer === 0).map(({ row }) => row);
	const removedRows: RemovedRows = {
		stage: 'summarize',
		change: 'replaced',
		seqs: replacedRows.map((row) => row.seq),
		tokens: replacedRows.map((row) => Math.round(weighRow(state.meter, row))),
	};
	const shownRows = patches.flatMap(({ from, show }) => {
		const originalRow = state.rows[from];
		return show && originalRow ? [{ ...originalRow, ...show, seq: from } as Row] : [];
	});
	const sumTokens = (rows: readonly Row[]): number =>
		rows.reduce((tokens, row) => tokens + weighRow(state.meter, row), 0);
	const after = tokensBefore - sumTokens(hiddenUnits.map(({ row }) => row)) + sumTokens(shownRows);
	return {
		tokensBefore,
		tokensAfter: Math.max(0, Math.round(after)),
		stagesUsed: ['summarize'],
		removed: [removedRows],
	};
}
