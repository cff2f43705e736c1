/** What a command can fail with, so that the terminal gets one clear line and the shell the right code. */

/** 1: the work failed; 2: what was handed in cannot be used. */
export type ExitCode = 1 | 2;

/** A failure that is told to the user in its own words, without a stack. */
export class CommandFailure extends Error {
	readonly exitCode: ExitCode;

	constructor(message: string, exitCode: ExitCode) {
		super(message);
		this.name = 'CommandFailure';
		this.exitCode = exitCode;
	}
}

/** For arguments and files that cannot be used; exit code 2. */
export function badInput(message: string): CommandFailure {
	return new CommandFailure(message, 2);
}

/** For work that failed although what was asked was sound; exit code 1. */
export function workFailed(message: string): CommandFailure {
	return new CommandFailure(message, 1);
}

const reasons: Readonly<Record<string, string>> = {
	ENOENT: 'no such file',
	EACCES: 'permission denied',
	EPERM: 'permission denied',
	ENOTDIR: 'no such file',
	ENAMETOOLONG: 'the name is too long',
	ENOSPC: 'no space is left',
	EROFS: 'the file system is read-only',
};

/** A system error in words. */
export function reasonOf(error: unknown): string {
	const { code, message } = error as NodeJS.ErrnoException;
	return reasons[code ?? ''] ?? message ?? String(error);
}
