import { setTimeout } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { errorText } from '../../core/failure.ts';
import { pauseForOthers } from '../../core/slices.ts';
import type { Archive } from '../archive/archive.ts';
import { DamagedIndex, type IndexStore } from './indexStore.ts';
import { type IndexedMessage, RecordingReader } from './recordingReader.ts';
import { scopeTerms } from './scope.ts';

/** Maximum readers in memory. Without its reader, a recording has to be read again from its start. */
const maxReaders = 64;
/** Milliseconds of one slice, after which other requests are answered. */
const sliceMs = 12;
/** Milliseconds between two commits while there is more to do. */
const commitMs = 4000;
/** Milliseconds after which work continues if a commit failed. */
const retryMs = 1000;
/** Passages that are removed in one slice. */
const maxRemovedPassages = 64;

/** A reader with the seq that it expects next. */
interface ReaderState {
	reader: RecordingReader;
	nextSeq: number;
}

/** Keeps the index up to date with the archive, in slices. */
export class Indexer {
	readonly #archive: Archive;
	readonly #store: IndexStore;
	readonly #warn: (text: string) => void;
	readonly #waiting = new Set<string>();
	/** Recordings to remove from the index. */
	readonly #removals: string[] = [];
	/** The recordings that were completed or removed since the last commit, which an error may undo. */
	readonly #uncommitted = { added: new Set<string>(), removed: new Set<string>() };
	/** The error that was logged since the last commit; on a full disk, each attempt has the same one. */
	#problem: string | undefined;
	readonly #readers = new LRUCache<string, ReaderState>({ max: maxReaders });
	#running: Promise<void> | undefined;
	#isStopped = false;
	#hasRemoved = false;
	/** Whether a caller waits until everything removed is erased. */
	#mustErase = false;

	constructor(archive: Archive, store: IndexStore, warn: (text: string) => void) {
		this.#archive = archive;
		this.#store = store;
		this.#warn = warn;
	}

	/** The recordings that have entries which cannot be found yet. */
	get pending(): ReadonlySet<string> {
		return this.#waiting;
	}

	/** Queues whatever differs between archive and index. */
	catchUp(): void {
		const indexed = this.#store.recordings();
		for (const { recordingId, nextSeq } of this.#archive.recordings()) {
			if ((indexed.get(recordingId)?.nextSeq ?? 0) < nextSeq) this.#waiting.add(recordingId);
			indexed.delete(recordingId);
		}
		this.#removals.push(...indexed.keys());
		this.#start();
	}

	/** Queues the new entries of a recording. */
	add(recordingId: string): void {
		this.#waiting.add(recordingId);
		this.#start();
	}

	/** Queues the removal of a recording. If it is added afterwards, it is read again from its start. */
	remove(recordingId: string): void {
		this.#waiting.delete(recordingId);
		this.#readers.delete(recordingId);
		this.#removals.push(recordingId);
		this.#start();
	}

	/** Begins again with an empty index. */
	rebuild(why: string): void {
		this.#warn(`rebuilding the search index: ${why}`);
		this.#store.reset();
		this.#clearUncommitted();
		this.#readers.clear();
		this.#removals.length = 0;
		this.#hasRemoved = false;
		this.catchUp();
	}

