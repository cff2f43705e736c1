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

/**
 * Progress over `$/progress`.
 * @param notify must not reject
 */
export function createProgress(
	token: ProgressToken,
	notify: (params: { token: ProgressToken; value: WorkDoneProgressValue }) => Promise<void>,
): ProgressReporter {
	let state: 'new' | 'begun' | 'ended' = 'new';
	let isSending = false;
	let isBeginning = false;
	let first: WorkDoneProgressValue | undefined;

	async function send(value: WorkDoneProgressValue): Promise<void> {
		isSending = true;
		await notify({ token, value });
		isSending = false;
	}

	async function sendBeginning(value: WorkDoneProgressValue): Promise<void> {
		isBeginning = true;
		await send(value);
		isBeginning = false;
		sendFirst();
	}

	function sendFirst(): void {
		if (!first) return;
		const value = first;
		first = undefined;
		void send(value);
	}

	return {
		begin(title, message) {
			if (state !== 'new') return;
			state = 'begun';
			void sendBeginning({
				kind: 'begin',
				title,
				cancellable: true,
				...(message !== undefined && { message }),
			});
		},
		report(message, percentage) {
			if (state !== 'begun') return;
			const value: WorkDoneProgressValue = {
				kind: 'report',
				message,
				...(percentage !== undefined && { percentage }),
			};
			if (isBeginning) first = value;
			else if (!isSending) void send(value);
		},
		end(message) {
			if (state !== 'begun') return;
			state = 'ended';
			// Writes keep their order: a pending report goes before the end.
			sendFirst();
			void send({ kind: 'end', ...(message !== undefined && { message }) });
		},
	};
}
