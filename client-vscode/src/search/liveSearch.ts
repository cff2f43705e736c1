/** Searches while the user types. */

/** Milliseconds without a keystroke after which a search starts. */
const typingPauseMs = 150;

export interface SearchHandlers<Result> {
	/** Searches for a query; stops as soon as the signal aborts. */
	search(query: string, signal: AbortSignal): Promise<Result>;
	/** Receives the result for the newest query; null if the query is blank. */
	onResult(result: Result | null, query: string): void;
	/** Receives the failure of the newest query. */
	onFailure(error: unknown): void;
	/** Receives whether a search is waiting or running. */
	onBusy(isBusy: boolean): void;
}

/**
 * Searches for the newest query only: waits for a pause in typing, and cancels the search for an older query. Handlers
 * are never called for an older query or after `dispose`.
 */
export class LiveSearch<Result> {
	readonly #handlers: SearchHandlers<Result>;
	#timer: NodeJS.Timeout | undefined;
	/** Aborts the search for the newest query. */
	#cancellation = new AbortController();

	constructor(handlers: SearchHandlers<Result>) {
		this.#handlers = handlers;
	}

	/** Searches for the text typed so far. */
	updateQuery(text: string): void {
		this.dispose();
		this.#cancellation = new AbortController();
		const { signal } = this.#cancellation;
		const query = text.trim();
		this.#handlers.onBusy(query !== '');
		if (query === '') this.#handlers.onResult(null, query);
		else this.#timer = setTimeout(() => void this.#search(query, signal), typingPauseMs);
	}

	/** Cancels the current search, if there is one. */
	dispose(): void {
		clearTimeout(this.#timer);
		this.#cancellation.abort();
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
