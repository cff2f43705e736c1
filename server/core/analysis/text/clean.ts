/** Removes noise from the output of tools: colours, line numbers, boilerplate, lines of brackets. */

/** Elements that agents put around messages of their tools. */
const toolTagPattern = /<\/?tool_use_error>/g;
const esc = String.fromCharCode(27);
const bell = String.fromCharCode(7);
/** Escape sequences of terminals: colours, cursor moves, titles and links, character sets, modes of keys. */
const escapePattern = new RegExp(
	`${esc}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${bell}${esc}]*(?:${bell}|${esc}\\\\)|[()][0-9A-Z]|[78=>])`,
	'g',
);
/** A line number of a read or a search, but not the number at the start of a name: `0016-tides.md`, `2-harbour.md`. */
const gutterPattern =
	/^\s*(?!0\d|\d{1,7}-\w[\w.-]*\s*$)\d{1,7}(?:→|\t|\.(?=\t| {2,}\S|$)|\| ?|[-:](?![\d\s/])|[-:](?=\t| {2,}\S)|[-:]\s*$)/;
/** A line of brackets, or of a closing tag. */
const bracketLinePattern = /^[\s{}()[\];,<>/*|+=_.'"`~^\\-]*$|^<\/[\w.:-]{1,80}>[;,)]{0,3}$/;
/** Lines of code without content, such as `} else {` and `return;`. */
const emptyCodePattern =
	/^(?=.*[{}();:])[\s{}()[\];,:]*(?:\b(?:else|try|finally|do|then|return|break|continue|default)\b[\s{}()[\];,:]*)+$/;
const boilerplatePattern =
	/has been (?:updated|modified|written|created) successfully|Todos have been modified|<\/?system-reminder|local-command-caveat|^Shell cwd was reset to |^Chunk ID:|^Wall time:? |^Script (?:completed|failed|running with cell ID \d+)$|^\[(?:rerun|result-id): \w{1,12}\]$|^Debugger attached\.$|^Waiting for the debugger to disconnect|^Original token count:|^Process (?:exited with code \d{1,3}|running with session ID \d+)$|^Warning: truncated output \(original token count: \d+\)$|^Total output lines: \d+$|^\*\*\* (?:Begin|End) Patch$|^(?:<{7} SEARCH|>{7} REPLACE)$|^Output:$|<shellId:|Here's the result of running `cat -n`|^\[[^\]]*\] \$ |^total \d+$|^(?:Directory|Process Group PGID): |^(?:Error|Background PIDs|Signal): (?:\(none\)|0)$|^Exit Code: 0$|^\[(?:Command finished with exit code 0|Current working directory: .*)\]$|^(?:Output: \((?:empty|none)\)|\(no output\))$|^\(Results are truncated|^\[File: .* \(\d+ lines total\)\]$|^\(\d+ more lines (?:above|below)\)$|^Text replaced\. Please review the changes|^Review the changes and make sure they are as expected|^\.\.\. eliding lines \d+-\d+ \.\.\.$|^(?:.{0,40}<response clipped>|<IMPORTANT>)?<NOTE>|^\(correct indentation, no duplicate lines, etc\)|^<command with (?:id|shellId): \d+ |^Use read_bash to continue waiting|^Command running in background with ID: |^Tool is running as a background task with task id: |^Tokens: [\d.,]+k? sent, |^You can use \/undo to undo and discard |^Active shell sessions:$|^\(End of file\b|^shellId: \d+, pid: |^current command: |^[Ee]xit(?: code)?:? ?\d{1,3}$|^\((?:Open file|Current directory): [^)]*\)$|^(?:bash|sh|zsh)-?[\d.]*[$#]$|^\[The command completed with exit code 0\.\]$|^>?\s*\d+ \|$|^\W*\d[\d,]* (?:more )?(?:lines|characters|bytes|tokens) (?:truncated|omitted|not shown)\W*$/;
/** Notes that Claude Code adds: how to treat a file, the token usage and duration of a subagent, and that an ended turn goes on. */
const claudeNotePattern =
	/^Whenever you read a file, you should consider whether it would be considered malware\.|^<usage>total_tokens: \d+$|^tool_uses: \d+$|^duration_ms: \d+<\/usage>$|^Continue from where you left off\.$/;
/**
 * Progress bars, pagers' messages, hints of git and npm, measurements in headers of HTTP, headers of diffs, single passed tests, test runners' notes and titles
 * above printed lines, and stack frames within Node and packages.
 */
const decorationPattern =
	/^console\.(?:log|error|warn|info|debug)$|^(?:[a-z]+ )?\[[=#>\-. ]{10,}\] \d+\/\d+|^at .{0,300}(?:\bnode_modules\/|\(node:|\(internal\/).{0,300}:\d+\)?$|^--- PASS: |^\(pass\) .{0,300}\[[\d.]+m?s\]$|^=== (?:RUN|PAUSE|CONT)\b|^test \S+ \.\.\. ok$|^[^\s:]{1,300}::\S{1,300} PASSED\b|^[✓✔√] .{0,200}\(?\d+ ?ms\)?$|\d{1,3}% .{0,60}(?:[kMG]i?B\/s|\d:\d\d:\d\d)|--:--:--|[█▓░]{8,}|\| #{2,}[\d ]{0,12}\| {1,3}\d{1,3}%|^% Total +% Received|^Dload +Upload|^={5,} [a-z ]+ ={5,}$|^[[(. ]*\d[\d,]* more lines?\b.*[\])]$|^\(?file has more lines|^<\/?file>$|^index [0-9a-f]{7,}\.\.[0-9a-f]{7,}|^diff --git |^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@$|^@@$|^Auto-merging \S+$|^Rebasing \(\d+\/\d+\)$|^\(use "git .*\)$|^\(Use `node --trace-\w+ \.\.\.` to show where the warning was created\)$|^\(node:\d+\) ExperimentalWarning: |^Snapshots: +0 total$|^Ran all test suites(?: matching \S+)?\.$|^no changes added to commit(?: \(.*\))?$|^\d+ packages? (?:is|are) looking for funding$|^==> \S.{0,300} <==$|^REMINDER: You MUST include the sources above|^run `npm (?:fund|audit)` for details\.?$|^(?:server-timing|x-request-id|x-runtime): |^await in [\w$.]{1,80}$|^(?:remote: )?hint:(?: {2,9}git | [A-Z(][^;{}=]{24,200}$)|^Auto packing the repository |^See "git help gc" |^npm audit fix(?: --force)?$|^To address (?:all )?issues(?: .{0,80})?, run:$/i;
/** A crate that cargo downloads or compiles; after one of the workspace, its folder follows. */
const cratePattern = /^(?:Downloaded|Compiling|Checking|Fresh) [\w-]{1,80} v\d\S{0,60}$/;
/** A stack frame, also as consoles of browsers print it: `commit @ chunk-4F.js?v=1:12`. */
const framePattern =
	/^(?:at .{1,400}|[\w$.()<>[\] *]{1,100}@ ?\S{1,400}):\d{1,9}(?:\)|Understand this (?:warning|error))?$/;
/** The file of a package, or a bundle: of a package manager, with a hash in its name, or with the version of a deployment. */
const libraryFilePattern =
	/\bnode_modules\/|\bchunk-[A-Z0-9]{8}\b|\.min\.m?js\b|\.next\/server\/|\/_next\/static\/|[-.](?=[a-zA-Z_]{0,20}\d)(?=\d{0,20}[a-zA-Z])\w{8,20}\.m?js\b|\.m?js\?(?:dpl|v)=/;

/** Whether a line is a stack frame in a package or in a bundle. It says nothing about the user's source. */
function isLibraryFrame(line: string): boolean {
	return framePattern.test(line) && libraryFilePattern.test(line);
}

/** Characters that replace unreadable bytes, and several letters in a row that were decoded in the wrong way. */
const garbledPattern = /\uFFFD|(?:[ÂÃÄÅÐÑâ-é][\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]{1,2}){3,100}/g;
/** Minimum length and share of unreadable characters in a line that nobody can read. UTF-16 units. */
const garbled = { minLength: 3, minShare: 0.125 } as const;

/** Whether a line was decoded in the wrong way, so that nobody can read it. */
function isGarbled(line: string): boolean {
	const length = line.match(garbledPattern)?.join('').length ?? 0;
	return length >= garbled.minLength && length >= garbled.minShare * line.length;
}

/** A line of an encoded key or certificate. A hash has only small letters. */
const keyLinePattern = /^(?=[^a-z]{0,60}[a-z])(?=[^A-Z]{0,60}[A-Z])(?=\D{0,60}\d)[A-Za-z0-9+/]{60,76}={0,2}$/;
/** A row of `ls -l`. */
export const listingPattern = /^[-dlbcps][rwxsStT-]{9}[@+.]?\s/;
const entryNamePattern = /^\S+\s+\d+\s+\S+\s+\S+\s+[\d.,]+[KMGT]?\s+\w{3}\s+\d{1,2}\s+[\d:]+\s+(\S.*)$/;

/** Returns a text without the escape sequences of terminals, such as colours. O(length). */
export function removeEscapes(text: string): string {
	return text.includes(esc) ? text.replace(escapePattern, '') : text;
}

/** Returns a text in which each line is as a terminal shows it: what follows the last return to the line's start. O(length). */
export function keepLastFrames(text: string): string {
	if (!/\r[^\r\n]/.test(text)) return text;
	const lines = text.split('\n').map((line) => {
		const shown = line.replace(/\r{1,9}$/, '');
		return shown.slice(shown.lastIndexOf('\r') + 1);
	});
	return lines.join('\n');
}

/** The lines that curl prints while it transfers a text, up to the text. */
const transferPattern =
	/^ *% Total +% Received[^\n]{0,60}\n[^\n]{0,60}Dload +Upload[^\n]{0,60}\n|^[ \t]{0,9}(?:\d{1,9}(?:\.\d)?[kMGTP]?[ \t]{1,20}){8}(?:(?:\d{1,3}:\d\d:\d\d|--:--:--)[ \t]{1,20}){3}\d{1,5}(?:\.\d)?[kMGTP]?[ \t]*\n?/gm;

/** Returns a text without the figures of curl's transfers, behind which a terminal shows the transferred text. */
export function removeTransferFigures(text: string): string {
	return text.includes('% Total') ? text.replace(transferPattern, '') : text;
}

/** What OpenCode writes around the lines of a file. */
const fileFramePattern = /^<(?:path|type)>[^<]{1,300}<\/(?:path|type)>$|^<\/?(?:content|entries)>$/;

/** What Claude Code writes around the output of a command in the background. */
const taskFramePattern =
	/^<(?:retrieval_status|task_id|task_type)>[^<]{0,100}<\/\w{1,20}>$|^<status>completed<\/status>$|^<\/?output>$/;

const noisePatterns = [
	boilerplatePattern,
	decorationPattern,
	claudeNotePattern,
	fileFramePattern,
	taskFramePattern,
	keyLinePattern,
	cratePattern,
];

/** Returns a line without escape codes, line number and boilerplate; empty if nothing is left. */
export function cleanLine(line: string): string {
	const text = removeEscapes(line).replace(gutterPattern, '').replace(toolTagPattern, '').trim();
	if (text === '' || bracketLinePattern.test(text) || emptyCodePattern.test(text)) return '';
	if (noisePatterns.some((pattern) => pattern.test(text))) return '';
	if (isLibraryFrame(text) || isGarbled(text)) return '';
	if (listingPattern.test(text)) return entryNamePattern.exec(text)?.[1]?.replace(/^\.{1,2}$/, '') ?? '';
	return text;
}

const onlyLinkPattern =
	/^(?:[-*+] {1,9}|\d{1,3}\. )?(?:!?\[[^\]\n]{0,200}\]|\])\([^()\s]{0,2000}(?: "[^"\n]{0,200}")?\)$/;

/** Whether a line is nothing but a link or a picture in Markdown, as in the navigation of a web page. */
export function isOnlyLink(line: string): boolean {
	return line.endsWith(')') && onlyLinkPattern.test(line);
}

/** Applies `cleanLine` to each line of a text, and drops empty lines. */
export function cleanText(text: string): string {
	const lines = text.split('\n').map(cleanLine);
	return lines.filter((line) => line !== '').join('\n');
}
