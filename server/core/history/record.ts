/**
 * Records of a session's journal. Applying all records in order gives the session's state. Nothing else is stored:
 * reopening a session restores exactly its state.
 */

import type { CacheCost, RemovedMessage, StageName } from '../../protocol/compaction.ts';
import type { Role, Usage } from '../../protocol/conversation.ts';
import type { StatsDetails } from '../../protocol/stats.ts';
import type { DecidedPolicy } from '../cost/policy.ts';
import type { FileTouch } from '../files/touches/lineRange.ts';
import type { Counts, RequestCounts } from '../measure/measure.ts';
import type { Correction } from '../meter/meter.ts';
import type { AgentSettings, SkippedFigures } from '../transcript/index.ts';

/** Ordinal of a row in the order of appends; never reused. */
export type Seq = number;

/** A file that a row's call touches. */
export interface RowTouch extends FileTouch {
	/** Set if the call's result also contains text that is not from files. */
	mixed?: true;
}

/** Why the daemon created a row. */
export type RowOrigin = 'summary' | 'marker' | 'shortened' | 'cleared' | 'deduplicated' | 'cut';

/** One message as the journal stores it: everything that decisions need, without its text. */
export interface StoredRow {
	id: string;
	role: Role;
	counts: Counts;
	/** Set if the client counted the message itself, so that its counts are never scaled. */
	exact?: true;
	calls?: { id: string; name: string }[];
	/** The id of the call that this tool message answers. */
	answers?: string;
	tool?: string;
	isError?: true;
	/** Set for a message in the user's role that no person typed. */
	injected?: true;
	pinned?: true;
	usage?: Usage;
	stopReason?: string;
	/** Milliseconds since the epoch. */
	at?: number;
	/** Set for a row that the daemon created instead of the client. */
	made?: RowOrigin;
	/** Files that the message's calls read or change. */
	touches?: RowTouch[];
	/** For a tool message: the lines of files that its call read. */
	shows?: RowTouch[];
	/** Digest of role, content and calls: equal messages have equal digests. */
	digest: string;
	/** Length of the text in UTF-16 units. */
	chars: number;
	/** Index of the message's body among the record's bodies. */
	body: number;
	/** Index of the message within that body, if the body holds several. */
	part?: number;
}

/** Where a body is stored in its journal. */
export interface BodyRef {
	/** Bytes from the start of the journal. */
	offset: number;
	/** Bytes, without the line's end. */
	length: number;
	/** CRC-32 of the body's bytes. */
	crc: number;
}

export interface SessionInfo {
	sessionId: string;
	/** A folder, as a URI. */
	workspace?: string;
	title?: string;
	provider: string;
	model: string;
	/** Tokens; set if the client knows better than the registry, or an overflow revealed the window. */
	contextWindow?: number;
	/** Whether the window was learned from an overflow. If so, it is valid only for the current model. */
	contextWindowLearned?: boolean;
	/** The window that the client stated, which the learned window replaces. Tokens. */
	contextWindowBefore?: number;
	/** Tokens of the refused prompt from which the window was learned; absent if the provider named the window. */
	refusedPrompt?: number;
	/** Tokens. */
	maxOutputTokens?: number;
	/** Overrides the client's `compaction.threshold`. */
	threshold?: number;
	/** Overrides the client's `compaction.targetRatio`. */
	targetRatio?: number;
	/** The agent whose transcript the session mirrors; absent if an agent feeds the session. */
	source?: string;
	/** The window that the session's agent states, in tokens. */
	statedWindow?: number;
	/** The parts of the agent's requests besides the messages: their digest, and the tokens of each part. */
	told?: { key: string; parts: StatsDetails };
	/** Usage in the part of the transcript that was skipped when the session was opened. */
	passed?: SkippedFigures;
	/** The agent's own settings and environment variables that concern its window. */
	agentSettings?: AgentSettings;
	/** Path of the transcript that the session mirrors. */
	transcript?: string;
	/** Whether the session is a fork whose records are still being copied. */
	isUnfinished?: boolean;
	/** Milliseconds since the epoch. */
	createdAt: number;
}

/** The window of a session, and whether it was learned from an overflow. */
export type KnownWindow = Pick<
	SessionInfo,
	'contextWindow' | 'contextWindowLearned' | 'contextWindowBefore' | 'refusedPrompt'
