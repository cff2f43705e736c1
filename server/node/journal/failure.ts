import { errorText, Failure } from '../../core/failure.ts';

/** The system's code of an error (`ENOENT`), where it has one. */
export function errorCode(error: unknown): string | undefined {
	if (!(error instanceof Error) || !('code' in error)) return undefined;
	return typeof error.code === 'string' ? error.code : undefined;
}

/** A `StorageFailed` that says what was tried on which file, and what the system answered. */
export function storageFailure(action: string, path: string, error: unknown): Failure {
	if (error instanceof Failure) return error;
	const reason = errorText(error);
	return new Failure(
		'StorageFailed',
		`cannot ${action} ${path}: ${reason}`,
		{ path, code: errorCode(error) },
		error,
	);
}
