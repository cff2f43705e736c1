/** Reading a transcript on, and telling how far that is. */

import type { Mirror } from './mirror.ts';
import type { OpenTranscript } from './reader.ts';

/** Who waits for an import. */
export interface ImportContext {
	/** Ends it: what it had stored by then leaves the session again, and a session it made is deleted. */
	signal?: AbortSignal;
	/** Hears how far the reading is, a few times a second at most; `percentage` is 0 to 100. */
	report?(what: string, percentage?: number): void;
}

/** How a reading is followed. */
export interface Reading {
	signal?: AbortSignal;
	/** Hears of the bytes that were read since the last time. */
	read?(bytes: number): void;
}

/** Bytes, and milliseconds, that lie between two reports at least. */
const reportStep = { bytes: 1 << 20, ms: 250 };

/** Reports by the bytes that were read, of those that the transcript had when it was opened. */
export function reading(
	{ size }: OpenTranscript,
	{ signal, report }: ImportContext,
	now: () => number,
): Reading {
	if (!report) return { signal };
	const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
	let total = 0;
	let told = { bytes: 0, at: now() };
	return {
		signal,
		read(bytes) {
			total += bytes;
			const at = now();
			if (total - told.bytes < reportStep.bytes || at - told.at < reportStep.ms) return;
			told = { bytes: total, at };
			if (size === undefined || total > size) report(`${megabytes(total)} MB`);
			else report(`${megabytes(total)} of ${megabytes(size)} MB`, Math.floor((100 * total) / size));
		},
	};
}

/** Reads what is there now, and brings the session in line with it; false where it needs what it passed over. */
export async function readOn(
	transcript: OpenTranscript,
	mirror: Mirror,
	{ signal, read }: Reading,
): Promise<boolean> {
	let isNews = false;
	for (
		let batch = await transcript.next(signal);
		batch !== undefined;
		batch = await transcript.next(signal)
	) {
		signal?.throwIfAborted();
		read?.(batch.bytes);
		if (!(await mirror.take(batch))) return false;
		isNews = true;
	}
	if (isNews) await mirror.settle();
	return true;
}
