import { readFileSync, statSync } from 'node:fs';
import { isTimeSettled } from '../../node/transcript/openFile.ts';
import type { Archive } from '../archive/archive.ts';
import { maxLineBytes } from './rawLines.ts';
import type { ReadOutcome, RecordedTranscript } from './recordedTranscript.ts';
import { fileStampOf } from './stamp.ts';

/** Milliseconds for which the recorder waits until an output is no longer written. */
const maxWaitMs = 1000;

/** A file with the whole output of a tool. It is recorded as one entry, and again if it changes. */
export class OutputFile implements RecordedTranscript {
	readonly #archive: Archive;
	readonly recordingId: string;
	readonly #path: string;
	readonly #toRecord: (text: string) => object;
	readonly #waitsUntil = performance.now() + maxWaitMs;

	constructor(archive: Archive, recordingId: string, path: string, toRecord: (text: string) => object) {
		this.#archive = archive;
		this.recordingId = recordingId;
		this.#path = path;
		this.#toRecord = toRecord;
	}

	readMore(): ReadOutcome {
		const { size, mtimeMs } = statSync(this.#path);
		if (size > maxLineBytes) return { hasMore: false, hasChanged: false };
		// Its agent may still write it. If it is written for long, a later pass finds it again.
		if (!isTimeSettled(mtimeMs)) return { hasMore: performance.now() < this.#waitsUntil, hasChanged: false };
		const position = fileStampOf(this.#path);
		if (this.#archive.positionOf(this.recordingId) === position) return { hasMore: false, hasChanged: false };
		const text = JSON.stringify(this.#toRecord(readFileSync(this.#path, 'utf8')));
		const entries = [{ at: Math.round(mtimeMs), text }];
		this.#archive.append(this.recordingId, { entries, startsOver: true, position });
		return { hasMore: false, hasChanged: true };
	}

	close(): void {}
}
