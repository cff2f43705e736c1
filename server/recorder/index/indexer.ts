import { setTimeout } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { errorText } from '../../core/failure.ts';
import { pauseForOthers } from '../../core/slices.ts';
import type { Archive } from '../archive/archive.ts';
import { DamagedIndexError, type IndexStore } from './indexStore.ts';
import { type IndexedMessage, RecordingReader } from './recordingReader.ts';
import { createScopeTerms } from './scope.ts';

/** Maximum readers in memory. A recording whose reader was dropped must be read again from its start. */
const maxReaders = 64;
/** Milliseconds of a slice of work. Other requests are answered between slices. */
const sliceMs = 12;
/** Milliseconds between two commits during longer work. */
const commitMs = 4000;
/** Milliseconds to wait after a failed commit. */
const retryMs = 1000;
/** Maximum passages that one step removes. */
const maxRemovedPassages = 64;

/** The reader of a recording, and the seq of the entry that it expects next. */
interface ReaderState {
	reader: RecordingReader;
	nextSeq: number;
}

/** Keeps the index up to date with the archive, in slices. */
export class Indexer {
	readonly #archive: Archive;
	readonly #store: IndexStore;
	readonly #warn: (text: string) => void;
	/** Recordings with entries that are not in the index yet. */
	readonly #waitingRecordings = new Set<string>();
	/** Recordings to remove from the index. */
	readonly #removals: string[] = [];
	/** Recordings that were completed or removed since the last commit, and must be queued again if it is rolled back. */
	readonly #uncommittedRecordings = { added: new Set<string>(), removed: new Set<string>() };
	/** The last error that was logged since the last commit, so that a full disk is not logged at each attempt. */
	#loggedProblem: string | undefined;
	readonly #readers = new LRUCache<string, ReaderState>({ max: maxReaders });
	#running: Promise<void> | undefined;
	#isStopped = false;
	/** Whether passages were removed whose bytes are not overwritten yet. */
	#hasRemoved = false;
	/** Whether a caller waits until all removed passages are overwritten. */
	#mustErase = false;

	constructor(archive: Archive, store: IndexStore, warn: (text: string) => void) {
		this.#archive = archive;
		this.#store = store;
		this.#warn = warn;
	}

	/** The recordings with entries that cannot be found yet. */
	get pendingRecordings(): ReadonlySet<string> {
		return this.#waitingRecordings;
	}

	/** Queues all differences between archive and index. */
	catchUp(): void {
		const indexed = this.#store.readRecordings();
		for (const { recordingId, nextSeq } of this.#archive.listRecordings()) {
			if ((indexed.get(recordingId)?.nextSeq ?? 0) < nextSeq) this.#waitingRecordings.add(recordingId);
			indexed.delete(recordingId);
		}
		this.#removals.push(...indexed.keys());
		this.#start();
	}

	/** Queues the new entries of a recording. */
	add(recordingId: string): void {
		this.#waitingRecordings.add(recordingId);
		this.#start();
	}

	/** Queues the removal of a recording. If the recording is added after that, it is read again from its start. */
	remove(recordingId: string): void {
		this.#waitingRecordings.delete(recordingId);
		this.#readers.delete(recordingId);
		this.#removals.push(recordingId);
		this.#start();
	}

	/** Empties the index and indexes all recordings again; `reason` is logged. */
	rebuild(reason: string): void {
		this.#warn(`rebuilding the search index: ${reason}`);
		this.#store.reset();
		this.#clearUncommitted();
		this.#readers.clear();
		this.#removals.length = 0;
		this.#hasRemoved = false;
		this.catchUp();
	}

