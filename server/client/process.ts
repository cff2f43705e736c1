import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import type { DaemonStreams } from './connection.ts';
import { createStreams } from './streams.ts';

export interface DaemonProgram {
	program: string;
	args: readonly string[];
	/** Working folder; by default that of this process. */
	cwd?: string;
	/** All environment variables. */
	env: NodeJS.ProcessEnv;
	/** Whether this process may end before the daemon's process. */
	isBackground?: boolean;
}

/** Resolves with a message when a process has ended and its output was read; rejects if it could not start. */
function waitForEnd(child: ChildProcess): Promise<string> {
	return new Promise((resolve, reject) => {
		child.on('error', reject);
		child.on('close', (code, signal) => {
			const endDescription = signal ? `was killed by ${signal}` : `ended with code ${code}`;
			resolve(`the daemon ${endDescription} before its work was done`);
		});
	});
}

/** Lets this process end while the child runs; the child then sees its input end. */
export function detachProcess(child: ChildProcess): void {
	child.unref();
	for (const stream of child.stdio) if (stream instanceof Socket) stream.unref();
}

/** Starts a daemon as a separate process. `lost` rejects if it cannot be started. */
export function startProcess({ program, args, cwd, env, isBackground }: DaemonProgram): DaemonStreams {
	const child = spawn(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true });
	if (isBackground) detachProcess(child);
	return createStreams({
		output: child.stdout,
		input: child.stdin,
		errors: child.stderr,
		ended: waitForEnd(child),
		kill: () => void child.kill('SIGKILL'),
	});
}
