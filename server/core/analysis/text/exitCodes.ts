/** Finds the exit codes that results state, and those that scripts print. */

/** Lengths at the start and the end of a result that are searched for an exit code. UTF-16 units. */
const exitCodeRange = { head: 400, tail: 200 } as const;

/** An exit code on a line with little else, but not in a test's name: `Exit code 3`, `"exit_code": 2`, `exit: 1`. */
const exitCodePattern =
	/^(?!(?:[ \t]*(?:[✓✔√✕✗×•*-]|(?:not )?ok\b|\(?(?:pass|fail)\)?)))(?:[^\n]{0,32}\bexit(?:ed with)?[ _]?(?:code|status)"?\s?[:=>]?|exit\s?[:=])\s?(-?\d{1,3})\b[^\n]{0,40}$/im;

/** Exit codes that a script prints between marks, perhaps for each of its commands: `---- exit: 0 ----`. */
const markedCodePattern = /^[-=#*]{2,12} ?exit(?: code| status)? ?[:=]? ?(\d{1,3}) ?[-=#*]{0,12}$/gim;

/** Returns the exit code that a result states for its command, if any. */
export function findExitCode(text: string): number | undefined {
	const { head, tail } = exitCodeRange;
	const edge = text.length <= head + tail ? text : `${text.slice(0, head)}\n${text.slice(-tail)}`;
	if (!/exit/i.test(edge)) return undefined;
	const match = exitCodePattern.exec(edge);
	if (match !== null) return Number(match[1]);
	const codes = Array.from(edge.matchAll(markedCodePattern), ([, code]) => Number(code));
	return codes.findLast((code) => code > 0) ?? codes.at(-1);
}

/** A script whose last command prints the exit code of the one before: `npm test; echo $?`. */
const printedCodePattern = /;\s{0,9}echo ["']?(?:[\w ]{0,20}[:=] ?)?\$\?["']?$/;

/** Copilot's report that a command ended, which follows the command's output. */
const endReportPattern = /<shellId: [^>\n]{1,60}>$/;

/** Returns the exit code that a script prints at its end, if any. */
export function findPrintedExitCode(command: string, text: string): number | undefined {
	if (!printedCodePattern.test(command.trimEnd())) return undefined;
	const end = text.trimEnd().slice(-exitCodeRange.tail).replace(endReportPattern, '').trimEnd();
	const code = /(?:^|[\n:=] ?)(\d{1,3})$/.exec(end)?.[1];
	return code === undefined ? undefined : Number(code);
}
