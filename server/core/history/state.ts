/** A session's state: the result of applying its records in order. Only `evolve` changes a state. */

import type { PolicyReason } from '../../protocol/compaction.ts';
import { noSavings, type Savings } from '../cost/saved.ts';
import { type SpentUsage, zeroSpentUsage } from '../cost/spent.ts';
import { Failure } from '../failure.ts';
import type { FileTouch } from '../files/touches/lineRange.ts';
import { emptyRequest, type RequestCounts } from '../measure/measure.ts';
import { createEmptyMeter, type Meter } from '../meter/meter.ts';
import { createEmptyTotals, type Totals } from '../meter/totals.ts';
import type { BodyRef, Seq, SessionInfo, StoredPatch, StoredStep } from './record.ts';
import type { Row, Unit } from './row.ts';

export interface Patch extends Omit<StoredPatch, 'show'> {
	show?: Row;
}

/** Patches over the rows. Lossy layers come from compactions, all others from rewinds and rollbacks. */
export interface Layer {
	no: number;
	lossy: boolean;
	patches: Patch[];
}

/** A step of the history, with its layer as stored in the state. */
export interface Step extends Omit<StoredStep, 'sheet'> {
	sheet?: Layer;
	/** Number of rows when the step was applied. */
	rowCount: Seq;
}

/** A point of the history to which a user can roll back. */
export interface Checkpoint {
	id: string;
	label?: string;
	at: number;
	/** Number of rows when the checkpoint was set. */
	seq: Seq;
	/** Number of visible messages when the checkpoint was set. */
	messageCount: number;
	/** Numbers of the layers that were active when the checkpoint was set. */
	activeLayers: number[];
	/** Version of the state when the checkpoint was last used; the checkpoint used least recently is removed first. */
	lastUsedVersion: number;
	/** Id of the rollback to an earlier checkpoint, which dropped this checkpoint. */
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
	/** Minimum length of a message that shows the read, in UTF-16 units; absent if unknown. */
	chars?: number;
	at: number;
	/** Number of rows when the read was announced. */
	seq: Seq;
}

/** A recount in progress: the rows counted so far, and their totals. */
export interface RecountProgress {
	/** Number of recounted rows, from the first row on. */
	rowCount: number;
	/** The view when the recount began. If the view changes meanwhile, the totals are computed again. */
	view: readonly Unit[];
	/** Totals of the recounted rows that are visible as originals. */
	totals: Totals;
	/** The largest visible units among the recounted rows, largest first. */
	largest: Unit[];
}

export interface State {
	info: SessionInfo;
	/** Name of the measure that produced the counts. */
	measure: string;
	recountProgress: RecountProgress;
	rows: Row[];
	/** The unit of each row as it was appended. */
	units: Unit[];
	/** Ordinal by message id. */
	index: Map<string, Seq>;
	/** The assistant rows with calls that have no result, by call id, oldest first. */
	unansweredCalls: Map<string, Seq[]>;
	layers: Map<number, Layer>;
	/** Numbers of the active layers. */
	activeLayers: Set<number>;
	steps: Step[];
	undoneStepIds: Set<string>;
	pins: Set<Seq>;
	pinnedUris: Set<string>;
	checkpoints: Map<string, Checkpoint>;
	announcedReads: AnnouncedRead[];
	request: RequestCounts;
	/** Maximum answer of the next model call, if the client stated it. Tokens. */
	requestMaxOutputTokens?: number;
	requestRef?: BodyRef;
	/** Visible units, in order. */
	view: Unit[];
	totals: Totals;
	/** The largest visible messages by raw tokens, largest first. */
	largest: Unit[];
	meter: Meter;
	/** Total usage of all requests, including requests that a rewind removed. */
	spentUsage: SpentUsage;
	/** What compactions saved, from the usage of the calls after them. */
	savings: Savings;
	/** The largest prompt that the session's model answered, which thus fits the window. Tokens. */
	answeredTokens: number;
	usagePoints: UsagePoint[];
	/** Reason of the newest decision against a compaction; undefined if a step followed. */
	decidedReason?: PolicyReason;
	/** Whether a user undid a compaction, after which nothing compacts automatically until an overflow threatens. */
	isAutoCompactPaused: boolean;
	/** Number of rows at the last change of the view. Usage of older messages describes an outdated view. */
	lastViewChangeSeq: Seq;
	/** Version at which the view last changed, apart from appends; 0 if it never did. */
	revision: number;
	updatedAt: number;
	/** When messages were last appended. Milliseconds since the epoch. */
	appendedAt?: number;
	/** The appends, oldest first: first row, and time in milliseconds since the epoch. */
	appends: { seq: Seq; at: number }[];
	/** Increases by one with every record. */
	version: number;
}

export function startRecount(view: readonly Unit[]): RecountProgress {
	return { rowCount: 0, view, totals: createEmptyTotals(), largest: [] };
}

/** Returns the state before the first record. */
export function createEmptyState(): State {
	return {
		info: { sessionId: '', provider: '', model: '', createdAt: 0 },
		measure: '',
		recountProgress: startRecount([]),
		rows: [],
		units: [],
		index: new Map(),
		unansweredCalls: new Map(),
		layers: new Map(),
		activeLayers: new Set(),
		steps: [],
		undoneStepIds: new Set(),
		pins: new Set(),
		pinnedUris: new Set(),
		checkpoints: new Map(),
		announcedReads: [],
		request: emptyRequest,
		view: [],
		totals: createEmptyTotals(),
		largest: [],
		meter: createEmptyMeter(),
		spentUsage: zeroSpentUsage,
		savings: noSavings,
		answeredTokens: 0,
		usagePoints: [],
		appends: [],
		isAutoCompactPaused: false,
		lastViewChangeSeq: 0,
		revision: 0,
		updatedAt: 0,
		version: 0,
	};
}

/** Returns the steps that are not undone, oldest first. */
export function listLiveSteps(state: State): Step[] {
	return state.steps.filter((step) => !state.undoneStepIds.has(step.id));
}

/** Returns the patches of the layers that a step activated or deactivated. */
export function listTouched(state: State, step: Pick<Step, 'on' | 'off'>): Patch[] {
	return [...step.on, ...step.off].flatMap((no) => state.layers.get(no)?.patches ?? []);
}

/** Returns the failure for an unknown message id; `param` is the name of the param with the id. */
export function createMessageNotFound(messageId: string, param = 'messageId'): Failure {
	return new Failure('MessageNotFound', `${param}: no message "${messageId}" in this session`, {
		messageId,
	});
}

/** Returns the ordinal of a message. Throws `MessageNotFound`, which names the param. */
export function requireSeq(state: State, messageId: string, param?: string): Seq {
	const seq = state.index.get(messageId);
	if (seq === undefined) throw createMessageNotFound(messageId, param);
	return seq;
}

/** Whether a session is a fork whose copying was interrupted, and to which nothing was appended later. */
export function isUnfinishedFork({ info, updatedAt }: State): boolean {
	return info.isUnfinished === true && updatedAt <= info.createdAt;
}
