import { splitDocument } from '../../core/transcript/index.ts';
import { asFields, parseTime } from '../../core/values.ts';
import { openSource } from '../../node/transcript/openSource.ts';
import type { RecordSource } from '../../node/transcript/source.ts';
import type { Archive } from '../archive/archive.ts';
import type { ReadOutcome, RecordedTranscript } from './recordedTranscript.ts';
import { readStamp } from './stamp.ts';

/**
 * Records a transcript that is not a file of lines: a JSON document, a tree of records, a session in a database, or a
 * compressed file.
 *
 * After each change, reads the whole transcript and adds only the records that the archive lacks.
 */
export class RecordTranscript implements RecordedTranscript {
	readonly #archive: Archive;
	readonly recordingId: string;
	readonly #path: string;
	#source: RecordSource | undefined;
	#hasStarted = false;
	/** Stamp of the transcript, for the archive to store after a complete read; empty once it is stored. */
	#position: string;

	constructor(archive: Archive, recordingId: string, path: string, position: string) {
		this.#archive = archive;
		this.recordingId = recordingId;
		this.#path = path;
		this.#position = position;
	}

	async readMore(): Promise<ReadOutcome> {
		const stamp = readStamp(this.#path);
		this.#source ??= await openSource(this.#path);
		const batch = await this.#source.next();
		if (batch === undefined) {
			if (this.#position !== '')
				this.#archive.append(this.recordingId, { entries: [], position: this.#position });
			this.#position = '';
			return { hasMore: false, hasChanged: false };
		}
		if (stamp !== '') this.#position = stamp;
		const now = Date.now();
		const entries = batch.records.flatMap((record) =>
			splitDocument(record).map((text) => ({ at: findRecordTime(record) ?? now, text })),
		);
		// The first batch starts over, so that the archive skips the records that it has from earlier reads.
		this.#archive.append(this.recordingId, { entries, isRestart: !this.#hasStarted });
		this.#hasStarted = true;
		return { hasMore: true, hasChanged: true };
	}

	close(): void {
		void this.#source?.close();
		this.#source = undefined;
	}
}

function findRecordTime(record: unknown): number | undefined {
	const { timestamp, time, updatedAt } = asFields(record);
	return parseTime(timestamp, asFields(time).created, updatedAt);
}
