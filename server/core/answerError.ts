/** An error as a request is answered with it, whichever way the answer takes. */
export class AnswerError extends Error {
	/** A code of JSON-RPC or LSP, or one of contextd's own (`protocol/errors.ts`). */
	readonly code: number;
	/** For the program; absent where there is nothing to tell. */
	readonly data: unknown;

	constructor(code: number, message: string, data?: unknown) {
		super(message);
		this.name = 'AnswerError';
		this.code = code;
		this.data = data;
	}
}
