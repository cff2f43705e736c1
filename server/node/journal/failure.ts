import { errorCode, errorText, Failure } from '../../core/failure.ts';

/** A `StorageFailed` that says what was tried on which file, and what the system answered. */
export function storageFailure(action: string, path: string, error: unknown): Failure {
	if (error instanceof Failure) return error;
	const reason = errorText(error);
	return new Failure(
		'StorageFailed',
		`cannot ${action} ${path}: ${reason}`,
		{ path, code: errorCode(error) || undefined },
		error,
	);
}

/** Does a work on the files of sessions; what the system refuses is a `StorageFailed`. */
export async function onStorage<T>(action: string, path: string, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		throw storageFailure(action, path, error);
	}
}
