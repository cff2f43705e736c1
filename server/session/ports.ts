/**
 * What the sessions need of the world outside, as interfaces: the adapters stand in `server/node/`.
 */

import type { BodyRef } from '../core/history/record.ts';
import type { State } from '../core/history/state.ts';
import type { Slices } from '../core/slices.ts';
import type { SummarizeResult } from '../protocol/push.ts';
import type { JournalPosition, OpenResult } from '../protocol/session.ts';
import type { ChainLink } from '../protocol/settings.ts';
import type { StaleRead } from '../protocol/stats.ts';

export type { BodyRef };

/** One record as it was read: its value and where its bodies lie. */
export interface StoredRecord {
	value: unknown;
	bodies: BodyRef[];
}

/** What was lost of a journal that was damaged, and found so when it was opened. */
export type Salvaged = NonNullable<OpenResult['salvaged']>;

/** The journal of one session, open for writing. */
export interface Journal {
	/**
	 * Buffers a record with its bodies (JSON texts of one line each). Where the bodies will lie is known at
	 * once; `durable` resolves when the bytes are on disk and rejects with `StorageFailed` when they never
	 * will be, after which the journal takes nothing more: `append` itself then throws `StorageFailed`.
	 */
	append(value: unknown, bodies: readonly string[]): { bodies: BodyRef[]; durable: Promise<void> };
	/**
	 * The texts of bodies, in the order asked for, buffered ones included; undefined for each that is not what was
	 * written.
	 */
	read(bodies: readonly BodyRef[]): Promise<(string | undefined)[]>;
	/** Bytes written and buffered so far. */
	readonly size: number;
	/** What was left out, if the file was found damaged when it was opened. */
	readonly salvaged?: Salvaged;
	/** Writes what is buffered, and closes the file. */
	close(): Promise<void>;
}

/** A journal as it was when it was read. Another process may write it. */
export interface ReadOnlyJournal {
	/** As `Journal.read`. */
	read(bodies: readonly BodyRef[]): Promise<(string | undefined)[]>;
	/** Whether the journal was changed, replaced or removed since it was read. A new reader sees the changes. */
	isOutdated(): Promise<boolean>;
	close(): Promise<void>;
}

/** What a look at the folder of journals shows. */
export interface JournalEntry {
	sessionId: string;
	/** Bytes. */
	size: number;
	/** Milliseconds since the epoch. */
	modifiedAt: number;
}

export interface JournalStore {
	/** Whether there is a journal of that session. */
	has(sessionId: string): Promise<boolean>;
	/** When a session's journal was last written, in milliseconds since the epoch; undefined where there is none. */
	modifiedAt(sessionId: string): Promise<number | undefined>;
	/** Creates a journal. Rejects with `StorageFailed`, also if there is one already. */
	create(sessionId: string): Promise<Journal>;
	/**
	 * Opens a journal for writing and passes its records to `each`, in order, up to the first damaged one. Cuts off an
	 * unfinished write. Keeps a damaged file under another name, as `Journal.salvaged` says.
	 * Rejects with `SessionNotFound` or `StorageFailed`.
	 */
	open(sessionId: string, each: (record: StoredRecord) => void): Promise<Journal>;
	/**
	 * Passes the sound records of a journal to `each`, in order, and keeps it readable. Writes nothing, so that it works
	 * on a full or write-protected disk and next to a process that writes the journal. Costs O(records). Rejects with
	 * `SessionNotFound` or `StorageFailed`.
	 */
	readOnly(sessionId: string, each: (record: StoredRecord) => void): Promise<ReadOnlyJournal>;
	/** Reads the records of a journal once, as `readOnly`. */
	scan(sessionId: string, each: (record: StoredRecord) => void): Promise<void>;
	list(): Promise<JournalEntry[]>;
	/** Removes a journal, after closing it if it is open. Rejects with `SessionNotFound` or `StorageFailed`. */
	delete(sessionId: string): Promise<void>;
}

/** A view as it is held. */
export interface HeldViewText {
	view: string;
	/** SHA-256 in hexadecimal digits. */
	checksum: string;
	head: HeldViewHead;
}

/** What is stored next to a view. */
export interface HeldViewHead {
	sessionId: string;
	/** The end of the session's journal when the view was stored. */
	journal: JournalPosition;
	/** The session's folder, as a URI. */
	workspace?: string;
	/** Places of the conversation on which the view depends, as in `session/holdView`. */
	marks?: readonly string[];
}

/** Where the views are kept that plugins show of sessions. */
export interface HeldViews {
	/** The view that is held, a JSON text of one line; undefined where there is none, or it is damaged. */
	read(sessionId: string): Promise<HeldViewText | undefined>;
	/** Puts a view, a JSON text of one line, in the place of the one before. */
	write(head: HeldViewHead, view: string): Promise<{ path: string; checksum: string }>;
	/** Returns what is stored next to the newest views, newest first: at most 200, without reading the views. */
	newestHeads(): Promise<HeldViewHead[]>;
	remove(sessionId: string): Promise<void>;
}

/** A model's summary of a file, and the model's name. */
export interface CachedFileSummary {
	text: string;
	by: string;
}

/** Keeps summaries of large files, so that a model reads the same bytes once. */
export interface FileSummaryCache {
	/** Undefined if there is none, it has expired, or it is damaged. */
	read(key: string): Promise<CachedFileSummary | undefined>;
	write(key: string, summary: CachedFileSummary): Promise<void>;
}

export interface Logger {
	error(message: string): void;
	warn(message: string): void;
	info(message: string): void;
	debug(message: string): void;
}

/** What a model is asked. */
export interface ModelQuestion {
	/** The system prompt. */
	system: string;
	/** As the user's words. */
	prompt: string;
	/** Tokens that the answer may take. */
	maxTokens: number;
	/** Items of OpenAI's Responses API, for who compacts such; there is no prompt then. */
	items?: readonly unknown[];
}

/** What a model answers. */
export interface ModelReply extends SummarizeResult {
	/** What was made of the items that it was given; its text is empty then. */
	items?: unknown[];
}

/**
 * Asks one model once, text for text or items for items. Aborts with the signal; rejects with `CallFailure` where no answer comes. No key
 * stands in what it answers or rejects with.
 */
export type AskModel = (
	link: ChainLink,
	question: ModelQuestion & { sessionId: string },
	signal: AbortSignal,
) => Promise<ModelReply>;

/** A session as those see it who follow the files of its history. */
export interface SessionView {
	readonly id: string;
	readonly state: State;
	/** The client whose call came last. */
	readonly client: { folders(): readonly string[] };
}

/** Whoever follows the files that sessions know. */
export interface SessionFiles {
	/** Takes in what a session has got, all of it the first time. O(what is new). */
	sync(session: SessionView): void;
	/** The same, in slices. */
	takeIn(session: SessionView): Slices<void>;
	/** Ends a session's watches. */
	forget(session: SessionView): void;
	/** In the order of the history. */
	staleReads(session: SessionView): StaleRead[];
}
