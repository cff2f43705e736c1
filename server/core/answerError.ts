/** An error that answers a request, over any transport. */
export class AnswerError extends Error {
	/** A code of JSON-RPC, of LSP or of contextd (`protocol/errors.ts`). */
	readonly code: number;
	/** Details for programs; undefined if there are none. */
	readonly data: unknown;

	constructor(code: number, message: string, data?: unknown) {
		super(message);
		this.name = 'AnswerError';
		this.code = code;
		this.data = data;
	}
}
