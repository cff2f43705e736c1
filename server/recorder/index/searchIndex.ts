import type { Archive } from '../archive/archive.ts';
import { Indexer } from './indexer.ts';
import { DamagedIndex, IndexStore } from './indexStore.ts';
import { type MessagePoint, readAround, type StoredMessage } from './readAround.ts';
import { type FoundMessages, type SearchRequest, searchPassages } from './search.ts';

/** Full-text index of all recordings, derived from the archive. */
export class SearchIndex {
	readonly #store: IndexStore;
	readonly #indexer: Indexer;
	readonly #unlisten: () => void;

	/**
	 * Opens the index and brings it up to date in the background.
	 * @param warn logs what went wrong, such as a damaged index
	 */
	constructor(archive: Archive, file: string, warn: (text: string) => void) {
		this.#store = new IndexStore(file);
		this.#indexer = new Indexer(archive, this.#store, warn);
		this.#unlisten = archive.listen({
			added: (recordingId) => this.#indexer.add(recordingId),
			forgotten: (recordingId, seqs) => {
				this.#indexer.remove(recordingId);
				// A message of a document may span entries, so the remaining entries are read again.
				if (seqs !== undefined) this.#indexer.add(recordingId);
			},
		});
		this.#indexer.catchUp();
	}

	/** The recordings that have entries which cannot be found yet. */
	get pending(): ReadonlySet<string> {
		return this.#indexer.pending;
	}

	/** Returns the messages that match a query best. A damaged index finds nothing and is rebuilt. */
	search(request: SearchRequest): FoundMessages {
		return (
			this.#unlessDamaged(() => searchPassages(this.#store, request)) ?? {
				found: [],
				words: [],
				ranked: 0,
				searched: 0,
			}
		);
	}

	/** Returns a message and those around it, in order; empty if it is not in the index. */
	read(point: MessagePoint): StoredMessage[] {
		return this.#unlessDamaged(() => readAround(this.#store, point)) ?? [];
	}

	/** Resolves when everything in the archive can be found. */
	settled(): Promise<void> {
		return this.#indexer.settled();
	}

	/** Resolves when no byte of forgotten messages is left; with false if the index is closed before. */
	erased(): Promise<boolean> {
		return this.#indexer.erased();
	}

	/** Stops indexing and closes the file. */
	close(): void {
		this.#unlisten();
		this.#indexer.stop();
		this.#store.close();
	}

	#unlessDamaged<T>(read: () => T): T | undefined {
		try {
			return read();
		} catch (error) {
			if (!(error instanceof DamagedIndex)) throw error;
			this.#indexer.rebuild(error.message);
			return undefined;
		}
	}
}
