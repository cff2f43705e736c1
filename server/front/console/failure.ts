/** Failures of commands: one clear line for the terminal, and an exit code for the shell. */

/** Exit code of a failed command. 1: the work failed; 2: the input or the arguments are invalid. */
export type ExitCode = 1 | 2;

/** A failure whose message is shown to the user without a stack. */
export class CommandFailure extends Error {
	readonly exitCode: ExitCode;

	constructor(message: string, exitCode: ExitCode) {
		super(message);
		this.name = 'CommandFailure';
		this.exitCode = exitCode;
	}
}

/** Returns the failure for invalid arguments and files; exit code 2. */
export function createInputFailure(message: string): CommandFailure {
	return new CommandFailure(message, 2);
}

/** Returns the failure of a valid command whose work failed; exit code 1. */
export function createWorkFailure(message: string): CommandFailure {
	return new CommandFailure(message, 1);
}

const reasonsByErrorCode: Readonly<Record<string, string>> = {
	ENOENT: 'no such file',
	EACCES: 'permission denied',
	EPERM: 'permission denied',
	ENOTDIR: 'no such file',
	ENAMETOOLONG: 'the name is too long',
	ENOSPC: 'no space is left',
	EROFS: 'the file system is read-only',
};

/** Returns the message of a failed command or system call, such as a write to a full disk. Rethrows other errors. */
export function describeFailure(error: unknown): string {
	if (error instanceof CommandFailure) return error.message;
	if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
	return describeSystemError(error);
}

/** Returns a readable reason for a system error. */
export function describeSystemError(error: unknown): string {
	const { code, message } = error as NodeJS.ErrnoException;
	return reasonsByErrorCode[code ?? ''] ?? message ?? String(error);
}
