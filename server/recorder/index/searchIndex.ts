import type { Archive } from '../archive/archive.ts';
import { Indexer } from './indexer.ts';
import { DamagedIndexError, IndexStore } from './indexStore.ts';
import { type MessagePoint, readAround, type StoredMessage } from './readAround.ts';
import { type FoundMessages, type SearchRequest, searchPassages } from './search.ts';

const emptyResult: FoundMessages = { messages: [], words: [], rankedCount: 0, searchedCount: 0 };

/** The full-text index of all recordings, derived from the archive. */
export class SearchIndex {
	readonly #store: IndexStore;
	readonly #indexer: Indexer;
	readonly #unlisten: () => void;

	/**
	 * Opens the index and brings it up to date in the background.
	 * @param warn logs a problem, such as a damaged index
	 */
	constructor(archive: Archive, file: string, warn: (text: string) => void) {
		this.#store = new IndexStore(file);
		this.#indexer = new Indexer(archive, this.#store, warn);
		this.#unlisten = archive.listen({
			onAdded: (recordingId) => this.#indexer.add(recordingId),
			onForgotten: (recordingId, seqs) => {
				this.#indexer.remove(recordingId);
				// A message of a document may span entries, so the remaining entries are read again.
				if (seqs !== undefined) this.#indexer.add(recordingId);
			},
		});
		this.#indexer.catchUp();
	}

	/** The recordings with entries that cannot be found yet. */
	get pendingRecordings(): ReadonlySet<string> {
		return this.#indexer.pendingRecordings;
	}

	/** Returns the messages that match a query best; none from a damaged index, which is then rebuilt. */
	search(request: SearchRequest): FoundMessages {
		return this.#readUnlessDamaged(() => searchPassages(this.#store, request)) ?? emptyResult;
	}

	/** Returns a message and its neighbours, in order; empty if the message is not in the index. */
	read(point: MessagePoint): StoredMessage[] {
		return this.#readUnlessDamaged(() => readAround(this.#store, point)) ?? [];
	}

	/** Resolves when all entries in the archive can be found. */
	whenSettled(): Promise<void> {
		return this.#indexer.whenSettled();
	}

	/** Resolves with true when no byte of forgotten messages is left, or with false if the index is closed first. */
	whenErased(): Promise<boolean> {
		return this.#indexer.whenErased();
	}

	/** Stops indexing and closes the file. */
	close(): void {
		this.#unlisten();
		this.#indexer.stop();
		this.#store.close();
	}

	#readUnlessDamaged<T>(read: () => T): T | undefined {
		try {
			return read();
		} catch (error) {
			if (!(error instanceof DamagedIndexError)) throw error;
			this.#indexer.rebuild(error.message);
			return undefined;
		}
	}
}
