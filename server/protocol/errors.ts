/** What can go wrong: the codes of errors, and the kinds of failures that `data.kind` names. */

/** Codes of JSON-RPC and LSP. */
export const errorCodes = {
	/** What came is no JSON; the answer's id is null. */
	parseError: -32700,
	/** What came is no message of JSON-RPC, or came after `shutdown`. */
	invalidRequest: -32600,
	/** Nobody serves that method. */
	methodNotFound: -32601,
	/** Params do not fit; the message names the member, what was expected and what came. */
	invalidParams: -32602,
	/** Something that nobody expected went wrong; the log tells what. */
	internalError: -32603,
	/** A request came before `initialize`. */
	serverNotInitialized: -32002,
	/** The client cancelled the request by `$/cancelRequest`; the session is as it was. */
	requestCancelled: -32800,
} as const;

/** The code of each kind of failure. */
export const failureCodes = {
	/** No session has that id, or it was deleted meanwhile. */
	SessionNotFound: -31999,
	/** Another process owns the state folder, so that its sessions can only be read here; the message says which one. */
	SessionLocked: -31998,
	/** No message of the session has that id; `data.messageId` names it. */
	MessageNotFound: -31997,
	/** The session has no such step, it is undone already, or there is none to undo. */
	CompactionNotFound: -31996,
	/** The session has no such checkpoint, or it was dropped for newer ones. */
	CheckpointNotFound: -31995,
	/** The file does not lie in a workspace folder, links resolved. */
	OutsideWorkspace: -31994,
	/** The file is not there, no file, or may not be read. */
	FileUnreadable: -31993,
	/** A journal or an output could not be written or read. */
	StorageFailed: -31992,
	/** A summary that was asked for could not be had; the history is as it was. */
	SummarizerFailed: -31991,
	/** More was asked for than the daemon handles at once. */
	TooLarge: -31990,
	/** No format, or no transcript, that the daemon knows. */
	UnsupportedFormat: -31989,
	/** The request cannot be made to fit; `data` holds `estimated`, `available` (tokens), `stagesUsed` and `breakdown`. */
	ContextBudgetExceeded: -31988,
	/** The state folder is write-protected, so that the session can only be read. */
	ReadOnlySession: -31987,
	/** A compaction was refused on the history of then, or took too long; the history is as it was. */
	CompactionFailed: -31986,
	/** The daemon ends and has closed its sessions. */
	SessionClosed: -31985,
	/** The daemon ended before it answered. The request was applied completely or not at all; `revision` of `context/stats` shows which. */
	DaemonRestarted: -31984,
	/** The daemon ended twice while it worked on this request, which is not sent again. */
	RequestCrashedDaemon: -31983,
	/** Params that fit their shape do not fit the session or one another. */
	InvalidParams: -32602,
} as const;

/** The kinds of failures, as `data.kind` of an error names them. */
export type FailureKind = keyof typeof failureCodes;

/** Whether a word, as `data.kind` of an error, names a failure. */
export function isFailureKind(word: unknown): word is FailureKind {
	return typeof word === 'string' && Object.hasOwn(failureCodes, word);
}

/** What may answer any request of a client that is connected to the daemon all clients share. */
export const restartErrors = ['DaemonRestarted', 'RequestCrashedDaemon'] as const satisfies FailureKind[];

/** What may go wrong wherever a session is read. */
export const readingErrors = ['SessionNotFound', 'StorageFailed'] as const;

/** What may go wrong wherever a session is changed. */
export const writingErrors = [...readingErrors, 'SessionLocked', 'ReadOnlySession', 'TooLarge'] as const;

/** What may go wrong wherever room is made. */
export const compactingErrors = ['CompactionFailed', 'SummarizerFailed', 'SessionClosed'] as const;

/** What may go wrong wherever a file is read. */
export const fileErrors = ['OutsideWorkspace', 'FileUnreadable'] as const;
