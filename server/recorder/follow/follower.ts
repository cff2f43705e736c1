import { statSync } from 'node:fs';
import { LRUCache } from 'lru-cache';
import { errorCode, errorText } from '../../core/failure.ts';
import type { AgentEnvironment } from '../../node/transcript/discover/agentEnvironment.ts';
import { isTimeSettled } from '../../node/transcript/openFile.ts';
import type { Logger } from '../../session/ports.ts';
import type { Archive } from '../archive/archive.ts';
import { TranscriptFinder } from './finder.ts';
import { transcriptRoots } from './homes.ts';
import { LineTranscript } from './lineTranscript.ts';
import { OutputFile } from './outputFile.ts';
import type { ReadOutcome, RecordedTranscript } from './recordedTranscript.ts';
import { SessionDatabases } from './sessionDatabases.ts';
import { fileStampOf, settledStampOf } from './stamp.ts';
import { isOutput, TranscriptOpener } from './transcriptOpener.ts';

/** A transcript that may change at any time. */
interface LiveTranscript {
	transcript: RecordedTranscript;
	/** When it changed last, and when it is read next; milliseconds on the clock of `performance.now`. */
	changedAt: number;
	dueAt: number;
	/** Whether it was read to its end once. */
	isCaughtUp: boolean;
	/** State of the file right before it was last read or found unchanged. */
	stamp: string;
}

/** Milliseconds between two rounds: usually, while transcripts wait to be read, and after the archive could not be written. */
const [roundMs, busyRoundMs, failedRoundMs] = [500, 50, 1000];
/** Minimum milliseconds between two reads of a live transcript. */
const minReadIntervalMs = 400;
/** Milliseconds without a change after which a transcript is no longer live. */
const liveMs = 10 * 60_000;
/** Maximum share of the time for reading a transcript that is not a file of lines. */
const maxReadShare = 1 / 20;
/** Maximum open files of live transcripts. */
const maxLive = 200;
/** Milliseconds of a slice of a pass, and of work on new transcripts before a pause of the same length. */
const [passSliceMs, workSliceMs] = [5, 50];
/** Maximum transcripts that wait to be opened before a pass continues, and that are opened together. */
const [maxDue, maxOpened] = [500, 50];
/** Maximum transcripts whose state is remembered; the archive knows the others. */
const maxRemembered = 20_000;

export interface FollowerOptions {
	archive: Archive;
	machine: AgentEnvironment;
	excludedFolders(): readonly string[];
	log: Logger;
	/** Called when the archive could not be written. */
	failed(error: unknown): void;
	/** Called after each round that succeeded. */
	succeeded(): void;
}

/** Follows all transcripts of all agents, and commits what is new. Never writes to them. */
export class Follower {
	readonly #options: FollowerOptions;
	readonly #opener: TranscriptOpener;
	readonly #finder: TranscriptFinder;
	readonly #databases: SessionDatabases;
	readonly #live = new Map<string, LiveTranscript>();
	/** Transcripts that are new or were changed. */
	readonly #due = new Set<string>();
	/** State of each transcript when it was last found to need no reading. */
	readonly #settled = new LRUCache<string, string>({ max: maxRemembered });
	#timer: NodeJS.Timeout | undefined;
	#round: Promise<void> = Promise.resolve();
	/** Whether a round is running; a transcript may be on none of the lists meanwhile. */
	#isInRound = false;
	/** Whether the archive could not be written in the last round. */
	#hasFailed = false;
	#isStopped = false;

	constructor(options: FollowerOptions) {
		this.#options = options;
		this.#opener = new TranscriptOpener(options.archive, options.excludedFolders);
		this.#finder = new TranscriptFinder(transcriptRoots(options.machine), (path) => this.#find(path));
		this.#databases = new SessionDatabases(options.machine);
	}

