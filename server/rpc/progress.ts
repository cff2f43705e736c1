import type { ProgressToken } from 'vscode-jsonrpc/node';

/** Work-done progress of one request; all of it is a no-op when the client asked for none. */
export interface WorkDoneProgress {
	/** Starts the display; only the first call counts. */
	begin(title: string, message?: string): void;
	/** Says how far it is; dropped while an earlier report is still on its way. `percentage` is 0 to 100. */
	report(message: string, percentage?: number): void;
	/** Ends the display, if it was begun and is not ended. */
	end(message?: string): void;
}

const SILENT: WorkDoneProgress = { begin: () => {}, report: () => {}, end: () => {} };

/**
 * Progress over `$/progress`.
 * @param notify must not reject
 */
export function createProgress(
	token: ProgressToken | undefined,
	notify: (method: string, params: unknown) => Promise<void>,
): WorkDoneProgress {
	if (token === undefined) return SILENT;
	let state: 'new' | 'begun' | 'ended' = 'new';
	let isSending = false;

	async function send(value: Record<string, unknown>): Promise<void> {
		isSending = true;
		await notify('$/progress', { token, value });
		isSending = false;
	}

	return {
		begin(title, message) {
			if (state !== 'new') return;
			state = 'begun';
			void send({ kind: 'begin', title, ...(message !== undefined && { message }) });
		},
		report(message, percentage) {
			if (state !== 'begun' || isSending) return;
			void send({ kind: 'report', message, ...(percentage !== undefined && { percentage }) });
		},
		end(message) {
			if (state !== 'begun') return;
			state = 'ended';
			void send({ kind: 'end', ...(message !== undefined && { message }) });
		},
	};
}
