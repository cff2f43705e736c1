/** Messages between the daemon and a thread that reads one transcript. */

import { Failure } from '../../../core/failure.ts';
import type { FailureKind } from '../../../protocol/errors.ts';
import type { OpenTranscript, TranscriptChunk } from '../../../session/transcript/reader.ts';

/** Data for starting the thread. */
export interface ThreadStartData {
	/** Path of the transcript to read. */
	transcript: string;
}

/** The message that requests the next batch. All requests are answered in order. */
export const nextBatchRequest = 'next';

/** An answer of the thread: first `opened` or `failed`, then `piece` or `failed` for each request. */
export type ThreadAnswer =
	| ({ t: 'opened'; watched: string[] } & Pick<OpenTranscript, 'agent' | 'path' | 'size' | 'newestModel'>)
	| { t: 'piece'; batch: TranscriptChunk | undefined }
	| FailedAnswer;

/** The answer to a request that failed: a `Failure` as plain data, or any other error. */
export interface FailedAnswer {
	t: 'failed';
	failure?: SerializedFailure;
	error?: unknown;
}

/** A `Failure` as plain data: an error that is sent between threads loses its own members. */
interface SerializedFailure {
	kind: FailureKind;
	message: string;
	data: Record<string, unknown>;
	cause: unknown;
}

/** Wraps an error in an answer that can be sent to another thread. */
export function createFailedAnswer(error: unknown): FailedAnswer {
	if (!(error instanceof Failure)) return { t: 'failed', error };
	const { kind, message, data, cause } = error;
	return { t: 'failed', failure: { kind, message, data, cause } };
}

export function restoreError({ failure, error }: FailedAnswer): unknown {
	if (failure === undefined) return error;
	return new Failure(failure.kind, failure.message, failure.data, failure.cause);
}