	start(): void {
		this.#timer = setTimeout(
			() => {
				this.#round = this.round().finally(() => {
					if (!this.#isStopped) this.start();
				});
			},
			this.#hasFailed ? failedRoundMs : this.isIdle ? roundMs : busyRoundMs,
		);
	}

	/** Stops after the current read. */
	async stop(): Promise<void> {
		this.#isStopped = true;
		clearTimeout(this.#timer);
		await this.#round;
		this.#finder.stop();
		for (const path of this.#live.keys()) this.#release(path);
	}

	/** Reads what is due. Errors of single transcripts are logged, others reported. */
	async round(): Promise<void> {
		this.#isInRound = true;
		try {
			if (this.#due.size < maxDue) this.#finder.advance(passSliceMs);
			await this.#findSessions();
			await this.#readLive();
			await this.#openDue();
			await this.#readLive();
			this.#hasFailed = false;
			this.#options.succeeded();
		} catch (error) {
			this.#hasFailed = true;
			// Whatever was not committed is read again; the next pass may be minutes away.
			for (const path of this.#live.keys()) {
				this.#release(path);
				this.#due.add(path);
			}
			this.#databases.startOver();
			this.#settled.clear();
			this.#options.failed(error);
		} finally {
			this.#isInRound = false;
		}
	}

	/** Whether every transcript was found and read to its end. */
	get isIdle(): boolean {
		return !this.#isInRound && this.#finder.hasPassed && this.unread.length === 0;
	}

	/** The transcripts that are found and not read to their end: ids of recordings, or paths of those without one. */
	get unread(): string[] {
		const live = [...this.#live.values()].filter(({ isCaughtUp }) => !isCaughtUp);
		return [...this.#due, ...live.map(({ transcript }) => transcript.recordingId)];
	}

	/** Searches for everything that exists now, and marks it as unread until it is recorded. */
	async readAgain(): Promise<void> {
		// The current round may have passed something that was written since.
		await this.#round;
		this.#finder.passAgain();
		this.#databases.readAgain();
		for (const live of this.#live.values()) Object.assign(live, { dueAt: 0, isCaughtUp: false });
	}

	/** Why the system refused to watch a folder; undefined if it did not. */
	get watchRefusal(): string | undefined {
		return this.#finder.watchRefusal;
	}

	#find(path: string): void {
		const live = this.#live.get(path);
		if (live) live.dueAt = 0;
		else if (this.#settled.get(path) !== fileStampOf(path)) this.#due.add(path);
	}

	/** Opens transcripts that are due, for a while; one transaction records all of them. */
	async #openDue(): Promise<void> {
		const opened: { path: string; begin(): RecordedTranscript }[] = [];
		const later: string[] = [];
		for (const path of withinSlice(this.#due)) {
			if (this.#isStopped || opened.length === maxOpened) break;
			this.#due.delete(path);
			await this.#guard(path, async () => {
				const stamp = fileStampOf(path);
				if (stamp === '' || this.#settled.get(path) === stamp) return;
				const { size, mtimeMs } = statSync(path);
				const isUpToDate = this.#opener.isUpToDate(path);
				const begin = isUpToDate ? undefined : await this.#opener.open(path, size);
				if (begin === 'later') later.push(path);
				else if (begin) opened.push({ path, begin });
				else if (isUpToDate || isTimeSettled(mtimeMs)) this.#settled.set(path, stamp);
			});
		}
		this.#begin(opened);
		// The session of an output may be among those, or still due; otherwise the next pass finds the output again.
		if (later.length > 0 && (opened.length > 0 || [...this.#due].some((path) => !isOutput(path))))
			for (const path of later) this.#due.add(path);
	}

	async #findSessions(): Promise<void> {
		const opened: { path: string; begin(): RecordedTranscript }[] = [];
		await this.#guard('a database of sessions', async () => {
			for (const { info, updatedAt } of await this.#databases.readChanged()) {
				const live = this.#live.get(info.path);
				const begin = live ? undefined : this.#opener.openSession(info, updatedAt);
				if (live) live.dueAt = 0;
				else if (begin) opened.push({ path: info.path, begin });
			}
		});
		this.#begin(opened);
	}

	#begin(opened: readonly { path: string; begin(): RecordedTranscript }[]): void {
		if (opened.length === 0) return;
		// They are no longer due once they are begun.
		for (const { path } of opened) this.#due.add(path);
		this.#options.archive.transaction(() => {
			for (const { path, begin } of opened) {
				const transcript = begin();
				this.#finishMoved(transcript.recordingId);
				// Outputs do not change.
				const isDone = isOld(path) || transcript instanceof OutputFile;
				const changedAt = performance.now() - (isDone ? liveMs : 0);
				this.#live.set(path, { transcript, changedAt, dueAt: 0, isCaughtUp: false, stamp: '' });
			}
		});
		for (const { path } of opened) this.#due.delete(path);
	}

	/** Reads the rest of a moved transcript from its open file, before it is followed at its new path. */
	#finishMoved(recordingId: string): void {
		for (const [path, { transcript }] of this.#live) {
			if (transcript.recordingId !== recordingId) continue;
			if (transcript instanceof LineTranscript) while (transcript.readMore().hasMore);
			this.#release(path);
		}
	}

	/** Reads the live transcripts that are due; those of lines share one transaction. */
	async #readLive(): Promise<void> {
		const now = performance.now();
		const due = [...this.#live].filter(([, { dueAt }]) => dueAt <= now);
		// Even an empty transaction touches the disk.
		const changed = due.filter(([path, live]) => this.#mayHaveChanged(path, live));
		if (changed.length > 0) {
			this.#options.archive.transaction(() => {
				for (const [path, live] of withinSlice(changed)) this.#readLines(path, live);
			});
		}
		const others = due.filter(([, { transcript }]) => !(transcript instanceof LineTranscript));
		for (const [path, live] of withinSlice(others)) {
			await this.#guard(path, async () => {
				const before = performance.now();
				// An output that is still written is not read, and must be found again.
				live.stamp = settledStampOf(path);
				const outcome = await live.transcript.readMore();
				scheduleNextRead(live, outcome, (performance.now() - before) / maxReadShare);
			});
		}
		this.#releaseOld();
	}

	/** Whether a transcript of lines has to be read; schedules its next check if not. */
	#mayHaveChanged(path: string, live: LiveTranscript): boolean {
		if (!(live.transcript instanceof LineTranscript)) return false;
		try {
			const stamp = fileStampOf(path);
			if (live.transcript.mayHaveChanged) return true;
			live.stamp = stamp;
			scheduleNextRead(live, { hasMore: false, hasChanged: false }, minReadIntervalMs);
		} catch (error) {
			this.#skipUntilChanged(path, error);
		}
		return false;
	}

	#readLines(path: string, live: LiveTranscript): void {
		try {
			live.stamp = fileStampOf(path);
			const outcome = (live.transcript as LineTranscript).readMore();
			scheduleNextRead(live, outcome, minReadIntervalMs);
			if (outcome.isGone) this.#release(path);
		} catch (error) {
			if (!isTranscriptError(error)) throw error;
			this.#skipUntilChanged(path, error);
		}
	}

	/** Closes transcripts that have not changed for long, or the oldest of too many. */
	#releaseOld(): void {
		const now = performance.now();
		const byAge = [...this.#live].sort(([, a], [, b]) => a.changedAt - b.changedAt);
		for (const [index, [path, { changedAt, dueAt, stamp }]] of byAge.entries()) {
			const isIdle = dueAt > 0 && now - changedAt > liveMs;
			if (!isIdle && (index >= byAge.length - maxLive || dueAt === 0)) continue;
			// A change since the last read must be found again.
			this.#settled.set(path, stamp);
			this.#release(path);
		}
	}

	#release(path: string): void {
		this.#live.get(path)?.transcript.close();
		this.#live.delete(path);
	}

	async #guard(path: string, work: () => Promise<void>): Promise<void> {
		try {
			await work();
		} catch (error) {
			if (!isTranscriptError(error)) throw error;
			this.#skipUntilChanged(path, error);
		}
	}

	/** Logs that a transcript cannot be read, and skips it until it changes. */
	#skipUntilChanged(path: string, error: unknown): void {
		if (errorCode(error) !== 'ENOENT') this.#options.log.info(`not recorded: ${path}: ${errorText(error)}`);
		this.#settled.set(path, fileStampOf(path));
		this.#release(path);
	}
}

