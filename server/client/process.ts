import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import type { DaemonStreams } from './connection.ts';
import { ConnectionError } from './errors.ts';

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

/** UTF-16 units of the daemon's log that are kept for the case that it fails. */
const keptLog = 4096;
/** Milliseconds that the daemon has to end by itself once it was told to. */
const patience = 5000;
/** What would break one line of a message, or move a terminal's cursor. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/** Keeps the end of what the daemon logs; gives its last line. */
function lastLogLine(child: ChildProcess): () => string {
	let log = '';
	child.stderr?.setEncoding('utf8').on('data', (text: string) => {
		log = (log + text).slice(-keptLog);
	});
	return () => (log.trim().split('\n').at(-1) ?? '').replace(unprintable, ' ').trim();
}

function endReason(code: number | null, signal: NodeJS.Signals | null, lastLine: string): string {
	const how = signal ? `was ended by ${signal}` : `ended with code ${code}`;
	return `the daemon ${how} before its work was done${lastLine === '' ? '' : `: ${lastLine}`}`;
}

/** Tells when the daemon fails or leaves although nobody asked it to. */
function lossOf(child: ChildProcess, isWanted: () => boolean): Promise<never> {
	const lastLine = lastLogLine(child);
	const lost = new Promise<never>((_, reject) => {
		child.on('error', (error) => {
			reject(new ConnectionError(`the daemon could not be started: ${error.message}`));
		});
		// Not "exit": what it still wrote is read first.
		child.on('close', (code, signal) => {
			if (!isWanted()) reject(new ConnectionError(endReason(code, signal, lastLine())));
		});
	});
	// Whoever waits for an answer hears of it; where nobody does, it is no failure.
	lost.catch(() => {});
	return lost;
}

/** Lets this process end although the child runs; the child sees its input end then. */
function letGo(child: ChildProcess): void {
	child.unref();
	for (const stream of child.stdio) if (stream instanceof Socket) stream.unref();
}

/** Starts a daemon as a process of its own. That it cannot be started is told by `lost`. */
export function startProcess({ program, args, cwd, env, isBackground }: DaemonProgram): DaemonStreams {
	const child = spawn(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true });
	if (isBackground) letGo(child);
	let isWanted = false;
	const closed = once(child, 'close');
	closed.catch(() => {});
	const lost = lossOf(child, () => isWanted);
	// A daemon that is gone breaks the pipe; that it is gone is told by `lost`.
	child.stdin.on('error', () => {});

	const kill = () => void child.kill('SIGKILL');

	return {
		output: child.stdout,
		input: child.stdin,
		lost,
		kill,
		async end(farewell) {
			isWanted = true;
			if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
			const timer = setTimeout(kill, patience);
			try {
				await Promise.race([child.killed ? closed : farewell(), closed]);
			} finally {
				child.stdin.end();
				await closed;
				clearTimeout(timer);
			}
		},
	};
}
