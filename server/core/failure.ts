/** What can go wrong in the product's own terms; the RPC floor gives each kind its code. */
export type FailureKind =
	| 'SessionNotFound'
	| 'SessionLocked'
	| 'MessageNotFound'
	| 'CompactionNotFound'
	| 'CheckpointNotFound'
	| 'OutsideWorkspace'
	| 'FileUnreadable'
	| 'StorageFailed'
	| 'SummarizerFailed'
	| 'TooLarge'
	| 'UnsupportedFormat'
	| 'ContextBudgetExceeded'
	| 'ReadOnlySession'
	| 'InvalidParams';

/** An expected failure: its message is for the user, its data for the program. */
export class Failure extends Error {
	readonly kind: FailureKind;
	readonly data: Record<string, unknown>;

	constructor(kind: FailureKind, message: string, data: Record<string, unknown> = {}, cause?: unknown) {
		super(message, cause === undefined ? undefined : { cause });
		this.name = kind;
		this.kind = kind;
		this.data = data;
	}
}