/** Yields the first item, and more of them until the time of a slice is used up. */
function* withinSlice<T>(items: Iterable<T>): Generator<T> {
	const until = performance.now() + workSliceMs;
	for (const item of items) {
		yield item;
		if (performance.now() > until) return;
	}
}

/** Records, after a read, when a transcript changed and when it is read next. */
function scheduleNextRead(live: LiveTranscript, { hasMore, hasChanged }: ReadOutcome, pauseMs: number): void {
	const now = performance.now();
	if (hasChanged && live.isCaughtUp) live.changedAt = now;
	if (!hasMore) live.isCaughtUp = true;
	live.dueAt = hasMore ? 0 : now + Math.max(minReadIntervalMs, pauseMs);
}

/** Whether an error concerns one transcript, and not the archive. */
function isTranscriptError(error: unknown): boolean {
	return (
		errorCode(error) !== '' ||
		(error instanceof Error &&
			['FileUnreadable', 'UnsupportedFormat', 'SessionNotFound'].includes(error.name))
	);
}

/** Whether a file was changed so long ago that its agent has probably ended. */
function isOld(path: string): boolean {
	const stats = statSync(path, { throwIfNoEntry: false });
	return stats !== undefined && Math.abs(Date.now() - stats.mtimeMs) > liveMs;
}
