/** What can go wrong in the product's own terms. */

/** The kinds of failures, as `data.kind` of an error names them. */
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
