import type { NoCompactionReason } from '../compact/result.ts';

/**
 * Why a request should not be sent again after an error: it was no overflow; compaction is off, has nothing to work
 * on, was tried twice already, left too much, or failed; or the reason that a compaction itself gives.
 */
export type NoRecoveryReason =
	| 'no_overflow'
	| 'disabled'
	| 'no_messages'
	| 'attempts_exhausted'
	| 'insufficient'
	| 'compaction_failed'
	| NoCompactionReason;
