/** A search that answers while someone types. */

/** Milliseconds without a key after which a search starts. */
const pauseMs = 150;

export interface SearchHandlers<Result> {
	/** Searches for a query; stops as soon as the signal aborts. */
	search(query: string, signal: AbortSignal): Promise<Result>;
	/** Receives the result for the newest query; null if the query is blank. */
	onResult(result: Result | null, query: string): void;
	/** Receives the failure of the newest query. */
	onFailure(error: unknown): void;
	/** Receives whether an answer is still to come. */
	onBusy(isBusy: boolean): void;
}

/**
 * Searches for the newest query only: waits for a pause in typing, and cancels the search for an older query. No handler
 * is called for a query that was superseded, nor after `dispose`.
 */
export class LiveSearch<Result> {
	readonly #handlers: SearchHandlers<Result>;
	#timer: NodeJS.Timeout | undefined;
	/** Aborts when the newest query is superseded. */
	#newest = new AbortController();

	constructor(handlers: SearchHandlers<Result>) {
		this.#handlers = handlers;
	}

	/** Searches for the text typed so far. */
	type(text: string): void {
		this.dispose();
		this.#newest = new AbortController();
		const { signal } = this.#newest;
		const query = text.trim();
		this.#handlers.onBusy(query !== '');
		if (query === '') this.#handlers.onResult(null, query);
		else this.#timer = setTimeout(() => void this.#search(query, signal), pauseMs);
	}

	/** Cancels the search. */
	dispose(): void {
		clearTimeout(this.#timer);
		this.#newest.abort();
	}

	async #search(query: string, signal: AbortSignal): Promise<void> {
		const { search, onResult, onFailure, onBusy } = this.#handlers;
		try {
			const result = await search(query, signal);
			if (!signal.aborted) onResult(result, query);
		} catch (error) {
			if (!signal.aborted) onFailure(error);
		}
		if (!signal.aborted) onBusy(false);
	}
}
