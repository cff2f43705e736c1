import { closeSync, fsyncSync, mkdirSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { diskFullCodes, errorCode, errorText } from '../core/failure.ts';
import { splitDatabasePath } from '../node/transcript/sessionDatabase.ts';
import type { RecorderSettings } from '../protocol/recorder.ts';
import type { Logger } from '../session/ports.ts';
import type { Archive } from './archive/archive.ts';
import type { Recording } from './archive/recording.ts';

/** Bytes of the reserve file. Removing recordings takes some space, so this file is removed first if the disk is full. */
const reserveBytes = 4 << 20;
/** Milliseconds between two checks for recordings that are too old. */
const ageCheckMs = 60 * 60_000;

/** Keeps the archive within its limits, even on a full disk, and logs each problem once. */
export class SpaceKeeper {
	readonly #archive: Archive;
	readonly #reserveFile: string;
	readonly #log: Logger;
	#problem: string | undefined;
	/** Problems that were logged. On a full disk, the same problem recurs after each removed session. */
	readonly #loggedProblems = new Set<string>();
	#hasReportedLimit = false;
	#nextAgeCheckAt = performance.now() + ageCheckMs;

	constructor(archive: Archive, folder: string, log: Logger) {
		this.#archive = archive;
		this.#reserveFile = join(folder, 'reserve');
		this.#log = log;
		mkdirSync(folder, { recursive: true, mode: 0o700 });
		this.#fillReserve();
	}

	/** Why nothing can be recorded at the moment; undefined if there is no problem. */
	get problem(): string | undefined {
		return this.#problem;
	}

	/** Removes recordings that exceed the limits. Call this regularly. */
	check(limits: Pick<RecorderSettings, 'maxBytes' | 'maxDays'>): void {
		try {
			const removed = enforceBudget(this.#archive, limits, this.#chooseAgeCheckTime());
			if (removed.length === 0) return;
			if (!this.#hasReportedLimit)
				this.#log.warn('the recorder is at its limit: it removes the oldest sessions');
			this.#hasReportedLimit = true;
			for (const one of removed) this.#log.info(`removed ${describeRecording(one)}`);
		} catch (error) {
			this.handleFailure(error);
		}
	}

	/** Call this when the archive could not be written. If the disk is full, the oldest unpinned session is removed. */
	handleFailure(error: unknown): void {
		const isFull = isDiskFull(this.#reserveFile);
		const problem = isFull ? 'the disk or quota is full' : errorText(error);
		if (!this.#loggedProblems.has(problem)) this.#log.error(`sessions are not recorded: ${problem}`);
		this.#loggedProblems.add(problem);
		this.#problem = problem;
		if (!isFull) return;
		rmSync(this.#reserveFile, { force: true });
		try {
			const removed = removeOldestRecording(this.#archive);
			if (removed) this.#log.info(`removed ${describeRecording(removed)}`);
		} catch (failure) {
			// Another program may have taken the space of the reserve; a later call tries again.
			this.#log.debug(`nothing could be removed: ${errorText(failure)}`);
		}
		this.#fillReserve();
	}

	/** Call this when the archive could be written again. */
	handleRecovery(): void {
		if (this.#problem === undefined) return;
		this.#log.debug('sessions are recorded again');
		this.#problem = undefined;
		this.#fillReserve();
	}

	/** Returns the current time if ages must be checked, which is once an hour; else undefined. */
	#chooseAgeCheckTime(): number | undefined {
		if (performance.now() < this.#nextAgeCheckAt) return undefined;
		this.#nextAgeCheckAt = performance.now() + ageCheckMs;
		return Date.now();
	}

	#fillReserve(): void {
		try {
			writeZeros(this.#reserveFile, reserveBytes);
		} catch (error) {
			if (!diskFullCodes.includes(errorCode(error))) throw error;
			// The disk is full. The reserve is filled again after recordings were removed.
			rmSync(this.#reserveFile, { force: true });
		}
	}
}

/**
 * Whether the disk of `path` has too little space for a change of the archive. Tries to write a file as large as the reserve,
 * because a small file would fit into the space that a failed change has freed again.
 */
function isDiskFull(path: string): boolean {
	const probe = `${path}.probe`;
	try {
		writeZeros(probe, reserveBytes);
		return false;
	} catch (error) {
		if (!diskFullCodes.includes(errorCode(error))) throw error;
		return true;
	} finally {
		rmSync(probe, { force: true });
	}
}

function writeZeros(path: string, bytes: number): void {
	const file = openSync(path, 'w', 0o600);
	try {
		for (let at = 0; at < bytes; ) at += writeSync(file, Buffer.alloc(Math.min(1 << 16, bytes - at)));
		fsyncSync(file);
	} finally {
		closeSync(file);
	}
}

/** Describes a recording for the log, which must not contain texts of sessions such as a title. */
function describeRecording({ label, recordingId }: Recording): string {
	return `the recording ${recordingId} of ${label}`;
}

const dayMs = 24 * 60 * 60 * 1000;
/** A recording is removed once it has been too old for this many milliseconds, because the clock may be wrong for a while. */
const graceMs = 7 * dayMs;

/**
 * Removes the oldest unpinned recordings until the archive is small enough, and all unpinned ones that have been too old for a
 * week. Returns the removed recordings. The newest recording stays, even if it is too large.
 * @param now milliseconds since the epoch; if absent, ages are not checked
 */
export function enforceBudget(
	archive: Archive,
	{ maxBytes, maxDays }: Pick<RecorderSettings, 'maxBytes' | 'maxDays'>,
	now?: number,
): Recording[] {
	const removed: Recording[] = [];
	let isTooLarge = archive.countUsedBytes() > maxBytes;
	if (!isTooLarge && now === undefined) return removed;
	const oldestFirst = listRemovable(archive);
	const tooOld = oldestFirst.filter(({ updatedAt }) => (now ?? updatedAt) - updatedAt > maxDays * dayMs);
	const overdue = now === undefined ? new Set() : updateOverdueIds(archive, tooOld, now);
	for (const recording of oldestFirst) {
		if (!overdue.has(recording.recordingId) && !isTooLarge) continue;
		archive.evict(recording.recordingId, readKnownSize(archive, recording));
		isTooLarge = archive.countUsedBytes() > maxBytes;
		removed.push(recording);
	}
	return removed;
}

/** Returns the unpinned recordings without the newest recording, oldest first. */
function listRemovable(archive: Archive): Recording[] {
	const [, ...olderRecordings] = archive.listRecordings();
	return olderRecordings.filter(({ pinned }) => !pinned).reverse();
}

/** Returns the ids of recordings that have been too old for a week; `tooOld` lists all that are too old now. */
function updateOverdueIds(archive: Archive, tooOld: readonly Recording[], now: number): Set<string> {
	const since = archive.updateOverdue(
		tooOld.map(({ recordingId }) => recordingId),
		now,
	);
	return new Set(Array.from(since).flatMap(([id, first]) => (now - first >= graceMs ? [id] : [])));
}

/** Removes the oldest unpinned recording, but never the newest recording. Returns the removed one. */
function removeOldestRecording(archive: Archive): Recording | undefined {
	const [oldest] = listRemovable(archive);
	if (oldest) archive.evict(oldest.recordingId, readKnownSize(archive, oldest));
	return oldest;
}

/** Returns the size of a transcript in bytes; for a session in a database, the time of its last change. */
function readKnownSize(archive: Archive, { recordingId, path, updatedAt }: Recording): number {
	if (splitDatabasePath(path)) return Number(archive.readPosition(recordingId) ?? updatedAt);
	return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
