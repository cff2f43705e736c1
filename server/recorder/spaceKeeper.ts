import { closeSync, fsyncSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, errorText } from '../core/failure.ts';
import type { RecorderSettings } from '../protocol/recorder.ts';
import type { Logger } from '../session/ports.ts';
import type { Archive } from './archive/archive.ts';
import type { Recording } from './archive/recording.ts';
import { enforceBudget, removeOldest } from './budget.ts';

/** Bytes of a file that is removed when the disk is full, since removing recordings takes space itself. */
const reserveBytes = 4 << 20;
/** Milliseconds between two searches for recordings that are too old. */
const ageCheckMs = 60 * 60_000;

/** Keeps the archive within its limits, also on a full disk, and reports each problem once. */
export class SpaceKeeper {
	readonly #archive: Archive;
	readonly #reserve: string;
	readonly #log: Logger;
	#problem: string | undefined;
	/** Problems that were logged. On a full disk, the same one recurs after each session that is removed. */
	readonly #reported = new Set<string>();
	#hasReportedLimit = false;
	#nextAgeCheckAt = performance.now() + ageCheckMs;

	constructor(archive: Archive, folder: string, log: Logger) {
		this.#archive = archive;
		this.#reserve = join(folder, 'reserve');
		this.#log = log;
		mkdirSync(folder, { recursive: true, mode: 0o700 });
		this.#fillReserve();
	}

	/** Why nothing can be recorded at the moment. */
	get problem(): string | undefined {
		return this.#problem;
	}

	/** Removes what exceeds the limits; call regularly. */
	check(limits: Pick<RecorderSettings, 'maxBytes' | 'maxDays'>): void {
		try {
			const removed = enforceBudget(this.#archive, limits, this.#timeIfDue());
			if (removed.length === 0) return;
			if (!this.#hasReportedLimit)
				this.#log.warn('the recorder is at its limit: it removes the oldest sessions');
			this.#hasReportedLimit = true;
			for (const one of removed) this.#log.info(`removed ${nameOf(one)}`);
		} catch (error) {
			this.failed(error);
		}
	}

	/** Call when the archive could not be written. On a full disk, the oldest session that is not pinned is removed. */
	failed(error: unknown): void {
		const isFull = isDiskFull(this.#reserve);
		const problem = isFull ? 'the disk or quota is full' : errorText(error);
		if (!this.#reported.has(problem)) this.#log.error(`sessions are not recorded: ${problem}`);
		this.#reported.add(problem);
		this.#problem = problem;
		if (!isFull) return;
		rmSync(this.#reserve, { force: true });
		try {
			const removed = removeOldest(this.#archive);
			if (removed) this.#log.info(`removed ${nameOf(removed)}`);
		} catch (failure) {
			// Other programs may take the space of the reserve first; a later call tries again.
			this.#log.debug(`nothing could be removed: ${errorText(failure)}`);
		}
		this.#fillReserve();
	}

	/** Call when the archive could be written again. */
	recovered(): void {
		if (this.#problem === undefined) return;
		this.#log.debug('sessions are recorded again');
		this.#problem = undefined;
		this.#fillReserve();
	}

	/** The present time if the last check was an hour ago; otherwise undefined. */
	#timeIfDue(): number | undefined {
		if (performance.now() < this.#nextAgeCheckAt) return undefined;
		this.#nextAgeCheckAt = performance.now() + ageCheckMs;
		return Date.now();
	}

	#fillReserve(): void {
		try {
			writeZeros(this.#reserve, reserveBytes);
		} catch (error) {
			if (!fullCodes.includes(errorCode(error))) throw error;
			// The disk is full; the reserve is filled again once something was removed.
			rmSync(this.#reserve, { force: true });
		}
	}
}

const fullCodes: readonly string[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/**
 * Whether there is too little space next to `path` for a change of the archive. Tries it with a file of that size: the
 * space that a failed change took is free again, so a small file would fit.
 */
function isDiskFull(path: string): boolean {
	const probe = `${path}.probe`;
	try {
		writeZeros(probe, reserveBytes);
		return false;
	} catch (error) {
		if (!fullCodes.includes(errorCode(error))) throw error;
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

/** Names a recording for the log, which must not contain texts of sessions such as its title. */
function nameOf({ label, recordingId }: Recording): string {
	return `the recording ${recordingId} of ${label}`;
}
