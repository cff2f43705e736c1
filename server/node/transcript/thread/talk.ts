/** What is said between the daemon and a thread that reads one transcript for it. */

import { Failure } from '../../../core/failure.ts';
import type { FailureKind } from '../../../protocol/errors.ts';
import type { OpenTranscript, TranscriptChunk } from '../../../session/transcript/reader.ts';

/** What a thread is started with. */
export interface ThreadRequest {
	/** The path of the transcript that it reads. */
	transcript: string;
}

/** Asks for the next piece; every one is answered, in order. */
export const nextPiece = 'next';

/** The thread's first answer is `opened` or `failed`, every later one `piece` or `failed`. */
export type ThreadAnswer =
	| ({ t: 'opened'; watched: string[] } & Pick<OpenTranscript, 'agent' | 'path' | 'size' | 'newestModel'>)
	| { t: 'piece'; batch: TranscriptChunk | undefined }
	| { t: 'failed'; failure?: CarriedFailure; error?: unknown };

/** A `Failure` between threads, which copy errors without what is their own. */
interface CarriedFailure {
	kind: FailureKind;
	message: string;
	data: Record<string, unknown>;
	cause: unknown;
}

/** An error as the answer that carries it. */
export function failed(error: unknown): ThreadAnswer {
	if (!(error instanceof Failure)) return { t: 'failed', error };
	const { kind, message, data, cause } = error;
	return { t: 'failed', failure: { kind, message, data, cause } };
}

/** The error that an answer carries. */
export function carriedError({ failure, error }: Extract<ThreadAnswer, { t: 'failed' }>): unknown {
	if (failure === undefined) return error;
	return new Failure(failure.kind, failure.message, failure.data, failure.cause);
}
