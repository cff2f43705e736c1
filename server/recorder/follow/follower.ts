import { statSync } from 'node:fs';
import { LRUCache } from 'lru-cache';
import { errorCode, errorText } from '../../core/failure.ts';
import type { AgentEnvironment } from '../../node/transcript/agentEnvironment.ts';
import { isTimeSettled } from '../../node/transcript/openFile.ts';
import type { Logger } from '../../session/ports.ts';
import type { Archive } from '../archive/archive.ts';
import { TranscriptFinder } from './finder.ts';
import { LineTranscript } from './lineTranscript.ts';
import { OutputFile } from './outputFile.ts';
import type { ReadOutcome, RecordedTranscript } from './recordedTranscript.ts';
import { listTranscriptRoots } from './searchSteps.ts';
import { SessionDatabases } from './sessionDatabases.ts';
import { readSettledStamp, readStamp, readStampedState } from './stamp.ts';
import { isOutput, TranscriptOpener } from './transcriptOpener.ts';

/** A transcript that may change at any time. */
interface LiveTranscript {
	transcript: RecordedTranscript;
	/** When the transcript changed last; milliseconds on the clock of `performance.now`. */
	changedAt: number;
	/** When the transcript is read next; milliseconds on the same clock. */
	dueAt: number;
	/** Whether the transcript was read to its end once. */
	isCaughtUp: boolean;
	/** State of the file right before it was last read or found unchanged. */
	stamp: string;
}

/** Milliseconds between two rounds: if nothing waits, while transcripts wait to be read, and after an error of the archive. */
const [roundMs, busyRoundMs, failedRoundMs] = [500, 50, 1000];
/** Minimum milliseconds between two reads of a live transcript. */
const minReadIntervalMs = 400;
/** Milliseconds without a change after which a transcript is no longer live. */
const liveMs = 10 * 60_000;
/** Maximum share of the time that is spent on reading one transcript that is not a file of lines. */
const maxReadShare = 1 / 20;
/** Maximum live transcripts, whose files stay open. */
const maxLiveTranscripts = 200;
/** Milliseconds per round for searching transcripts, and for each step of opening or reading them. */
const [passSliceMs, workSliceMs] = [5, 50];
/** Number of unopened transcripts at which a search pauses; maximum number that one transaction opens. */
const [maxDue, maxOpened] = [500, 50];
/** Maximum transcripts whose file state is remembered; for others, the archive is asked. */
const maxRemembered = 20_000;

export interface FollowerOptions {
	archive: Archive;
	machine: AgentEnvironment;
	excludedFolders(): readonly string[];
	log: Logger;
	/** Called when the archive could not be written. */
	onFailure(error: unknown): void;
	/** Called after each round that succeeded. */
	onSuccess(): void;
}

/** Follows all transcripts of all agents, and records what is new in them. Never writes to a transcript. */
export class Follower {
	readonly #options: FollowerOptions;
	readonly #opener: TranscriptOpener;
	readonly #finder: TranscriptFinder;
	readonly #databases: SessionDatabases;
	readonly #liveTranscripts = new Map<string, LiveTranscript>();
	/** Paths of transcripts that are new or have changed, and are not open. */
	readonly #duePaths = new Set<string>();
	/** File state of each transcript when there was nothing to read, by path. */
	readonly #settledStamps = new LRUCache<string, string>({ max: maxRemembered });
	#timer: NodeJS.Timeout | undefined;
	#round: Promise<void> = Promise.resolve();
	/** Whether a round is running; during a round, a transcript may temporarily be in no list. */
	#isInRound = false;
	/** Whether the archive could not be written in the last round. */
	#hasFailed = false;
	#isStopped = false;

