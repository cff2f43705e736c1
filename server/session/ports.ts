/** Interfaces to everything outside of sessions; the adapters are in `server/node/`. */

import type { BodyRef } from '../core/history/record.ts';
import type { State } from '../core/history/state.ts';
import type { SlicedTask } from '../core/slices.ts';
import type { ChainLink } from '../protocol/chain.ts';
import type { SummarizeResult } from '../protocol/push.ts';
import type { JournalPosition, OpenResult } from '../protocol/session.ts';
import type { SavingsTotal, SessionCost, StaleRead } from '../protocol/stats.ts';

export type { BodyRef };

/** A stored record: its value and the positions of its bodies. */
export interface StoredRecord {
	value: unknown;
	bodies: BodyRef[];
}

/** The part of a journal that was lost, because the file was damaged when it was opened. */
export type SalvageReport = NonNullable<OpenResult['salvaged']>;

/** The journal of one session, open for writing. */
export interface Journal {
	/**
	 * Buffers a record with its bodies (JSON texts of one line each), and returns the bodies' positions.
	 *
	 * `durable` resolves when the bytes are on disk. It rejects with `StorageFailed` if they cannot be written; after that
	 * the journal accepts nothing, and `append` itself throws `StorageFailed`.
	 */
	append(value: unknown, bodies: readonly string[]): { bodies: BodyRef[]; durable: Promise<void> };
	/**
	 * Reads the texts of bodies, in the given order, including buffered ones.
	 * A body is undefined if its stored bytes are damaged.
	 */
	read(bodies: readonly BodyRef[]): Promise<(string | undefined)[]>;
	/** Bytes written and buffered so far. */
	readonly size: number;
	/** The lost part, if the file was damaged when it was opened. */
	readonly salvaged?: SalvageReport;
	/** Writes what is buffered, and closes the file. */
	close(): Promise<void>;
}

/** The content of a journal at the time of reading. Another process may be writing to the file. */
export interface ReadOnlyJournal {
	/** Reads the texts of bodies; see `Journal.read`. */
	read(bodies: readonly BodyRef[]): Promise<(string | undefined)[]>;
	/** Whether the journal was changed, replaced or removed since it was read. A new reader sees the changes. */
	isOutdated(): Promise<boolean>;
	close(): Promise<void>;
}

/** One file in the listing of a folder of journals. */
export interface JournalEntry {
	sessionId: string;
	/** Bytes. */
	size: number;
	/** Milliseconds since the epoch. */
	modifiedAt: number;
}

export interface JournalStore {
	/** Whether the session has a journal. */
	has(sessionId: string): Promise<boolean>;
	/** When a session's journal was last written, in milliseconds since the epoch; undefined if there is none. */
	readModifiedAt(sessionId: string): Promise<number | undefined>;
	/** Creates a journal. Rejects with `StorageFailed`, also if there already is one. */
	create(sessionId: string): Promise<Journal>;
	/**
	 * Opens a journal for writing, and passes its records to `visit`, in order, up to the first damaged one.
	 *
	 * Cuts off an unfinished write. Keeps a damaged file under another name, which `Journal.salvaged` reports.
	 * Rejects with `SessionNotFound` or `StorageFailed`.
	 */
	open(sessionId: string, visit: (record: StoredRecord) => void): Promise<Journal>;
	/**
	 * Passes the intact records of a journal to `visit`, in order, and returns a reader. Costs O(records).
	 *
	 * Writes nothing, so it works on a full or write-protected disk and while another process writes the journal. Rejects
	 * with `SessionNotFound` or `StorageFailed`.
	 */
	openReadOnly(sessionId: string, visit: (record: StoredRecord) => void): Promise<ReadOnlyJournal>;
	/** Passes the records of a journal to `visit`, in order, and keeps nothing open; otherwise like `openReadOnly`. */
	scan(sessionId: string, visit: (record: StoredRecord) => void): Promise<void>;
	list(): Promise<JournalEntry[]>;
	/** Removes a journal, after closing it if it is open. Rejects with `SessionNotFound` or `StorageFailed`. */
	delete(sessionId: string): Promise<void>;
}

