import type { ProgressToken } from 'vscode-jsonrpc/node';
import type { WorkDoneProgressValue } from '../../protocol/lsp.ts';

/** Work-done progress of one request; a no-op if the client asked for none. */
export interface ProgressReporter {
	/** Starts the display; later calls are ignored. */
	begin(title: string, message?: string): void;
	/**
	 * Reports progress; `percentage` is 0 to 100.
	 *
	 * Dropped while an earlier report is being sent; the latest one is kept while the beginning is being sent.
	 */
	report(message: string, percentage?: number): void;
	/** Ends the display, if it was started and has not ended. */
	end(message?: string): void;
}

/** For a client that asked for no progress. */
export const silentProgress: ProgressReporter = { begin: () => {}, report: () => {}, end: () => {} };

type ProgressParams = { token: ProgressToken; value: WorkDoneProgressValue };

/**
 * Progress over `$/progress`: one beginning, reports, one end, in this order.
 *
 * A report that comes while the beginning is being sent is sent after it, and before the end.
 */
export class SentProgress implements ProgressReporter {
	readonly #token: ProgressToken;
	readonly #notify: (params: ProgressParams) => Promise<void>;
	#state: 'new' | 'begun' | 'ended' = 'new';
	#isSending = false;
	#isBeginning = false;
	/** The newest report of those that came while the beginning was being sent. */
	#first: WorkDoneProgressValue | undefined;

	/** @param notify must not reject */
	constructor(token: ProgressToken, notify: (params: ProgressParams) => Promise<void>) {
		this.#token = token;
		this.#notify = notify;
	}

	begin(title: string, message?: string): void {
		if (this.#state !== 'new') return;
		this.#state = 'begun';
		void this.#sendBeginning({
			kind: 'begin',
			title,
			cancellable: true,
			...(message !== undefined && { message }),
		});
	}

	report(message: string, percentage?: number): void {
		if (this.#state !== 'begun') return;
		const value: WorkDoneProgressValue = {
			kind: 'report',
			message,
			...(percentage !== undefined && { percentage }),
		};
		if (this.#isBeginning) this.#first = value;
		else if (!this.#isSending) void this.#send(value);
	}

	end(message?: string): void {
		if (this.#state !== 'begun') return;
		this.#state = 'ended';
		this.#sendFirst();
		void this.#send({ kind: 'end', ...(message !== undefined && { message }) });
	}

	async #sendBeginning(value: WorkDoneProgressValue): Promise<void> {
		this.#isBeginning = true;
		await this.#send(value);
		this.#isBeginning = false;
		this.#sendFirst();
	}

	#sendFirst(): void {
		if (!this.#first) return;
		const value = this.#first;
		this.#first = undefined;
		void this.#send(value);
	}

	async #send(value: WorkDoneProgressValue): Promise<void> {
		this.#isSending = true;
		await this.#notify({ token: this.#token, value });
		this.#isSending = false;
	}
}