	constructor(options: FollowerOptions) {
		this.#options = options;
		this.#opener = new TranscriptOpener(options.archive, options.excludedFolders);
		this.#finder = new TranscriptFinder(listTranscriptRoots(options.machine), (path) =>
			this.#handleFound(path),
		);
		this.#databases = new SessionDatabases(options.machine);
	}

	start(): void {
		this.#timer = setTimeout(
			() => {
				this.#round = this.runRound().finally(() => {
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
		for (const path of this.#liveTranscripts.keys()) this.#release(path);
	}

	/** Searches, opens and reads transcripts that are due. Errors of single transcripts are logged; others are passed to `onFailure`. */
	async runRound(): Promise<void> {
		this.#isInRound = true;
		try {
			if (this.#duePaths.size < maxDue) this.#finder.advance(passSliceMs);
			await this.#findSessions();
			await this.#readLive();
			await this.#openDue();
			await this.#readLive();
			this.#hasFailed = false;
			this.#options.onSuccess();
		} catch (error) {
			this.#hasFailed = true;
			// Uncommitted entries must be read again soon, and the next pass may be minutes away.
			for (const path of this.#liveTranscripts.keys()) {
				this.#release(path);
				this.#duePaths.add(path);
			}
			this.#databases.startOver();
			this.#settledStamps.clear();
			this.#options.onFailure(error);
		} finally {
			this.#isInRound = false;
		}
	}

	/** Whether every transcript has been found and read to its end. */
	get isIdle(): boolean {
		return !this.#isInRound && this.#finder.hasSearchedAll && this.unreadTranscripts.length === 0;
	}

	/** The transcripts that were not yet read to their end: the ids of their recordings, or their paths if they have none. */
	get unreadTranscripts(): string[] {
		const live = [...this.#liveTranscripts.values()].filter(({ isCaughtUp }) => !isCaughtUp);
		return [...this.#duePaths, ...live.map(({ transcript }) => transcript.recordingId)];
	}

	/** Marks all transcripts that exist now as unread until they are recorded, and searches for them. */
	async readAgain(): Promise<void> {
		// The current round may have read a transcript before its newest change.
		await this.#round;
		this.#finder.restartPass();
		this.#databases.readAgain();
		for (const live of this.#liveTranscripts.values()) Object.assign(live, { dueAt: 0, isCaughtUp: false });
	}

	/** Why the system refuses to watch a folder; undefined if there is no refusal. */
	get watchRefusal(): string | undefined {
		return this.#finder.watchRefusal;
	}

	#handleFound(path: string): void {
		const live = this.#liveTranscripts.get(path);
		if (live) live.dueAt = 0;
		else if (this.#settledStamps.get(path) !== readStamp(path)) this.#duePaths.add(path);
	}

	/** Opens transcripts that are due, until the time of a slice is used up. One transaction begins all of their recordings. */
	async #openDue(): Promise<void> {
		const toStart: { path: string; begin(): RecordedTranscript }[] = [];
		const postponed: string[] = [];
		for (const path of iterateSlice(this.#duePaths)) {
			if (this.#isStopped || toStart.length === maxOpened) break;
			this.#duePaths.delete(path);
			await this.#skipOnError(path, async () => {
				const state = readStampedState(path);
				if (state === undefined || this.#settledStamps.get(path) === state.stamp) return;
				const { stamp, size, mtimeMs } = state;
				const isUpToDate = this.#opener.isUpToDate(path);
				const begin = isUpToDate ? undefined : await this.#opener.open(path, size);
				if (begin === 'later') postponed.push(path);
				else if (begin) toStart.push({ path, begin });
				else if (isUpToDate || isTimeSettled(mtimeMs)) this.#settledStamps.set(path, stamp);
			});
		}
		this.#startRecordings(toStart);
		// An output waits for its session only if the session may just have been opened or is still due.
		if (postponed.length > 0 && (toStart.length > 0 || [...this.#duePaths].some((path) => !isOutput(path))))
			for (const path of postponed) this.#duePaths.add(path);
	}

	async #findSessions(): Promise<void> {
		const toStart: { path: string; begin(): RecordedTranscript }[] = [];
		await this.#skipOnError('a database of sessions', async () => {
			for (const { info, updatedAt } of await this.#databases.readChanged()) {
				const live = this.#liveTranscripts.get(info.path);
				const begin = live ? undefined : this.#opener.openSession(info, updatedAt);
				if (live) live.dueAt = 0;
				else if (begin) toStart.push({ path: info.path, begin });
			}
		});
		this.#startRecordings(toStart);
	}

	#startRecordings(toStart: readonly { path: string; begin(): RecordedTranscript }[]): void {
		if (toStart.length === 0) return;
		// If the transaction fails, these transcripts stay due.
		for (const { path } of toStart) this.#duePaths.add(path);
		this.#options.archive.transaction(() => {
			for (const { path, begin } of toStart) {
				const transcript = begin();
				this.#finishMoved(transcript.recordingId);
				// A saved output of a tool does not change.
				const isDone = isOld(path) || transcript instanceof OutputFile;
				const changedAt = performance.now() - (isDone ? liveMs : 0);
				this.#liveTranscripts.set(path, { transcript, changedAt, dueAt: 0, isCaughtUp: false, stamp: '' });
			}
		});
		for (const { path } of toStart) this.#duePaths.delete(path);
	}

	/** If the transcript of a recording was moved, reads the rest from its open file before its new path is followed. */
	#finishMoved(recordingId: string): void {
		for (const [path, { transcript }] of this.#liveTranscripts) {
			if (transcript.recordingId !== recordingId) continue;
			if (transcript instanceof LineTranscript) while (transcript.readMore().hasMore);
			this.#release(path);
		}
	}

	/** Reads the live transcripts that are due; all files of lines in one transaction. */
	async #readLive(): Promise<void> {
		const now = performance.now();
		const dueTranscripts = [...this.#liveTranscripts].filter(([, { dueAt }]) => dueAt <= now);
		// Even an empty transaction touches the disk.
		const changed = dueTranscripts.filter(([path, live]) => this.#mayHaveChanged(path, live));
		if (changed.length > 0) {
			this.#options.archive.transaction(() => {
				for (const [path, live] of iterateSlice(changed)) this.#readLines(path, live);
			});
		}
		const others = dueTranscripts.filter(([, { transcript }]) => !(transcript instanceof LineTranscript));
		for (const [path, live] of iterateSlice(others)) {
			await this.#skipOnError(path, async () => {
				const before = performance.now();
				// A file that is still being written must be found again, so its stamp must not count as settled.
				live.stamp = readSettledStamp(path);
				const outcome = await live.transcript.readMore();
				scheduleNextRead(live, outcome, (performance.now() - before) / maxReadShare);
			});
		}
		this.#releaseOld();
	}

	/** Whether a transcript is a file of lines that may have new lines; if not, schedules the next check. */
	#mayHaveChanged(path: string, live: LiveTranscript): boolean {
		if (!(live.transcript instanceof LineTranscript)) return false;
		try {
			const stamp = readStamp(path);
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
			live.stamp = readStamp(path);
			const outcome = (live.transcript as LineTranscript).readMore();
			scheduleNextRead(live, outcome, minReadIntervalMs);
			if (outcome.isGone) this.#release(path);
		} catch (error) {
			if (!isTranscriptError(error)) throw error;
			this.#skipUntilChanged(path, error);
		}
	}

	/** Closes transcripts that have not changed for long, and the oldest ones if too many are open. */
	#releaseOld(): void {
		const now = performance.now();
		const byAge = [...this.#liveTranscripts].sort(([, a], [, b]) => a.changedAt - b.changedAt);
		for (const [index, [path, { changedAt, dueAt, stamp }]] of byAge.entries()) {
			const isIdle = dueAt > 0 && now - changedAt > liveMs;
			if (!isIdle && (index >= byAge.length - maxLiveTranscripts || dueAt === 0)) continue;
			// Not the current stamp: a change since the last read must be found.
			this.#settledStamps.set(path, stamp);
			this.#release(path);
		}
	}

	#release(path: string): void {
		this.#liveTranscripts.get(path)?.transcript.close();
		this.#liveTranscripts.delete(path);
	}

	async #skipOnError(path: string, task: () => Promise<void>): Promise<void> {
		try {
			await task();
		} catch (error) {
			if (!isTranscriptError(error)) throw error;
			this.#skipUntilChanged(path, error);
		}
	}

	/** Logs that a transcript cannot be read, and skips it until it changes. */
	#skipUntilChanged(path: string, error: unknown): void {
		if (errorCode(error) !== 'ENOENT') this.#options.log.info(`not recorded: ${path}: ${errorText(error)}`);
		this.#settledStamps.set(path, readStamp(path));
		this.#release(path);
	}
}

