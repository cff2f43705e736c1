import type { FailureKind } from '../protocol/errors.ts';

/** An expected failure: its message is for the user, its data for the program. */
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

/** What an error says; of anything else that was thrown, what it reads as. */
export function errorText(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

/** The system's code of an error, such as `ENOENT`; empty where it has none. */
export function errorCode(error: unknown): string {
	return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Codes of an error that nothing is there: neither the file, nor a folder on its way. */
export const missing: readonly string[] = ['ENOENT', 'ENOTDIR'];

/** Whether an error says that nothing is there. */
export function isMissing(error: unknown): boolean {
	return missing.includes(errorCode(error));
}

/** What a work of the system gives; undefined where it fails with one of the codes, by default that nothing is there. */
export async function ifThere<T>(
	work: Promise<T>,
	codes: readonly string[] = ['ENOENT'],
): Promise<T | undefined> {
	try {
		return await work;
	} catch (error) {
		if (codes.includes(errorCode(error))) return undefined;
		throw error;
	}
}
