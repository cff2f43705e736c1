import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import type { DaemonStreams } from './connection.ts';
import { streamsOf } from './streams.ts';

export interface DaemonProgram {
	program: string;
	args: readonly string[];
	/** That of this process where absent. */
	cwd?: string;
	/** All its variables. */
	env: NodeJS.ProcessEnv;
	/** This process may end before it. */
	isBackground?: boolean;
}

/** Resolves with how the process ended, once what it wrote was read; rejects if it could not be started. */
function endOf(child: ChildProcess): Promise<string> {
	return new Promise((resolve, reject) => {
		child.on('error', reject);
		child.on('close', (code, signal) => {
			const how = signal ? `was ended by ${signal}` : `ended with code ${code}`;
			resolve(`the daemon ${how} before its work was done`);
		});
	});
}

/** Lets this process end although the child runs; the child sees its input end then. */
export function letGo(child: ChildProcess): void {
	child.unref();
	for (const stream of child.stdio) if (stream instanceof Socket) stream.unref();
}

/** Starts a daemon as a process of its own. That it cannot be started is told by `lost`. */
export function startProcess({ program, args, cwd, env, isBackground }: DaemonProgram): DaemonStreams {
	const child = spawn(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true });
	if (isBackground) letGo(child);
	return streamsOf({
		output: child.stdout,
		input: child.stdin,
		errors: child.stderr,
		ended: endOf(child),
		kill: () => void child.kill('SIGKILL'),
	});
}