/** Yields items until the time of a slice is used up; always at least one. */
function* iterateSlice<T>(items: Iterable<T>): Generator<T> {
	const until = performance.now() + workSliceMs;
	for (const item of items) {
		yield item;
		if (performance.now() > until) return;
	}
}

/** Updates the times of a transcript after a read: its last change and its next read. */
function scheduleNextRead(live: LiveTranscript, { hasMore, hasChanged }: ReadOutcome, pauseMs: number): void {
	const now = performance.now();
	if (hasChanged && live.isCaughtUp) live.changedAt = now;
	if (!hasMore) live.isCaughtUp = true;
	live.dueAt = hasMore ? 0 : now + Math.max(minReadIntervalMs, pauseMs);
}

/** Whether an error concerns one transcript rather than the archive. */
function isTranscriptError(error: unknown): boolean {
	return (
		errorCode(error) !== '' ||
		(error instanceof Error &&
			['FileUnreadable', 'UnsupportedFormat', 'SessionNotFound'].includes(error.name))
	);
}

/** Whether a file changed so long ago that its agent has probably ended. */
function isOld(path: string): boolean {
	const stats = statSync(path, { throwIfNoEntry: false });
	return stats !== undefined && Math.abs(Date.now() - stats.mtimeMs) > liveMs;
}
