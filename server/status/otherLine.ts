import { errorCode } from '../core/failure.ts';

/** Milliseconds that another status line may take, because Claude Code waits for both. */
const timeoutMs = 1000;
/** Maximum characters of the output of another status line. */
const maxCharacters = 16_384;

/**
 * Returns the output of another status line's command, run as Claude Code would run it: in a shell, with the same input.
 *
 * After the timeout, the output so far is used and all its processes are killed. A command that fails shows nothing.
 */
export async function runOtherStatusLine(command: string, input: string): Promise<string> {
	// Loading this module takes a seventh of the time of a status line, and few users have another line.
	const { spawn } = await import('node:child_process');
	const isGroup = process.platform !== 'win32';
	const child = spawn(command, { shell: true, stdio: ['pipe', 'pipe', 'ignore'], detached: isGroup });
	let output = '';
	// A command may succeed without reading its input.
	child.stdin.on('error', () => {});
	child.stdin.end(input);
	child.stdout.setEncoding('utf8').on('data', (text) => {
		output = (output + text).slice(0, maxCharacters);
	});
	return new Promise((resolve) => {
		const finish = (isShown: boolean): void => {
			clearTimeout(timer);
			child.stdout.destroy();
			child.unref();
			killWithChildren(child.pid, isGroup);
			resolve(isShown ? output.trimEnd() : '');
		};
		const timer = setTimeout(() => finish(true), timeoutMs);
		child.on('error', () => finish(false));
		child.on('exit', (code) => {
			// The command may have ended before all of its output arrived.
			if (child.stdout.readableEnded) finish(code === 0);
			else child.stdout.on('close', () => finish(code === 0));
		});
	});
}

/** Kills a process with all its children; one that already ended is not an error. */
function killWithChildren(pid: number | undefined, isGroup: boolean): void {
	if (pid === undefined) return;
	try {
		process.kill(isGroup ? -pid : pid, 'SIGKILL');
	} catch (error) {
		if (errorCode(error) !== 'ESRCH') throw error;
	}
}
