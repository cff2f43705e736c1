import type { FailureKind } from '../protocol/errors.ts';

/** An expected failure. Its message is for the user, its data for the program. */
export class Failure extends Error {
	readonly kind: FailureKind;
	readonly data: Record<string, unknown>;

	constructor(kind: FailureKind, message: string, data: Record<string, unknown> = {}, cause?: unknown) {
		super(message, cause === undefined ? undefined : { cause });
		this.name = kind;
		this.kind = kind;
		this.data = data;
	}
}

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

/** Returns an error's message; converts any other thrown value to a string. */
export function errorText(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

/** Returns an error's system code, such as `ENOENT`; empty if it has none. */
export function errorCode(error: unknown): string {
	return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Error codes for a missing file or folder. */
export const missingFileCodes: readonly string[] = ['ENOENT', 'ENOTDIR'];

/** Error codes for a disk, quota or file that is full. */
export const diskFullCodes: readonly string[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** Whether an error means that a file or folder is missing. */
export function isMissingFileError(error: unknown): boolean {
	return missingFileCodes.includes(errorCode(error));
}

/** Returns a system call's result; undefined if it fails with a given code (default: missing file). */
export async function ifExists<T>(
	task: Promise<T>,
	codes: readonly string[] = ['ENOENT'],
): Promise<T | undefined> {
	try {
		return await task;
	} catch (error) {
		if (codes.includes(errorCode(error))) return undefined;
		throw error;
	}
}

/** Settles like a promise, or rejects if the signal is aborted first. The promise itself can be awaited again. */
export function rejectIfAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
	if (signal === undefined) return promise;
	return new Promise((resolve, reject) => {
		const stop = (): void => reject(signal.reason);
		if (signal.aborted) stop();
		signal.addEventListener('abort', stop, { once: true });
		promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
	});
}