	/** Resolves when the queues are empty. */
	async whenSettled(): Promise<void> {
		while (this.#running) await this.#running;
	}

	/** Resolves with true when no byte of removed recordings is left, or with false if `stop` is called first. */
	async whenErased(): Promise<boolean> {
		this.#mustErase = true;
		while (!this.#isStopped && (this.#removals.length > 0 || this.#hasRemoved)) await pauseForOthers();
		this.#mustErase = false;
		return !this.#isStopped;
	}

	/** Commits and stops. The next indexer's `catchUp` finds what is still queued. */
	stop(): void {
		this.#isStopped = true;
		this.#attempt(() => this.#store.commit());
	}

	#start(): void {
		if (this.#isStopped) return;
		this.#running ??= this.#run().finally(() => {
			this.#running = undefined;
			// A recording may have been queued right after the queues were checked.
			if (this.#removals.length + this.#waitingRecordings.size > 0) this.#start();
		});
	}

	async #run(): Promise<void> {
		let committedAt = performance.now();
		for (;;) {
			await pauseForOthers();
			if (this.#isStopped) return;
			if (this.#removals.length === 0 && this.#waitingRecordings.size === 0) break;
			if (!this.#attempt(() => this.#runSlice())) this.#skipFirst();
			if (this.#hasRemoved && this.#removals.length === 0) await this.#eraseRemoved();
			if (performance.now() - committedAt < commitMs) continue;
			await this.#commit();
			committedAt = performance.now();
		}
		await this.#commit();
	}

	/** Overwrites the bytes of removed passages. */
	async #eraseRemoved(): Promise<void> {
		if (await this.#commit()) this.#attempt(() => this.#store.scrub());
		this.#hasRemoved = false;
	}

	/** Commits. If that fails, queues the uncommitted work again and returns false after a pause. */
	async #commit(): Promise<boolean> {
		const isCommitted = this.#attempt(() => this.#store.commit());
		if (isCommitted) {
			this.#clearUncommitted();
			this.#loggedProblem = undefined;
		} else {
			this.#queueUncommitted();
			await setTimeout(retryMs, undefined, { ref: false });
		}
		return isCommitted;
	}

	/** Runs a task. If the index is damaged, rebuilds it; after other errors, rolls back and returns false. */
	#attempt(task: () => void): boolean {
		try {
			task();
		} catch (error) {
			if (error instanceof DamagedIndexError || this.#mustErase) this.rebuild(errorText(error));
			else {
				const problem = errorText(error);
				if (problem !== this.#loggedProblem) this.#warn(`cannot index recordings: ${problem}`);
				this.#loggedProblem = problem;
				this.#store.rollback();
				this.#readers.clear();
				return false;
			}
		}
		return true;
	}

	#clearUncommitted(): void {
		this.#uncommittedRecordings.added.clear();
		this.#uncommittedRecordings.removed.clear();
	}

	/** Skips the first removal or recording in the queues, which has failed, until that recording changes. */
	#skipFirst(): void {
		const [first] = this.#waitingRecordings;
		if (this.#removals.shift() === undefined && first !== undefined) this.#waitingRecordings.delete(first);
		this.#queueUncommitted();
	}

	/** Queues rolled-back work again. */
	#queueUncommitted(): void {
		this.#removals.push(...this.#uncommittedRecordings.removed);
		for (const recordingId of this.#uncommittedRecordings.added) this.#waitingRecordings.add(recordingId);
		this.#clearUncommitted();
	}

	#runSlice(): void {
		this.#store.begin();
		const until = performance.now() + sliceMs;
		while (performance.now() < until) {
			const [removal] = this.#removals;
			const [recordingId] = this.#waitingRecordings;
			if (removal !== undefined) this.#removeSome(removal);
			// Removed passages must be overwritten before new ones are added.
			else if (this.#hasRemoved || recordingId === undefined) return;
			else if (this.#indexSome(recordingId, until)) {
				this.#waitingRecordings.delete(recordingId);
				this.#uncommittedRecordings.added.add(recordingId);
			}
		}
	}

	#removeSome(recordingId: string): void {
		const indexed = this.#store.readRecordings().get(recordingId);
		const ids = indexed === undefined ? [] : this.#store.listPassages(indexed.id, maxRemovedPassages);
		this.#store.remove(ids);
		this.#hasRemoved ||= ids.length > 0;
		if (ids.length === maxRemovedPassages) return;
		if (indexed) this.#store.removeRecording(indexed.id);
		this.#removals.shift();
		this.#uncommittedRecordings.removed.add(recordingId);
	}

	/** Indexes entries of a recording until a time (by `performance.now`); returns whether all entries are indexed. */
	#indexSome(recordingId: string, until: number): boolean {
		const recording = this.#archive.findRecording(recordingId);
		if (recording?.recordingId !== recordingId) return true;
		const { agent, folder } = recording;
		const indexed = this.#store.addRecording(recordingId);
		const state = this.#readers.get(recordingId) ?? { reader: new RecordingReader(agent), nextSeq: 0 };
		this.#readers.set(recordingId, state);
		let newest: IndexedMessage | undefined;
		const add = (message: IndexedMessage): void =>
			this.#store.add(indexed.id, createScopeTerms(agent, folder, message.at), message);
		const addLater = (message: IndexedMessage): void => {
			// Agents write a message block by block: only its last version is added.
			if (newest !== undefined && !isLaterVersion(message, newest)) add(newest);
			newest = message;
		};
		let isComplete = true;
		for (const entry of this.#archive.readEntries(recordingId, state.nextSeq)) {
			// After a restart, the reader needs the entries that are already indexed.
			const messages = state.reader.push(entry);
			state.nextSeq = entry.seq + 1;
			if (entry.seq >= indexed.nextSeq) messages.forEach(addLater);
			if (performance.now() < until) continue;
			isComplete = false;
			break;
		}
		if (isComplete) state.reader.flushDocument().forEach(addLater);
		if (newest !== undefined) add(newest);
		// Leaves one entry unindexed: after a kill, the recording then counts as incomplete, and its document is indexed.
		const nextSeq = isComplete ? state.nextSeq : state.nextSeq - 1;
		if (nextSeq > indexed.nextSeq) this.#store.setNextSeq(indexed.id, nextSeq);
		return isComplete;
	}
}

/** Whether a message is a later version of the previous message, with more text. */
function isLaterVersion({ messageId, text }: IndexedMessage, previous: IndexedMessage): boolean {
	return messageId === previous.messageId && text.startsWith(previous.text);
}
