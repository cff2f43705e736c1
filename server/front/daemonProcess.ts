import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Daemon, openDaemon } from './daemon.ts';
import { workFailed } from './failure.ts';
import { printable } from './output/printable.ts';

export interface DaemonProgram {
	/** The file that Node runs as the daemon. */
	file: string;
	env: NodeJS.ProcessEnv;
	/** Given as the client's own. */
	version: string;
}

/** UTF-16 units of the daemon's log that are kept for the case that it fails. */
const KEPT_LOG = 4096;
/** Milliseconds that the daemon has to end by itself once it was told to. */
const PATIENCE = 2000;

/** Keeps the end of what the daemon logs; gives its last line. */
function lastLogLine(child: ChildProcess): () => string {
	let log = '';
	child.stderr?.setEncoding('utf8').on('data', (text: string) => {
		log = (log + text).slice(-KEPT_LOG);
	});
	return () => printable(log.trim().split('\n').at(-1) ?? '').trim();
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
			reject(workFailed(`the daemon could not be started: ${error.message}`));
		});
		// Not "exit": what it still wrote is read first.
		child.on('close', (code, signal) => {
			if (!isWanted()) reject(workFailed(endReason(code, signal, lastLine())));
		});
	});
	// Whoever waits for an answer hears of it; where nobody does, it is no failure.
	lost.catch(() => {});
	return lost;
}

/**
 * Starts a daemon of our own. It keeps its sessions in memory alone, so that nothing of them is left behind.
 * Fails with exit code 1 where it cannot be started.
 */
export async function startDaemon({ file, env, version }: DaemonProgram): Promise<Daemon> {
	const child = spawn(process.execPath, [file, '--stdio'], {
		env: { ...env, CONTEXTD_MEMORY_ENABLED: 'false' },
		stdio: ['pipe', 'pipe', 'pipe'],
		windowsHide: true,
	});
	let isWanted = false;
	const closed = once(child, 'close');
	closed.catch(() => {});
	const lost = lossOf(child, () => isWanted);
	// A daemon that is gone breaks the pipe; that it is gone is told by `lost`.
	child.stdin.on('error', () => {});
	const daemon = await openDaemon(
		{
			output: child.stdout,
			input: child.stdin,
			lost,
			async ended() {
				const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE);
				child.stdin.end();
				await closed;
				clearTimeout(timer);
			},
		},
		version,
	);
	return {
		...daemon,
		async close() {
			isWanted = true;
			if (child.exitCode === null && child.signalCode === null) await daemon.close();
		},
	};
}
