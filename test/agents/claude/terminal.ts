/** A program in a pseudo-terminal, which tests use as a person would. */

import { spawn } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';

/** A terminal that runs a program. */
export interface Terminal {
	/** Types a line and sends it. */
	type(line: string): Promise<void>;
	/** Returns whether some words appear in time. Ignores blanks, because terminals skip over them. */
	shows(words: string, timeoutMs?: number): Promise<boolean>;
	end(): void;
}

/** Milliseconds between a typed line and its Enter key: if both arrive at once, the line counts as pasted. */
const pauseMs = 400;

/** The character that begins terminal sequences. They move the cursor, or set colours or window titles. */
const escapeSign = String.fromCharCode(27);
const bell = String.fromCharCode(7);
const controls = new RegExp(
	`${escapeSign}(?:\\[[0-9;?<>=]*[a-zA-Z]|\\][^${bell}${escapeSign}]*(?:${bell}|${escapeSign}\\\\)|[()][A-Z0-9])`,
	'g',
);

/** Starts a command of a shell in a terminal (`script` of util-linux). */
export function terminal(command: string, cwd: string, env: NodeJS.ProcessEnv): Terminal {
	const child = spawn('script', ['-qfec', `stty rows 40 cols 120; ${command}`, '/dev/null'], {
		cwd,
		env: { ...env, TERM: 'xterm-256color' },
		stdio: ['pipe', 'pipe', 'ignore'],
		detached: true,
	});
	let shown = '';
	child.stdout.setEncoding('utf8').on('data', (text) => {
		shown += text.replace(controls, '').replace(/\s+/g, '');
	});
	return {
		async type(line) {
			child.stdin.write(line);
			await setTimeout(pauseMs);
			child.stdin.write('\r');
		},
		async shows(words, timeoutMs = 30_000) {
			const wanted = words.replace(/\s+/g, '');
			for (const begun = Date.now(); Date.now() - begun < timeoutMs; await setTimeout(100)) {
				if (shown.includes(wanted)) return true;
			}
			return false;
		},
		end() {
			if (child.exitCode === null) process.kill(-(child.pid as number), 'SIGKILL');
		},
	};
}