/** A view that a plugin stored. */
export interface HeldViewText {
	view: string;
	/** SHA-256 in hexadecimal digits. */
	checksum: string;
	head: HeldViewHead;
}

/** Metadata that is stored with a plugin's view. */
export interface HeldViewHead {
	sessionId: string;
	/** The end of the session's journal when the view was stored. */
	journal: JournalPosition;
	/** The session's folder, as a URI. */
	workspace?: string;
	/** Fingerprints of the conversation at each point on which the view depends, as in `session/holdView`. */
	marks?: readonly string[];
}

/** Stores, for each session of a plugin, the view that the plugin sends to its model. */
export interface HeldViews {
	/** The stored view, a JSON text of one line; undefined if there is none, or it is damaged. */
	read(sessionId: string): Promise<HeldViewText | undefined>;
	/** Replaces the stored view; `view` is a JSON text of one line. */
	write(head: HeldViewHead, view: string): Promise<{ path: string; checksum: string }>;
	/** Metadata of the newest views, newest first: at most 200, without reading the views. */
	readNewestHeads(): Promise<HeldViewHead[]>;
	remove(sessionId: string): Promise<void>;
}

/** A model's summary of a file, and the model's name. */
export interface CachedFileSummary {
	text: string;
	by: string;
}

/** Caches summaries of large files, so that a model reads the same bytes only once. */
export interface SummaryCache {
	/** Returns the summary of a key; undefined if it is missing, expired or damaged. */
	read(key: string): Promise<CachedFileSummary | undefined>;
	write(key: string, summary: CachedFileSummary): Promise<void>;
}

/** Records what the compactions of all sessions saved. */
export interface SavingsRecords {
	/** Returns the total, with what a session has saved until now; undefined if nothing was recorded yet. */
	readTotal(sessionId: string, savings: SessionCost | undefined): Promise<SavingsTotal | undefined>;
	/** Removes a session's id from the records; its savings remain in the total. */
	forget(sessionId: string): Promise<void>;
}

export interface Logger {
	error(message: string): void;
	warn(message: string): void;
	info(message: string): void;
	debug(message: string): void;
}

/** A question to a model. */
export interface ModelQuestion {
	/** The system prompt. */
	system: string;
	/** The user message. */
	prompt: string;
	/** Maximum tokens of the answer. */
	maxTokens: number;
	/** Items of OpenAI's Responses API for a provider that compacts them, instead of a `prompt`. */
	items?: readonly unknown[];
}

/** A model's answer. */
export interface ModelReply extends SummarizeResult {
	/** The compacted items, if items were given, instead of a text. */
	items?: unknown[];
}

/**
 * Asks one model once. The answer to a text is a text, the answer to items is items.
 *
 * Rejects with `CallFailure` if there is no answer. Answers and errors contain no keys.
 */
export type AskModel = (
	link: ChainLink,
	question: ModelQuestion & { sessionId: string },
	signal: AbortSignal,
) => Promise<ModelReply>;

/** The parts of a session that file tracking needs. */
export interface SessionView {
	readonly id: string;
	readonly state: State;
	/** The client of the latest call. */
	readonly client: { listFolders(): readonly string[] };
}

/** Tracks the files that sessions know. */
export interface SessionFiles {
	/** Processes the rows and reads of a session since the last call; all of them at the first call. O(new rows). */
	sync(session: SessionView): void;
	/** Like `sync`, but in slices. */
	syncInSlices(session: SessionView): SlicedTask<void>;
	/** Stops watching the files of a session. */
	forget(session: SessionView): void;
	/** Returns the stale reads of a session, in the order of the history. */
	listStaleReads(session: SessionView): StaleRead[];
}