	/** Resolves when everything that is queued is in the index. */
	async settled(): Promise<void> {
		while (this.#running) await this.#running;
	}

	/** Resolves when no byte of removed recordings is left; with false if `stop` is called before. */
	async erased(): Promise<boolean> {
		this.#mustErase = true;
		while (!this.#isStopped && (this.#removals.length > 0 || this.#hasRemoved)) await pauseForOthers();
		this.#mustErase = false;
		return !this.#isStopped;
	}

	/** Commits and stops; `catchUp` of the next indexer does what is still queued. */
	stop(): void {
		this.#isStopped = true;
		this.#attempt(() => this.#store.commit());
	}

	#start(): void {
		if (this.#isStopped) return;
		this.#running ??= this.#work().finally(() => {
			this.#running = undefined;
			// A recording may have been queued right after the queues were checked.
			if (this.#removals.length + this.#waiting.size > 0) this.#start();
		});
	}

	async #work(): Promise<void> {
		let committed = performance.now();
		for (;;) {
			await pauseForOthers();
			if (this.#isStopped) return;
			if (this.#removals.length === 0 && this.#waiting.size === 0) break;
			if (!this.#attempt(() => this.#slice())) this.#skipFirst();
			if (this.#hasRemoved && this.#removals.length === 0) await this.#eraseRemoved();
			if (performance.now() - committed < commitMs) continue;
			await this.#commit();
			committed = performance.now();
		}
		await this.#commit();
	}

	/** Overwrites what was removed, before anything else is indexed. */
	async #eraseRemoved(): Promise<void> {
		if (await this.#commit()) this.#attempt(() => this.#store.scrub());
		this.#hasRemoved = false;
	}

	/** Commits; returns false, after a pause, if it failed. */
	async #commit(): Promise<boolean> {
		const isCommitted = this.#attempt(() => this.#store.commit());
		if (isCommitted) {
			this.#clearUncommitted();
			this.#problem = undefined;
		} else {
			this.#queueUncommitted();
			await setTimeout(retryMs, undefined, { ref: false });
		}
		return isCommitted;
	}

	/** Runs a task. Rebuilds a damaged index; after any other error, undoes what is not committed, and returns false. */
	#attempt(task: () => void): boolean {
		try {
			task();
		} catch (error) {
			if (error instanceof DamagedIndex || this.#mustErase) this.rebuild(errorText(error));
			else {
				const problem = errorText(error);
				if (problem !== this.#problem) this.#warn(`cannot index recordings: ${problem}`);
				this.#problem = problem;
				this.#store.rollback();
				this.#readers.clear();
				return false;
			}
		}
		return true;
	}

	#clearUncommitted(): void {
		this.#uncommitted.added.clear();
		this.#uncommitted.removed.clear();
	}

	/** Skips the removal or recording that failed, until it changes. */
	#skipFirst(): void {
		const [first] = this.#waiting;
		if (this.#removals.shift() === undefined && first !== undefined) this.#waiting.delete(first);
		this.#queueUncommitted();
	}

	/** Queues again what was undone. */
	#queueUncommitted(): void {
		this.#removals.push(...this.#uncommitted.removed);
		for (const recordingId of this.#uncommitted.added) this.#waiting.add(recordingId);
		this.#clearUncommitted();
	}

	#slice(): void {
		this.#store.begin();
		const until = performance.now() + sliceMs;
		while (performance.now() < until) {
			const [removal] = this.#removals;
			const [recordingId] = this.#waiting;
			if (removal !== undefined) this.#removeSome(removal);
			// What was removed is overwritten before anything is added.
			else if (this.#hasRemoved || recordingId === undefined) return;
			else if (this.#indexSome(recordingId, until)) {
				this.#waiting.delete(recordingId);
				this.#uncommitted.added.add(recordingId);
			}
		}
	}

	#removeSome(recordingId: string): void {
		const indexed = this.#store.recordings().get(recordingId);
		const ids = indexed === undefined ? [] : this.#store.passagesOf(indexed.id, maxRemovedPassages);
		this.#store.remove(ids);
		this.#hasRemoved ||= ids.length > 0;
		if (ids.length === maxRemovedPassages) return;
		if (indexed) this.#store.removeRecording(indexed.id);
		this.#removals.shift();
		this.#uncommitted.removed.add(recordingId);
	}

	/** Indexes entries of a recording until a time; returns whether it is complete. */
	#indexSome(recordingId: string, until: number): boolean {
		const recording = this.#archive.recording(recordingId);
		if (recording?.recordingId !== recordingId) return true;
		const { agent, folder } = recording;
		const indexed = this.#store.recording(recordingId);
		const state = this.#readers.get(recordingId) ?? { reader: new RecordingReader(agent), nextSeq: 0 };
		this.#readers.set(recordingId, state);
		let newest: IndexedMessage | undefined;
		const add = (message: IndexedMessage): void =>
			this.#store.add(indexed.id, scopeTerms(agent, folder, message.at), message);
		const addLater = (message: IndexedMessage): void => {
			// Agents write a message block by block: only its last version is added.
			if (newest !== undefined && !isGrown(message, newest)) add(newest);
			newest = message;
		};
		let isComplete = true;
		for (const entry of this.#archive.entries(recordingId, state.nextSeq)) {
			// After a restart, the reader needs the entries that are already indexed.
			const messages = state.reader.push(entry);
			state.nextSeq = entry.seq + 1;
			if (entry.seq >= indexed.nextSeq) messages.forEach(addLater);
			if (performance.now() < until) continue;
			isComplete = false;
			break;
		}
		if (isComplete) state.reader.takeDocument().forEach(addLater);
		if (newest !== undefined) add(newest);
		// If the process is killed now, one entry is read again, so that the messages of a document are indexed too.
		const nextSeq = isComplete ? state.nextSeq : state.nextSeq - 1;
		if (nextSeq > indexed.nextSeq) this.#store.setNextSeq(indexed.id, nextSeq);
		return isComplete;
	}
}

/** Whether a message is the previous one with more text. */
function isGrown({ messageId, text }: IndexedMessage, previous: IndexedMessage): boolean {
	return messageId === previous.messageId && text.startsWith(previous.text);
}
