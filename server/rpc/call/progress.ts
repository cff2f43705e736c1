import type { ProgressToken } from 'vscode-jsonrpc/node';
import type { WorkDoneProgressValue } from '../../protocol/lsp.ts';

/** Work-done progress of one request; a no-op if the client asked for none. */
export interface ProgressReporter {
	/** Starts the display; later calls are ignored. */
	begin(title: string): void;
	/**
	 * Reports progress; `percentage` is 0 to 100.
	 *
	 * A report is dropped while an earlier one is being sent. While the beginning is being sent, the latest report
	 * waits for it.
	 */
	report(message: string, percentage?: number): void;
	/** Ends the display if it was started and has not ended. */
	end(): void;
}

/** Reporter for a client that asked for no progress; does nothing. */
export const silentProgress: ProgressReporter = { begin: () => {}, report: () => {}, end: () => {} };

type ProgressParams = { token: ProgressToken; value: WorkDoneProgressValue };

/**
 * Sends progress by `$/progress`: one beginning, then reports, then one end.
 *
 * A report that comes while the beginning is being sent follows it, and precedes the end.
 */
export class ProgressNotifier implements ProgressReporter {
	readonly #token: ProgressToken;
	readonly #notify: (params: ProgressParams) => Promise<void>;
	#phase: 'new' | 'begun' | 'ended' = 'new';
	#isSending = false;
	#isBeginning = false;
	/** Newest report that came while the beginning was being sent. */
	#heldReport: WorkDoneProgressValue | undefined;

	/** @param notify sends `$/progress`; must not reject */
	constructor(token: ProgressToken, notify: (params: ProgressParams) => Promise<void>) {
		this.#token = token;
		this.#notify = notify;
	}

	begin(title: string): void {
		if (this.#phase !== 'new') return;
		this.#phase = 'begun';
		void this.#sendBeginning({ kind: 'begin', title, cancellable: true });
	}

	report(message: string, percentage?: number): void {
		if (this.#phase !== 'begun') return;
		const value: WorkDoneProgressValue = {
			kind: 'report',
			message,
			...(percentage !== undefined && { percentage }),
		};
		if (this.#isBeginning) this.#heldReport = value;
		else if (!this.#isSending) void this.#send(value);
	}

	end(): void {
		if (this.#phase !== 'begun') return;
		this.#phase = 'ended';
		this.#sendHeldReport();
		void this.#send({ kind: 'end' });
	}

	async #sendBeginning(value: WorkDoneProgressValue): Promise<void> {
		this.#isBeginning = true;
		await this.#send(value);
		this.#isBeginning = false;
		this.#sendHeldReport();
	}

	#sendHeldReport(): void {
		if (!this.#heldReport) return;
		const value = this.#heldReport;
		this.#heldReport = undefined;
		void this.#send(value);
	}

	async #send(value: WorkDoneProgressValue): Promise<void> {
		this.#isSending = true;
		await this.#notify({ token: this.#token, value });
		this.#isSending = false;
	}
}
