/** Reads new parts of a transcript, and reports the progress. */

import type { Mirror } from './mirror.ts';
import type { OpenTranscript } from './reader.ts';

/** Cancellation and progress of an import. */
export interface ImportContext {
	/** Cancels the import, which then removes what it stored and deletes a session that it created. */
	signal?: AbortSignal;
	/** Receives the progress, at most a few times a second; `percentage` is 0 to 100. */
	report?(step: string, percentage?: number): void;
}

/** Minimum bytes and milliseconds between two progress reports. */
const minReportGap = { bytes: 1 << 20, ms: 250 };

/** Receives the number of bytes read since the last call. */
type BytesListener = (bytes: number) => void;

/** Returns a listener that reports progress, relative to the transcript's size when it was opened. */
export function createProgressListener(
	{ size }: OpenTranscript,
	report: NonNullable<ImportContext['report']>,
	now: () => number,
): BytesListener {
	const formatMegabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
	let total = 0;
	let lastReport = { bytes: 0, at: now() };
	return (bytes) => {
		total += bytes;
		const at = now();
		if (total - lastReport.bytes < minReportGap.bytes || at - lastReport.at < minReportGap.ms) return;
		lastReport = { bytes: total, at };
		if (size === undefined || total > size) report(`${formatMegabytes(total)} MB`);
		else report(`${formatMegabytes(total)} of ${formatMegabytes(size)} MB`, Math.floor((100 * total) / size));
	};
}

/** Reads the new part of a transcript into its session; false if the skipped beginning is needed. */
export async function readNewChunks(
	transcript: OpenTranscript,
	mirror: Mirror,
	signal?: AbortSignal,
	onBytes?: BytesListener,
): Promise<boolean> {
	let hasNews = false;
	for (
		let batch = await transcript.readNext(signal);
		batch !== undefined;
		batch = await transcript.readNext(signal)
	) {
		signal?.throwIfAborted();
		onBytes?.(batch.bytes);
		if (!(await mirror.apply(batch))) return false;
		hasNews = true;
	}
	if (hasNews) await mirror.settle();
	return true;
}