>;

/** Replaces the rows [from, to) by one shown row, or by nothing. */
export interface StoredPatch {
	from: Seq;
	to: Seq;
	show?: StoredRow;
	/** What replaces the messages that the patch hides, if any: a summary or a truncation marker. */
	behind?: 'summary' | 'marker';
}

export type StepCause = 'compact' | 'recover' | 'rewind' | 'rollback';

/** A change of the view: the layer that it adds, and the older layers that it activates or deactivates. */
export interface StoredStep {
	id: string;
	cause: StepCause;
	/** Milliseconds since the epoch. */
	at: number;
	/** The new layer, if any; its number is also in `on`. */
	sheet?: { no: number; lossy: boolean; patches: StoredPatch[] };
	on: number[];
	off: number[];
	/** The checkpoint that a rollback restored. */
	mark?: string;
	/** Set if the step repeats a change of an agent's transcript. Only an undo with the step's id reverts it. */
	mirrored?: true;
	/** Tokens that the step removes from requests in addition to those of the hidden messages. */
	unrecorded?: number;
	receipt?: StepReceipt;
}

/** What a compaction did, for display. */
export interface StepReceipt {
	tokensBefore: number;
	tokensAfter: number;
	stagesUsed: StageName[];
	removed: RemovedRows[];
	/** Target size of the compaction, in tokens. */
	targetTokens?: number;
	cache?: CacheCost;
	/** Why the compaction was due, with the figures that decided; absent if it was requested. */
	policy?: DecidedPolicy;
	/** What an agent reported about its own compaction. */
	told?: { tokensBefore?: number; trigger?: string };
}

/** Rows that one stage changed in one way. Stored in columns, because a compaction may change 100,000 rows. */
export interface RemovedRows {
	stage: StageName;
	change: RemovedMessage['change'];
	reason?: RemovedMessage['reason'];
	seqs: Seq[];
	/** Tokens that each row saved, in the order of `seqs`. */
	tokens: number[];
}

/** One record of a journal. Readers ignore `op`, and `from` of an append, which earlier versions wrote. */
export type JournalRecord =
	| { t: 'open'; v: 1; info: SessionInfo; measure: string }
	| { t: 'set'; change: Partial<SessionInfo> }
	/** `window`: tokens of the model's window; set only if a usage figure exceeds the window. */
	| { t: 'append'; at: number; rows: StoredRow[]; window?: number }
	/** `isStale`: the usage belongs to a request that contained an earlier view of the history. */
	| { t: 'usage'; id: string; usage: Usage; stopReason?: string; at: number; window?: number; isStale?: true }
	/** A provider refused a request: the tokens that the provider counted, and the request without its history. */
	| { t: 'refusal'; prompt: number; request: RequestCounts; at: number }
	/** Reverts what was learned from the last refusal: restores the correction and, if given, the window. */
	| { t: 'unlearn'; correction?: Correction; window?: KnownWindow; at: number }
	| { t: 'request'; counts: RequestCounts; maxOutputTokens?: number; body: number }
	/** A part of a recount, completed by a later `recount`: counts of the rows from an ordinal on. */
	| { t: 'recounted'; from: Seq; rows: Counts[] }
	| {
			t: 'recount';
			measure: string;
			/** Counts of the rows from `from` on; empty if the counts stay valid and only usage figures are dropped. */
			rows: Counts[];
			/** First row of this record; the rows before it are in preceding `recounted` records. By default 0. */
			from?: Seq;
			shown: [sheet: number, patch: number, counts: Counts][];
			request: RequestCounts;
	  }
	| { t: 'step'; step: StoredStep }
	/** A decision against a compaction, if its reason differs from that of the previous decision. */
	| { t: 'decision'; policy: DecidedPolicy; at: number }
	/** `isRestore`: contextd undid a trial compaction; automatic compaction continues. */
	| { t: 'undo'; steps: string[]; at: number; isRestore?: true }
	| { t: 'pin'; rows: Seq[]; uris: string[]; on: boolean }
	| { t: 'mark'; id: string; label?: string; at: number }
	| { t: 'unmark'; id: string }
	/** `chars`: minimum length of a message that shows the read, in UTF-16 units. */
	| { t: 'read'; touch: FileTouch; messageId?: string; contentHash?: string; chars?: number; at: number };
