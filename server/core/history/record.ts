/**
 * What a session's journal holds. A session's state is the fold of its records, in order;
 * nothing else is kept, so that live work and replay cannot differ.
 */

import type { CacheCost, RemovedMessage, StageName } from '../../protocol/compaction.ts';
import type { Role, Usage } from '../../protocol/conversation.ts';
import type { StatsDetails } from '../../protocol/stats.ts';
import type { FileTouch } from '../files/touches/lineRange.ts';
import type { Counts, RequestCounts } from '../measure/measure.ts';
import type { Correction } from '../meter/meter.ts';
import type { PassedFigures } from '../transcript/outline.ts';
import type { AgentSettings } from '../transcript/reading/limit.ts';

/** Ordinal of a row as it was appended; never reused. */
export type Seq = number;

/** A file that a row's call touches. */
export interface RowTouch extends FileTouch {
	/** The last lines of the file, this many. */
	lastLines?: number;
	/** The call's result shows more than lines of that file. */
	mixed?: true;
}

/** What the daemon made itself, and why. */
export type Made = 'summary' | 'marker' | 'shortened' | 'cleared' | 'deduplicated' | 'cut';

/** One message as the journal knows it: all that decisions need, without its text. */
export interface StoredRow {
	id: string;
	role: Role;
	counts: Counts;
	/** The client counted this message itself: never scaled. */
	exact?: true;
	calls?: { id: string; name: string }[];
	/** Of a tool message: the id of the call that it answers. */
	answers?: string;
	tool?: string;
	isError?: true;
	/** A user message that no person typed. */
	injected?: true;
	pinned?: true;
	usage?: Usage;
	stopReason?: string;
	/** Milliseconds since the epoch. */
	at?: number;
	made?: Made;
	/** Files that its calls read or change. */
	touches?: RowTouch[];
	/** Of a tool message: the lines of files that its call read. */
	shows?: RowTouch[];
	/** Digest of role, content and calls: equal messages have equal digests. */
	digest: string;
	/** Length of the text in UTF-16 units. */
	chars: number;
	/** Index of its body among the record's bodies. */
	body: number;
	/** Which message of that body it is, where one body holds several. */
	part?: number;
}

/** Where a body lies in its journal. */
export interface BodyRef {
	/** Bytes from the start of the journal. */
	offset: number;
	/** Bytes, without the line's end. */
	length: number;
	/** CRC-32 of those bytes. */
	crc: number;
}

export interface SessionInfo {
	sessionId: string;
	/** A folder, as a URI. */
	workspace?: string;
	title?: string;
	provider: string;
	model: string;
	/** Tokens, where the client knows better than the registry, or an overflow told. */
	contextWindow?: number;
	/** That window was learned from an overflow: it holds for this model alone. */
	contextWindowLearned?: boolean;
	/** The client's own window, which the learned one stands in for. Tokens. */
	contextWindowBefore?: number;
	/** Tokens of the refused prompt that the learned window comes from; absent if the provider named the window. */
	refusedPrompt?: number;
	/** Tokens. */
	maxOutputTokens?: number;
	/** The agent whose transcript the session mirrors; absent where an agent feeds it. */
	source?: string;
	/** Tokens of the window that this agent itself states. */
	statedWindow?: number;
	/** What this agent tells of its requests beside the messages: a digest of it, and what it counts, part by part. */
	told?: { key: string; parts: StatsDetails };
	/** What the part of its transcript told that the session passes over, as it was opened. */
	passed?: PassedFigures;
	/** What this agent's own settings and variables say of its window. */
	agentSettings?: AgentSettings;
	/** That transcript's path. */
	transcript?: string;
	/** It is a fork whose records are still being copied. */
	isUnfinished?: boolean;
	/** Milliseconds since the epoch. */
	createdAt: number;
}

/** The window that a session goes by, and where it is from. */
export type KnownWindow = Pick<
	SessionInfo,
	'contextWindow' | 'contextWindowLearned' | 'contextWindowBefore' | 'refusedPrompt'
