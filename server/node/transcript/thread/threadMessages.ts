/** Messages between the daemon and a thread that reads one transcript. */

import { Failure } from '../../../core/failure.ts';
import type { FailureKind } from '../../../protocol/errors.ts';
import type { OpenTranscript, TranscriptChunk } from '../../../session/transcript/reader.ts';

/** The data that a thread is started with. */
export interface ThreadRequest {
	/** Path of the transcript to read. */
	transcript: string;
}

/** Requests the next batch; each request is answered, in order. */
export const nextBatchRequest = 'next';

/** The first answer is `opened` or `failed`, later ones are `piece` or `failed`. */
export type ThreadAnswer =
	| ({ t: 'opened'; watched: string[] } & Pick<OpenTranscript, 'agent' | 'path' | 'size' | 'newestModel'>)
	| { t: 'piece'; batch: TranscriptChunk | undefined }
	| { t: 'failed'; failure?: CarriedFailure; error?: unknown };

/** A `Failure` between threads, whose copies of errors lose own members. */
interface CarriedFailure {
	kind: FailureKind;
	message: string;
	data: Record<string, unknown>;
	cause: unknown;
}

/** Wraps an error in an answer. */
export function failedAnswer(error: unknown): ThreadAnswer {
	if (!(error instanceof Failure)) return { t: 'failed', error };
	const { kind, message, data, cause } = error;
	return { t: 'failed', failure: { kind, message, data, cause } };
}

/** The error in an answer. */
export function carriedError({ failure, error }: Extract<ThreadAnswer, { t: 'failed' }>): unknown {
	if (failure === undefined) return error;
	return new Failure(failure.kind, failure.message, failure.data, failure.cause);
}
