/** Finds the script in a command that only starts a shell. */

import { simplifyPowerShell } from '../../files/touches/shell/powerShell.ts';

/** A shell that runs one script: `bash -lc "npm test"`, `powershell -Command "npm test"`. */
const shellCommandPattern =
	/^(?:"[^"\n]{0,200}[\\/](?:ba|z|da)?sh(?:\.exe)?"|(?:\/[\w/]+\/)?(?:ba|z|da)?sh(?:\.exe)?)\s+-\w*c\s+|^(?:powershell|pwsh)(?:\.exe)?(?:\s+-(?:NoProfile|NoLogo|NonInteractive|ExecutionPolicy\s+\w+))*\s+-c(?:ommand)?\s+/i;

/** The shell of Windows, which agents start from another shell. Its scripts do not work there. */
const powerShellPattern = /^(?:powershell|pwsh)\b/i;

/** Returns `powershell: ` for a command whose script runs in PowerShell; otherwise an empty text. */
export function nameStartedShell(command: string): string {
	return powerShellPattern.test(command) && shellCommandPattern.test(command) ? 'powershell: ' : '';
}

/** Returns the script of a shell that a command starts; otherwise the command itself. */
export function unwrapShell(command: string): string {
	const script = command.replace(shellCommandPattern, '').trim();
	if (script.length === command.length)
		return command.includes('Get-Content') ? simplifyPowerShell(command) : command;
	const mark = script.charAt(0);
	const end = /["']/.test(mark) ? script.indexOf(mark, 1) : -1;
	if (end < 0) return script;
	const inner = script.slice(1, end);
	const rest = script.slice(end + 1);
	if (rest === '') return inner;
	// The output of several commands goes through the pipe, so only one command can do without its shell.
	return /^\s*\|(?!\|)/.test(rest) && !/[;&\n\\]/.test(inner) ? inner + rest : script;
}