>;

/** Instead of the rows [from, to): the row shown, or nothing. */
export interface StoredPatch {
	from: Seq;
	to: Seq;
	show?: StoredRow;
	/** Of a patch that hides messages: behind a summary, or behind a truncation marker. */
	behind?: 'summary' | 'marker';
}

export type StepCause = 'compact' | 'recover' | 'rewind' | 'rollback';

/** A change of the view: the sheet it lays, and the older sheets it lays again or lifts. */
export interface StoredStep {
	id: string;
	cause: StepCause;
	/** Milliseconds since the epoch. */
	at: number;
	/** The new sheet, where there is one; its number is also in `on`. */
	sheet?: { no: number; lossy: boolean; patches: StoredPatch[] };
	on: number[];
	off: number[];
	/** Of a rollback: the checkpoint it went back to. */
	mark?: string;
	/** It only repeats what happened to another agent's transcript, which nobody can undo here but by its id. */
	mirrored?: true;
	/** Tokens of messages that stand nowhere, and left the requests with those that the sheet hides. */
	unrecorded?: number;
	receipt?: StepReceipt;
}

/** What a compaction did, as it is told to people. */
export interface StepReceipt {
	tokensBefore: number;
	tokensAfter: number;
	stagesUsed: StageName[];
	removed: RemovedRows[];
	/** Tokens that the history was to come down to. */
	targetTokens?: number;
	cache?: CacheCost;
	/** Of an agent's own compaction: what it says itself of it. */
	told?: { tokensBefore?: number; trigger?: string };
}

/** Rows that one stage changed in one way; in columns, since a compaction may change a hundred thousand. */
export interface RemovedRows {
	stage: StageName;
	change: RemovedMessage['change'];
	seqs: Seq[];
	/** Tokens saved on each of them. */
	tokens: number[];
}

/** One record. Journals of earlier versions also have the members `op`, and `from` of an append, which are ignored. */
export type JournalRecord =
	| { t: 'open'; v: 1; info: SessionInfo; measure: string }
	| { t: 'set'; change: Partial<SessionInfo> }
	/** `window`: tokens of the model's window, if a usage figure goes beyond it. */
	| { t: 'append'; at: number; rows: StoredRow[]; window?: number }
	/** `isStale`: it is of a request that showed the history in another way than it stands now. */
	| { t: 'usage'; id: string; usage: Usage; stopReason?: string; at: number; window?: number; isStale?: true }
	/** A provider refused the history as it stood: tokens that it counted, and what surrounded the history. */
	| { t: 'refusal'; prompt: number; request: RequestCounts; at: number }
	/** What the last refusal taught is taken back: the weights, and where it is given the window, are these again. */
	| { t: 'unlearn'; correction?: Correction; window?: KnownWindow; at: number }
	| { t: 'request'; counts: RequestCounts; maxOutputTokens?: number; body: number }
	/** A part of a recount, whose record follows it: counts of rows from an ordinal on. */
	| { t: 'recounted'; from: Seq; rows: Counts[] }
	| {
			t: 'recount';
			measure: string;
			/** Of rows from `from` on; empty where their counts stand, and only figures no longer do. */
			rows: Counts[];
			/** The rows before it were counted anew by the parts before this record; 0 where absent. */
			from?: Seq;
			shown: [sheet: number, patch: number, counts: Counts][];
			request: RequestCounts;
	  }
	| { t: 'step'; step: StoredStep }
	/** `isRestore`: contextd took back a compaction on trial; automatic compaction continues. */
	| { t: 'undo'; steps: string[]; at: number; isRestore?: true }
	| { t: 'pin'; rows: Seq[]; uris: string[]; on: boolean }
	| { t: 'mark'; id: string; label?: string; at: number }
	| { t: 'unmark'; id: string }
	/** `chars`: UTF-16 units that a message must have at least to show the read. */
	| { t: 'read'; touch: FileTouch; messageId?: string; contentHash?: string; chars?: number; at: number };
