/** Translates commands of the shells of Windows that work on files, and their paths, so that they are read like those of other shells. */

import { translatePowerShell } from './powerShell.ts';

/** A command that removes files or folders, with its options, or with a path of a drive. */
const removalPattern =
	/(^|[;&|\n(@][ \t]{0,9}|\bcmd(?:\.exe)? \/c "?)(del|erase|rmdir|rd)(?:(?: {0,9}\/[a-z](?![\w\\.]))+|(?= {1,9}"?[a-z]:\\))/gi;
/** A path on a drive, perhaps in quotation marks; no pattern such as `d:\d+`. */
const drivePathPattern =
	/"[A-Za-z]:\\[\w.~-]{2}[^"\n]{0,400}"|(?<![\w.:\\/-])[A-Za-z]:\\(?=[\w.~-]{2})[^\s"'&|;<>]{0,400}/g;

/** Returns a script with the commands of other shells in place of those of PowerShell and the command prompt. Linear. */
export function translateWindowsScript(script: string): string {
	return translateCommandPrompt(translatePowerShell(script));
}

function translateCommandPrompt(script: string): string {
	// Most scripts have no such word.
	if (!/\b[A-Za-z]:\\|\b(?:del|erase|rmdir|rd) {0,9}\//i.test(script)) return script;
	return script
		.replace(removalPattern, (_, start: string, name: string) => start + (/^r/i.test(name) ? 'rm -r' : 'rm'))
		.replace(drivePathPattern, (path) => path.replaceAll('\\', '/'))
		.replace(/2>nul\b/gi, '2>/dev/null');
}
