import { readFileSync, statSync } from 'node:fs';
import { isTimeSettled } from '../../node/transcript/openFile.ts';
import type { Archive } from '../archive/archive.ts';
import type { ReadOutcome, RecordedTranscript } from './recordedTranscript.ts';
import { fileStampOf } from './stamp.ts';

/** A file with the whole output of a tool. It is recorded as one entry, and again if it changes. */
export class OutputFile implements RecordedTranscript {
	readonly #archive: Archive;
	readonly recordingId: string;
	readonly #path: string;
	readonly #toRecord: (text: string) => object;

	constructor(archive: Archive, recordingId: string, path: string, toRecord: (text: string) => object) {
		this.#archive = archive;
		this.recordingId = recordingId;
		this.#path = path;
		this.#toRecord = toRecord;
	}

	readMore(): ReadOutcome {
		const { mtimeMs } = statSync(this.#path);
		// Its agent may still write it.
		if (!isTimeSettled(mtimeMs)) return { hasMore: true, hasChanged: false };
		const position = fileStampOf(this.#path);
		if (this.#archive.positionOf(this.recordingId) === position) return { hasMore: false, hasChanged: false };
		const text = JSON.stringify(this.#toRecord(readFileSync(this.#path, 'utf8')));
		const entries = [{ at: Math.round(mtimeMs), text }];
		this.#archive.append(this.recordingId, { entries, startsOver: true, position });
		return { hasMore: false, hasChanged: true };
	}

	close(): void {}
}
