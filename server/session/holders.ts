/** Writes to a session that another process holds: they are handed to it. */

import type { JournalRecord } from '../core/history/record.ts';
import type { Settings } from '../protocol/settings.ts';
import type { AskModel, Records } from './ports.ts';

/** Hears how far a call is. */
export interface CallProgress {
	begin(title: string): void;
	/** `percentage` is 0 to 100. */
	report(message: string, percentage?: number): void;
}

/** A write as it came from a client. */
export interface Call {
	method: string;
	/** As the client sent them. */
	params: unknown;
	signal: AbortSignal;
	/** Hears how far it is; absent where the call is done in an instant, which those behind it may wait for. */
	progress?: CallProgress;
}

/** A write that is handed on: the same one, however often it has to be asked for. */
export interface HandedCall extends Call {
	/** A UUID. */
	operation: string;
}

/** Those who hold what this process does not. */
export interface Holders {
	/**
	 * Hands a write to the process that holds the session, and gives its answer. Calls for one session arrive in the
	 * order in which they are made. Rejects with the error that the holder answers; with `HolderGone` where nobody
	 * holds the session any more, be it that the write was done or not; with `SessionLocked` where the holder cannot
	 * be asked, or has not answered for 5 s: then nothing is done, unless its record was on its way already.
	 */
	call(sessionId: string, call: HandedCall): Promise<unknown>;
}

/** A write that another process asked for. */
export interface Operation {
	/** A UUID, named by whoever asked. */
	readonly id: string;
	/** How many records of each kind it has come to. */
	readonly written: Map<JournalRecord['t'], number>;
	/** Throws where whoever asked waits no more: nothing may be written for it then. */
	confirm(): void;
	/** What stands for the journal of a session that another process holds; absent where that is written. */
	readonly records?: Records;
}

/** A write of another process, and by what it is done. */
export interface HandedWork {
	sessionId: string;
	method: string;
	params: unknown;
	operation: Operation;
	/** Aborts when it is called off, or whoever asked is gone. */
	signal: AbortSignal;
	progress: CallProgress;
	/** Of whoever asked. */
	settings: Settings;
	offersModel: boolean;
	/** Has whoever asked ask a model. */
	askModel: AskModel;
}
