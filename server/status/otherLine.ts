import { spawn } from 'node:child_process';
import { errorCode } from '../core/failure.ts';

/** Milliseconds that another status line may take: Claude Code waits for both. */
const patienceMs = 1000;
/** Characters of it that are shown at most. */
const longest = 16_384;

/**
 * What another status line's command prints, run as Claude Code would run it: in a shell, with the same input. What it
 * has printed by the end of its time stands, and all that it started ends then; a command that fails shows nothing.
 */
export function shownByCommand(command: string, input: string): Promise<string> {
	const isGroup = process.platform !== 'win32';
	const child = spawn(command, { shell: true, stdio: ['pipe', 'pipe', 'ignore'], detached: isGroup });
	let printed = '';
	// A command that does not read what it is handed is none that failed.
	child.stdin.on('error', () => {});
	child.stdin.end(input);
	child.stdout.setEncoding('utf8').on('data', (text) => {
		printed = (printed + text).slice(0, longest);
	});
	return new Promise((resolve) => {
		const end = (isShown: boolean): void => {
			clearTimeout(timer);
			child.stdout.destroy();
			child.unref();
			endAll(child.pid, isGroup);
			resolve(isShown ? printed.trimEnd() : '');
		};
		const timer = setTimeout(() => end(true), patienceMs);
		child.on('error', () => end(false));
		child.on('exit', (code) => {
			// What it printed may still be on its way.
			if (child.stdout.readableEnded) end(code === 0);
			else child.stdout.on('close', () => end(code === 0));
		});
	});
}

/** Ends a process with all that it started; what has ended by itself is no failure. */
function endAll(pid: number | undefined, isGroup: boolean): void {
	if (pid === undefined) return;
	try {
		process.kill(isGroup ? -pid : pid, 'SIGKILL');
	} catch (error) {
		if (errorCode(error) !== 'ESRCH') throw error;
	}
}
