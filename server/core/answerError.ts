/** An error that answers a request, over any transport. */
export class AnswerError extends Error {
	/** A code of JSON-RPC or LSP, or one of contextd's (`protocol/errors.ts`). */
	readonly code: number;
	/** Data for the program; absent if there is none. */
	readonly data: unknown;

	constructor(code: number, message: string, data?: unknown) {
		super(message);
		this.name = 'AnswerError';
		this.code = code;
		this.data = data;
	}
}
