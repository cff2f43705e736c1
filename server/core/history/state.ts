/** A session's state: the fold of its records. Only `evolve` changes it, live and in replay. */

import type { PolicyReason } from '../../protocol/compaction.ts';
import { noSavings, type Savings } from '../cost/saved.ts';
import { type SpentUsage, zeroSpentUsage } from '../cost/spent.ts';
import { Failure } from '../failure.ts';
import type { FileTouch } from '../files/touches/lineRange.ts';
import type { RequestCounts } from '../measure/measure.ts';
import { emptyMeter, type Meter } from '../meter/meter.ts';
import { emptyTotals, type Totals } from '../meter/totals.ts';
import type { BodyRef, Seq, SessionInfo, StoredPatch, StoredStep } from './record.ts';
import type { Row, Unit } from './row.ts';

export interface Patch extends Omit<StoredPatch, 'show'> {
	show?: Row;
}

/** Patches over the rows. Lossy layers come from compactions, the others cut off the end. */
export interface Layer {
	no: number;
	lossy: boolean;
	patches: Patch[];
}

/** A step that was taken, with its layer as stored in the state. */
export interface Step extends Omit<StoredStep, 'sheet'> {
	sheet?: Layer;
	/** Number of rows when the step was taken. */
	rows: Seq;
}

/** A checkpoint. */
export interface Checkpoint {
	id: string;
	label?: string;
	at: number;
	/** Number of rows when it was set. */
	seq: Seq;
	/** Number of messages visible when it was set. */
	messages: number;
	/** Layers that were active when it was set. */
	active: number[];
	/** Version of the state at its last use; the least recently used checkpoint is removed first. */
	used: number;
	/** Id of the rollback that went back before this checkpoint. */
	droppedBy?: string;
}

/** Usage of the window right after a message, for the timeline. */
export interface UsagePoint {
	messageId: string;
	at: number;
	tokens: number;
	source: 'reported' | 'anchored' | 'estimated';
}

/** A file read that the client announced. */
export interface AnnouncedRead {
	touch: FileTouch;
	messageId?: string;
	contentHash?: string;
	/** UTF-16 units that a message needs at least to show the read; absent if unknown. */
	chars?: number;
	at: number;
	/** Number of rows when it was announced. */
	seq: Seq;
}

/** A recount in progress: the rows counted so far, and their sums. */
export interface RecountProgress {
	/** Number of rows recounted, from the first on. */
	rows: number;
	/** The view when the recount began. If the view changes meanwhile, everything is summed up again. */
	view: readonly Unit[];
	/** Sums of the recounted rows that are visible as originals. */
	totals: Totals;
	/** The largest of these rows. */
	largest: Unit[];
}

export interface State {
	info: SessionInfo;
	/** Name of the measure that produced the counts. */
	measure: string;
	/** The recount in progress. */
	recounted: RecountProgress;
	rows: Row[];
	/** The unit of each row as it was appended. */
	units: Unit[];
	/** Ordinal by message id. */
	index: Map<string, Seq>;
	/** Calls without a result: the assistant rows by call id, oldest first. */
	unansweredCalls: Map<string, Seq[]>;
	layers: Map<number, Layer>;
	/** Numbers of the active layers. */
	active: Set<number>;
	steps: Step[];
	undone: Set<string>;
	pins: Set<Seq>;
	pinnedUris: Set<string>;
	checkpoints: Map<string, Checkpoint>;
	reads: AnnouncedRead[];
	request: RequestCounts;
	/** Output limit of the next model call, if the client stated it. */
	requestMaxOutputTokens?: number;
	requestRef?: BodyRef;
	/** Visible units, in order. */
	view: Unit[];
	totals: Totals;
	/** The largest visible messages by raw tokens, largest first. */
	largest: Unit[];
	meter: Meter;
	/** Sums of the usage of all requests, also of those that a rewind removed. */
	spent: SpentUsage;
	/** What compactions saved, from the usage of the calls after them. */
	savings: Savings;
	/** The largest prompt that this model answered, so it fits the window. Tokens. */
	answered: number;
	points: UsagePoint[];
	/** Reason of the newest journalled decision; undefined if a step followed it. */
	decidedReason?: PolicyReason;
	/** Set when a compaction is undone: nothing compacts automatically until overflow threatens. */
	autoCompactPaused: boolean;
	/** Number of rows at the last change of the view. Usage of older messages describes an outdated view. */
	lastViewChange: Seq;
	/** Version at which the view last changed other than by an append; 0 if it never did. */
	revision: number;
	updatedAt: number;
	/** When messages were last appended. Milliseconds since the epoch. */
	appendedAt?: number;
	/** The appends, oldest first: the ordinal of their first row, and their time in milliseconds since the epoch. */
	appends: { seq: Seq; at: number }[];
	/** Increases by one with every record. */
	version: number;
}

export const emptyRequest: RequestCounts = {
	systemPrompt: 0,
	currentPrompt: 0,
	toolDefinitions: 0,
	fileAttachments: 0,
};

/** Starts a recount of all rows. */
export function startRecount(view: readonly Unit[]): RecountProgress {
	return { rows: 0, view, totals: emptyTotals(), largest: [] };
}

/** The state before the first record. */
export function emptyState(): State {
	return {
		info: { sessionId: '', provider: '', model: '', createdAt: 0 },
		measure: '',
		recounted: startRecount([]),
		rows: [],
		units: [],
		index: new Map(),
		unansweredCalls: new Map(),
		layers: new Map(),
		active: new Set(),
		steps: [],
		undone: new Set(),
		pins: new Set(),
		pinnedUris: new Set(),
		checkpoints: new Map(),
		reads: [],
		request: emptyRequest,
		view: [],
		totals: emptyTotals(),
		largest: [],
		meter: emptyMeter(),
		spent: zeroSpentUsage,
		savings: noSavings,
		answered: 0,
		points: [],
		appends: [],
		autoCompactPaused: false,
		lastViewChange: 0,
		revision: 0,
		updatedAt: 0,
		version: 0,
	};
}

/** Steps that are not undone, oldest first. */
export function liveSteps(state: State): Step[] {
	return state.steps.filter((step) => !state.undone.has(step.id));
}

/** Returns the failure for an unknown message id; `param` is the name of the param that holds it. */
export function messageNotFound(messageId: string, param = 'messageId'): Failure {
	return new Failure('MessageNotFound', `${param}: no message "${messageId}" in this session`, {
		messageId,
	});
}

/** Returns the ordinal of a message. Fails with `MessageNotFound`, which names the param. */
export function seqOf(state: State, messageId: string, param?: string): Seq {
	const seq = state.index.get(messageId);
	if (seq === undefined) throw messageNotFound(messageId, param);
	return seq;
}

/** Whether a fork was interrupted before its last record was written, and nothing was appended since. */
export function isUnfinishedFork({ info, updatedAt }: State): boolean {
	return info.isUnfinished === true && updatedAt <= info.createdAt;
}
