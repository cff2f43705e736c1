/** Writes to a session that another process holds: they are handed to it. */

import type { Settings } from '../protocol/settings.ts';
import type { CallProgress, Operation } from './operation.ts';
import type { AskModel } from './ports.ts';

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
