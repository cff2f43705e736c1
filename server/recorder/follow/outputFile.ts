import { readFileSync, statSync } from 'node:fs';
import { isTimeSettled } from '../../node/transcript/openFile.ts';
import { maxRawLineBytes } from '../../node/transcript/rawLines.ts';
import type { Archive } from '../archive/archive.ts';
import type { ReadOutcome, RecordedTranscript } from './recordedTranscript.ts';
import { readStamp } from './stamp.ts';

/** The recorder waits at most this many milliseconds until an output is completely written. */
const maxWaitMs = 1000;

/** Records a file with the whole output of a tool as one entry, and again if the file changes. */
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
		if (size > maxRawLineBytes) return { hasMore: false, hasChanged: false };
		// The agent may still be writing the file. If that takes long, a later pass finds the file again.
		if (!isTimeSettled(mtimeMs)) return { hasMore: performance.now() < this.#waitsUntil, hasChanged: false };
		const position = readStamp(this.#path);
		if (this.#archive.readPosition(this.recordingId) === position)
			return { hasMore: false, hasChanged: false };
		const text = JSON.stringify(this.#toRecord(readFileSync(this.#path, 'utf8')));
		const entries = [{ at: Math.round(mtimeMs), text }];
		this.#archive.append(this.recordingId, { entries, isRestart: true, position });
		return { hasMore: false, hasChanged: true };
	}

	close(): void {}
}
