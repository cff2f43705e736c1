import { errorCode, errorText, Failure } from '../../core/failure.ts';

const reasons: Readonly<Record<string, string>> = {
	ENOENT: 'there is no such file',
	ENOTDIR: 'there is no such file',
	EACCES: 'permission denied',
	EPERM: 'permission denied',
	EISDIR: 'it is a folder',
	ELOOP: 'too many symbolic links',
};

/** The failure of a transcript that the system did not let us read. */
export function unreadableTranscript(path: string, error: unknown): Failure {
	if (error instanceof Failure) return error;
	const code = errorCode(error);
	const why = reasons[code] ?? errorText(error);
	return new Failure('FileUnreadable', `${path} cannot be read: ${why}`, { path, code }, error);
}
