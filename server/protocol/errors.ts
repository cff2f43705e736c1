/** Codes of errors, and the kinds of failures in `data.kind`. */

/** Codes of JSON-RPC and LSP. */
export const errorCodes = {
	/** The message is not valid JSON; the id of the answer is null. */
	parseError: -32700,
	/** The message is not valid JSON-RPC, or arrived after `shutdown`. */
	invalidRequest: -32600,
	/** The method does not exist. */
	methodNotFound: -32601,
	/** Invalid params; the message names the member, what was expected and what was received. */
	invalidParams: -32602,
	/** An unexpected error; the log has the details. */
	internalError: -32603,
	/** A request arrived before `initialize`. */
	serverNotInitialized: -32002,
	/** The client cancelled the request with `$/cancelRequest`; the session is unchanged. */
	requestCancelled: -32800,
} as const;

/** The code of each kind of failure. */
export const failureCodes = {
	/** No session has this id, or it was deleted in the meantime. */
	SessionNotFound: -31999,
	/** Another process owns the state folder, so sessions can only be read here; the message names that process. */
	SessionLocked: -31998,
	/** The session has no message with the id in `data.messageId`. */
	MessageNotFound: -31997,
	/** The session has no such step, the step is already undone, or there is none to undo. */
	CompactionNotFound: -31996,
	/** The session has no such checkpoint, or newer ones displaced it. */
	CheckpointNotFound: -31995,
	/** The file is outside the workspace folders, after links in its path were resolved. */
	OutsideWorkspace: -31994,
	/** The file does not exist, is not a regular file, or cannot be read. */
	FileUnreadable: -31993,
	/** A journal, a recording or a saved output could not be written or read. */
	StorageFailed: -31992,
	/** A requested summary could not be obtained; the history is unchanged. */
	SummarizerFailed: -31991,
	/** The request exceeds a limit of the daemon. */
	TooLarge: -31990,
	/** The format, or the transcript, is not supported. */
	UnsupportedFormat: -31989,
	/** The request cannot be made to fit; `data` contains `estimated`, `available` (tokens), `stagesUsed` and `breakdown`. */
	ContextBudgetExceeded: -31988,
	/** The state folder is write-protected, so the session can only be read. */
	ReadOnlySession: -31987,
	/**
	 * The compaction no longer fits the history, which changed in the meantime, or took too long; the history is
	 * unchanged.
	 */
	CompactionFailed: -31986,
	/** The daemon is shutting down and has closed its sessions. */
	SessionClosed: -31985,
	/**
	 * The daemon ended before it answered. The request was applied completely or not at all; `revision` of
	 * `context/stats` shows which.
	 */
	DaemonRestarted: -31984,
	/** The daemon crashed twice while it handled this request, so the request is not sent again. */
	RequestCrashedDaemon: -31983,
	/**
	 * The daemon's process is suspended (SIGSTOP, a debugger) and has not answered. If it continues, it may still
	 * handle the request.
	 */
	DaemonSuspended: -31982,
	/** The params have valid shapes but contradict the session or each other. */
	InvalidParams: -32602,
} as const;

/** A kind of failure, as in `data.kind` of an error. */
export type FailureKind = keyof typeof failureCodes;

/** Returns whether a value, such as `data.kind` of an error, is a kind of failure. */
export function isFailureKind(word: unknown): word is FailureKind {
	return typeof word === 'string' && Object.hasOwn(failureCodes, word);
}

/** Failures of any request from a client that is connected to the shared daemon. */
export const restartErrors = [
	'DaemonRestarted',
	'RequestCrashedDaemon',
	'DaemonSuspended',
] as const satisfies FailureKind[];

/** Failures of any request that reads a session. */
export const readingErrors = ['SessionNotFound', 'StorageFailed'] as const;

/** Failures of any request that changes a session. */
export const writingErrors = [...readingErrors, 'SessionLocked', 'ReadOnlySession', 'TooLarge'] as const;

/** Failures of any request that compacts. */
export const compactingErrors = ['CompactionFailed', 'SummarizerFailed', 'SessionClosed'] as const;

/** Failures of any request that reads a file. */
export const fileErrors = ['OutsideWorkspace', 'FileUnreadable'] as const;
