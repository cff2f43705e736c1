/** A session's state: what its records amount to. Only `evolve` changes it, live and in replay. */

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

/** Patches laid over the rows: `lossy` ones come from a compaction, the others cut the tail off. */
export interface Sheet {
	no: number;
	lossy: boolean;
	patches: Patch[];
}

/** A step that was taken, with its sheet as the state has it. */
export interface Step extends Omit<StoredStep, 'sheet'> {
	sheet?: Sheet;
	/** Number of rows when it was taken. */
	rows: Seq;
}

/** A checkpoint. */
export interface Checkpoint {
	id: string;
	label?: string;
	at: number;
	/** Number of rows then. */
	seq: Seq;
	/** Messages that were visible then. */
	messages: number;
	/** Sheets in force then. */
	on: number[];
	/** Version of the state at its last use: the oldest goes first. */
	used: number;
	/** The rollback that left it in the discarded future. */
	droppedBy?: string;
}

/** Usage of the window right after a message, for the timeline. */
export interface UsagePoint {
	messageId: string;
	at: number;
	tokens: number;
	source: 'reported' | 'anchored' | 'estimated';
}

/** A file read that the client announced itself. */
export interface AnnouncedRead {
	touch: FileTouch;
	messageId?: string;
	contentHash?: string;
	/** UTF-16 units that a message must have at least to show it; absent if unknown. */
	chars?: number;
	at: number;
	/** Number of rows when it was announced. */
	seq: Seq;
}

/** Rows that were counted anew, and what they came to. */
export interface Recounted {
	/** How many, from the first on. */
	rows: number;
	/** The view as it was shown: under another one, what is visible is summed up anew. */
	view: readonly Unit[];
	/** Sums over those rows that are visible themselves. */
	totals: Totals;
	/** The largest of these. */
	largest: Unit[];
}

export interface State {
	info: SessionInfo;
	/** Name of the measure that the counts were taken with. */
	measure: string;
	/** What a recount under way has come to. */
	recounted: Recounted;
	rows: Row[];
	/** What shows each row as it was appended. */
	units: Unit[];
	/** Ordinal by message id. */
	index: Map<string, Seq>;
	/** Calls that no result has answered yet: by call id, the assistant rows, oldest first. */
	unansweredCalls: Map<string, Seq[]>;
	sheets: Map<number, Sheet>;
	/** Numbers of the sheets in force. */
	on: Set<number>;
	steps: Step[];
	undone: Set<string>;
	pins: Set<Seq>;
	pinnedUris: Set<string>;
	checkpoints: Map<string, Checkpoint>;
	reads: AnnouncedRead[];
	request: RequestCounts;
	/** Of the next model call, where the client said so. */
	requestMaxOutputTokens?: number;
	requestRef?: BodyRef;
	/** What is visible, in order. */
	view: Unit[];
	totals: Totals;
	/** The largest visible messages by raw tokens, largest first. */
	largest: Unit[];
	meter: Meter;
	/** The largest prompt that this model answered: it fitted into its window. Tokens. */
	answered: number;
	points: UsagePoint[];
	/** An undo asked for the uncompacted history: nothing compacts by itself until overflow threatens. */
	autoCompactPaused: boolean;
	/** Number of rows when a step was last taken or undone: usage of older messages describes what no longer is. */
	lastViewChange: Seq;
	/** The version at which the view last changed in another way than by growing at its end; 0 where it never did. */
	revision: number;
	updatedAt: number;
	/** When messages were last appended. Milliseconds since the epoch. */
	appendedAt?: number;
	/** Grows by one with every record. */
	version: number;
}

export const noRequest: RequestCounts = {
	systemPrompt: 0,
	currentPrompt: 0,
	toolDefinitions: 0,
	fileAttachments: 0,
};

/** Where a recount of all rows begins. */
export function recountOf(view: readonly Unit[]): Recounted {
	return { rows: 0, view, totals: emptyTotals(), largest: [] };
}

/** The state before the first record. */
export function emptyState(): State {
	return {
		info: { sessionId: '', provider: '', model: '', createdAt: 0 },
		measure: '',
		recounted: recountOf([]),
		rows: [],
		units: [],
		index: new Map(),
		unansweredCalls: new Map(),
		sheets: new Map(),
		on: new Set(),
		steps: [],
		undone: new Set(),
		pins: new Set(),
		pinnedUris: new Set(),
		checkpoints: new Map(),
		reads: [],
		request: noRequest,
		view: [],
		totals: emptyTotals(),
		largest: [],
		meter: emptyMeter(),
		answered: 0,
		points: [],
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

/** The failure for an id that names no message; `param` is the param that holds it. */
export function noMessage(messageId: string, param = 'messageId'): Failure {
	return new Failure('MessageNotFound', `${param}: "${messageId}" is no message of this session`, {
		messageId,
	});
}

/** The ordinal of a message. Fails with `MessageNotFound` that names the param. */
export function seqOf(state: State, messageId: string, param?: string): Seq {
	const seq = state.index.get(messageId);
	if (seq === undefined) throw noMessage(messageId, param);
	return seq;
}

/** Whether a fork was interrupted before its last record was written, and nothing was appended to it since. */
export function isUnfinishedFork({ info, updatedAt }: State): boolean {
	return info.isUnfinished === true && updatedAt <= info.createdAt;
}
