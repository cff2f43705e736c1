/** Classifies commands by what they do. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { workLimits } from '../../compact/tuning.ts';
import { findTouches } from '../../files/findTouches.ts';
import { mayBeSamePath } from '../../files/paths.ts';
import { patchStart } from '../../files/touches/patch.ts';
import { isReadOnlyScript } from '../../files/touches/shell/readOnly.ts';
import { translateWindowsScript } from '../../files/touches/shell/windowsScripts.ts';
import { isFields } from '../../shape.ts';
import { nameStartedShell, unwrapShell } from './unwrapShell.ts';

/** Longer commands are judged by their prefix of this length. UTF-16 units. */
const maxCommandLength = 400;

const commandPrefixPattern =
	/^(?:cd\s+(?:"[^"]*"|'[^']*'|(?:\\ |[^\s\\]|\\(?! ))+)\s*(?:&&|;)\s*|export\s+\S+\s*(?:&&|;)\s*|(?!\w*(?:SKIP|ONLY|SHORT|QUICK|FAST|SLOW))[A-Z_][A-Z0-9_]*=(?:"[^"]*"|'[^']*'|\$\([^()]*\)|(?!\$\()[^\s"'])*\s+|sudo(?:\s+(?:-[ugpChrtTD]\s+\S+|-(?![ugpChrtTD]\s)[-\w]{1,40})){0,9}\s+|time(?:out\s+\d+\w?)?\s+|env\s+)+/;
/**
 * Redirections, pipes and messages after a command, in a text with single spaces. A search in the output for anything but
 * failures and totals is a part of the command: it shows the state of one file or test.
 */
const commandSuffixPattern =
	/ ?(?:2>&1|\d?> ?\S+|< ?\S+|\| ?(?:tail|head|cat|tee|less|wc|sort|uniq|grep(?=[^|;&]{0,200}(?:[Ee]rr|ERR|[Ff]ail|FAIL|[Ww]arn|[Pp]ass|PASS|Tests?\b|[Tt]otal|[✓✗×●]| -v| -c)))\b(?:"[^"]*"|'[^']*'|[^|&;"'])*) ?/g;
const checkWordPattern =
	/\b(?<!::)(?:tests?(?!-(?:Path|Connection|NetConnection|Json)\b)|spec|rspec|jest|vitest|mocha|pytest|unittest|phpunit|tox|cargo(?! (?:fetch|info|init|login|metadata|new|owner|publish|rm|search|tree|yank)\b)|go (?:test|build|vet)|(?:es)?build|webpack(?!-dev| serve)|rollup|tsup|compile|tsc|typecheck|type-check|lint|eslint|biome|ruff|rubocop|flake8|pylint|pyright|credo|dialyzer|phpstan|mypy|golangci|(?<!-)(?:fmt|format(?!-(?:Table|List|Wide|Custom|Hex)\b)|time(?!-))|check|make|mvn|gradle|bench\w*|hyperfine|run ci|verify)\b/i;

/** A script that tests by its name: `python3 src/smoke_test.py`, `./run-tests.sh`. */
const testScriptPattern =
	/^(?:(?:python3?|node|bun|deno run|tsx|ruby|php|bash|sh) (?:-\S{1,40} ){0,3})?(?:\S{0,200}\/)?(?!(?:create|new|make|add|gen|generate|setup|deploy|latest|install|scaffold|start|stop|restart)[_-])[^\s/]{0,80}(?:(?:[_-]|\bself)tests?|\btest_\w{1,60})\.(?:py|[cm]?[jt]s|rb|php|sh)(?= |$)/;

/** Quoted values of options: titles and reasons, but no commands (`bash -lc "npm test"`), and nothing after `sed -i`. */
const quotedOptionPattern = /\s(?:--[\w-]+|-(?!\w*[ci]\s)\w+)[= ](["'])[^"']*(?:\1|$)/g;
/**
 * Quotations of several words: text, or a program such as `jq 'map(test("x"))'`. After `-c` or `ssh` they are commands.
 */
const quotedTextPattern = /((?:\s-\w*c|\bssh\s+\S+)\s+)?(["'])((?:\\.|(?!\2)[\s\S])*)(?:\2|$)/g;
/** Code that an interpreter or a client of a database runs, with the program and its options in the first group. */
const inlineCodePattern =
	/((?:^|[\s;|&("'\\/])(?:python[\d.]{0,5}|pypy3?|ruby|node|perl|php|psql|sqlite3|mysql|mariadb)(?:\.exe)?["']?(?:\s[^\n"'|;&]{0,200})?\s-\w{0,9}[cer]\s{1,3})(["'])(?:\\.|(?!\2)[\s\S])*(?:\2|$)/g;
/** Words of code that tests something. Other code only shows or computes. */
const assertionPattern = /\bassert|\b(?:pytest|unittest)\b/;

/** Programs that never check anything, even if their arguments have names of checks: `grep`, `./start-test.sh`. */
const nonCheckingProgramPattern =
	/^(?:apply_patch|cat|sed|head|tail|grep|rg|ls|find|git|gh|curl|wget|cp|mv|rm|mkdir|touch|chmod|echo|printf|wc|cd|tee|nl|less|kill|pkill|killall|psql|mysql|mariadb|sqlite3|Test-Path|(?:\S{0,200}\/)?(?:re)?(?:start|stop)[-_][\w.-]{1,80})$/;

/** Commands that install programs, whose names may be words of checks. */
const installingCommandPattern =
	/^(?:apt(?:-get)?|apk|brew|bun|cargo|conda|dnf|gem|go|npm|pip3?|pnpm|poetry|uv|yarn|yum)(?: (?:-\S+|pip))* (?:add|get|i|install|remove|uninstall|update|upgrade)(?= |$)/;
/** Commands that create a project from a template, whose options may name checks: `npx create-next-app --eslint`. */
const creatingCommandPattern =
	/^(?:(?:npx|bunx|(?:pnpm|yarn) dlx) (?:-\S{1,30} ){0,3}create-|(?:npm|pnpm|yarn|bun) (?:create|init)\b)/;
/** Commands that manage containers and images, whose names may be words of checks: `docker rmi shop:test`. */
const containerCommandPattern =
	/^(?:docker|podman|nerdctl)(?: compose)?(?: (?:container|image))? (?:cp|down|images|inspect|kill|login|logs|ls|network|prune|ps|pull|push|rmi?|start|stop|system|tag|volume)(?= |$)/;
/** The shell's own test of a file, with a separate operator: `test -x bin/ferry`. */
const fileTestPattern = /^(?:test|\[) (?:! )?-[a-z] /;
/** A script that checks the machine, not the code: `scripts/check-prerequisites.sh`, `npm run check:env`. */
const environmentScriptPattern =
	/^(?:(?:(?:ba|z|da)?sh|pwsh|node|python3?|(?:npm|pnpm|yarn|bun) run) )?(?:\S{0,200}[\\/])?check[-_:](?:prereq(?:uisite)?s?|env(?:ironment)?|dep(?:endencie)?s|requirements|setup)(?:\.\w{1,4})?(?= |$)/i;
/** Options with which a program only tells about itself or about what it would do. */
const uncheckingOptionPattern = /^--(?:version|dry-run|list|list-tests|collect-only)$/;
/** Options that turn something off, such as `--no-default-browser-check`. */
const disablingOptionPattern = /^--(?:disable|no|skip)-/;

/** The start of a here-document with the word that ends it; not a here-string (`<<<`). */
const documentStartPattern = /(?<!<)<<(?!<)-?[ \t]*(["']?)(\w{1,200})\1/;
const commentPattern = /^[ \t]*#.*\n?/gm;

/** Returns a command without a change of the folder before it. */
export function skipFolderChange(command: string): string {
	return command.replace(/^\s*cd \S+ && /, '').trimStart();
}

/** Whether a command is on one line, without a here-document. */
export function isOneLine(command: string): boolean {
	return !/\n|<</.test(command);
}

/** Returns a command without its here-documents and comments, and without a patch, which Codex passes unquoted. */
export function removeDocumentsAndComments(command: string): string {
	const script = command.startsWith(`apply_patch ${patchStart}`) ? 'apply_patch' : command;
	return removeHereDocuments(script.slice(0, workLimits.maxLengthOf.command)).replace(commentPattern, '');
}

/** Returns a script without the texts of its here-documents; an unclosed one extends to the end. Linear. */
function removeHereDocuments(script: string): string {
	const lines = script.split('\n');
	const keptLines: string[] = [];
	for (let index = 0; index < lines.length; index++) {
		const line = lines[index] ?? '';
		const start = index + 1 < lines.length ? documentStartPattern.exec(line) : null;
		if (start === null) {
			keptLines.push(line);
			continue;
		}
		const [opening, , end = ''] = start;
		keptLines.push(`${line.slice(0, start.index)}${line.slice(start.index + opening.length)};`);
		do index++;
		while (index < lines.length && !endsDocument(lines[index] ?? '', end));
		const rest = (lines[index] ?? '').trimStart().slice(end.length);
		if (rest !== '') keptLines.push(rest);
	}
	return keptLines.join('\n');
}

function endsDocument(line: string, word: string): boolean {
	const start = line.trimStart();
	return start.startsWith(word) && !/\w/.test(start[word.length] ?? '');
}

/** The commands of an editor or memory tool: the name of an action on the file that another argument names. */
const fileActionPattern = /^(?:view|create|str_replace|insert|undo_edit|write|edit_file|delete|rename)$/;

/** Returns the command of a shell tool's call as it was written: a text, or an array; undefined if the call has none. */
function getCommand({ args }: ToolCall): string | unknown[] | undefined {
	if (!isFields(args)) return undefined;
	const value = args.command ?? args.cmd;
	if (typeof value === 'string')
		return fileActionPattern.test(value) && (args.path ?? args.old_path) !== undefined ? undefined : value;
	return Array.isArray(value) ? value : undefined;
}

/** Whether a call has a shell command. Cheaper than `findShellCommand`. */
export function hasShellCommand(call: ToolCall): boolean {
	return getCommand(call) !== undefined;
}

/** The commands that were read before. Finding the shell around a command takes longer than a look at this map. */
const shellCommands = new WeakMap<ToolCall, { command: string | undefined }>();

/** Returns the command of a shell tool's call, without a shell that it starts; undefined if the call has none. */
export function findShellCommand(call: ToolCall): string | undefined {
	const known = shellCommands.get(call);
	if (known) return known.command;
	const command = readShellCommand(call);
	shellCommands.set(call, { command });
	return command;
}

function readShellCommand(call: ToolCall): string | undefined {
	const value = getCommand(call);
	const text = Array.isArray(value) ? value.filter((one) => typeof one === 'string').join(' ') : value;
	return text === undefined ? undefined : translateWindowsScript(unwrapShell(text));
}

/** A command of a script, up to the next separator outside of quotation marks, or this separator. */
const scriptPartPattern = /(?:\\[\s\S]|"(?:\\[\s\S]|[^"\\])*"|'[^']*'|&(?!&)|[^;\n&\\]|\\$)+|&&|[;\n]/g;
/** A command that only prepares others: it changes the folder, sets a variable, moves files or runs a here-document. */
const preparationPattern =
	/^\s*(?:(?:cd|export|set|mkdir|cp|mv|rm|touch|echo|printf|ls|sleep|git (?:add|log|status|diff|show))(?![\w-])[^|]*|cat\s{1,9}>{1,2}[^|]*|(?:python3?|node|ruby|perl)(?:\s{1,9}-u)?\s{0,9}-?\s*|[A-Za-z_]\w{0,100}=\S*\s*|)$/;
/** A command that only reports on the work. */
const reportPattern = /^\s*(?:(?:echo|printf|ls|git (?:log|status|diff|show))(?![\w-]).*|)$/s;

/** Returns the part of a script that does its work; the whole script if it only prepares and reports. */
function trimPreparation(script: string): string {
	const parts = script.match(scriptPartPattern) ?? [];
	const isWork = (part: string): boolean => !/^(?:&&|[;\n])$/.test(part) && !preparationPattern.test(part);
	const first = parts.findIndex(isWork);
	const last = parts.findLastIndex((part) => isWork(part) && !reportPattern.test(part));
	return first < 0 || last < first ? script : parts.slice(first, last + 1).join('');
}

/** Returns a key that is equal for calls with the same action; undefined if the call cannot be compared. */
export function computeActionKey(call: ToolCall, path = findTouches(call)[0]?.path): string | undefined {
	const command = findShellCommand(call);
	if (command !== undefined) {
		const plainCommand = trimPreparation(removeDocumentsAndComments(command))
			.replace(/\\\r?\n|((?:^|&&|[|;])[ \t]{0,99})\r?\n/g, '$1 ')
			.trim()
			.replace(/[ \t]{0,99}\r?\n/g, '; ')
			.replace(/\s+/g, ' ')
			.replace(commandPrefixPattern, '')
			.replace(commandSuffixPattern, ' ')
			.replace(/ +(?=[ ;])/g, '')
			.trim();
		const written = getCommand(call);
		const shell = typeof written === 'string' ? nameStartedShell(written) : '';
		return plainCommand === '' ? undefined : shell + plainCommand;
	}
	if (path === undefined) return undefined;
	const action = isFields(call.args) ? call.args.command : undefined;
	return typeof action === 'string' ? `${call.name} ${action} ${path}` : `${call.name} ${path}`;
}

/** A change of the folder, also as Windows writes it: `cd /d C:\shop`. Quotation marks and backslashes protect spaces. */
const folderPattern =
	/(?:^|[(;&\n])[ \t]{0,9}cd[ \t]{1,9}(?:\/d[ \t]{1,9})?("[^"\n]{1,300}"|'[^'\n]{1,300}'|(?:\\ |[^\s;&)])+)/g;

/** Returns the folder in which a command runs; undefined if the call names none, or several. */
export function findFolder(call: ToolCall): string | undefined {
	const [named, ...others] = (findShellCommand(call) ?? '').matchAll(folderPattern);
	const { workdir, cwd } = isFields(call.args) ? call.args : {};
	const folder = named?.[1] ?? workdir ?? cwd;
	if (typeof folder !== 'string' || others.length > 0) return undefined;
	const plainFolder = folder
		.replace(/^["']|[/\\"']{1,9}$/g, '')
		.replaceAll('\\ ', ' ')
		.replace(/^\$\{?\w{1,40}\}?[/\\]/, '');
	return /^[.~-]*$|[$*]/.test(plainFolder) ? undefined : plainFolder;
}

/** Whether two folders may be the same. Each may be unknown. */
export function mayBeSameFolder(one: string | undefined, other: string | undefined): boolean {
	return one === undefined || other === undefined || mayBeSamePath(one, other);
}

/** Returns a command without its quoted texts, which may contain anything. Of code with assertions, a word for a test remains. */
function removeQuotedTexts(command: string): string {
	return command
		.replace(quotedOptionPattern, ' ')
		.replace(inlineCodePattern, (code, program: string) => `${program}${describeCode(code)}`)
		.replace(quotedTextPattern, (all, run: string | undefined, _mark, inner: string) =>
			run !== undefined || !/[\s|;&]/.test(inner) ? all : ' ',
		);
}

/** The commands of a pipeline, and the operator before it; empty for the first pipeline. */
interface SplitPipeline {
	joinedBy: string;
	commands: string[];
}

/** Returns the pipelines of a script without its quoted texts. Knows no syntax but separators. */
export function splitPipelines(script: string): SplitPipeline[] {
	const parts = removeQuotedTexts(removeDocumentsAndComments(script)).split(/(&&|\|\||[;\n])/);
	return parts.flatMap((part, index) => {
		if (index % 2 === 1) return [];
		return [{ joinedBy: parts[index - 1] ?? '', commands: part.split(/\|&?/).map((one) => one.trim()) }];
	});
}

/** Returns the commands of a script without its quoted texts. Reads only the first `maxCommandLength` units. */
function splitCommands(script: string): string[] {
	const plainScript = removeQuotedTexts(removeDocumentsAndComments(script).slice(0, maxCommandLength));
	return plainScript.split(/&&|\|\||[;|\n]/).map((part) => part.trim());
}

/** Whether a command checks or measures the work: tests, builds, linters, benchmarks. */
export function isCheckCall(call: ToolCall): boolean {
	return splitCommands(findShellCommand(call) ?? '').some((part) => isCheckCommand(part.split(/\s+/)));
}

/** The folder of a program that a command names by its absolute path. It says nothing about the program. */
const absoluteFolderPattern = /^(?:~|[A-Za-z]:)?[\\/].*[\\/]/;

/** Returns a word for what code does: `unittest` if it tests something, or else an empty text. */
function describeCode(code: string): string {
	return assertionPattern.test(code) ? 'unittest' : '';
}

/** Returns words with `describeCode` of the code that a program gets as one word. */
function replaceCode(words: readonly string[]): string[] {
	return words.map((word, index) => {
		const isCode = /\s/.test(word) && `${words.slice(0, index).join(' ')} "`.search(inlineCodePattern) >= 0;
		return isCode ? describeCode(word) : word;
	});
}

/** Whether a command with these words checks the work. */
export function isCheckCommand(allWords: readonly string[]): boolean {
	const [program = '', ...words] = replaceCode(allWords).filter(
		(word) => !/^\w+=/.test(word) && !disablingOptionPattern.test(word),
	);
	const command = [program, ...words].join(' ');
	return (
		!nonCheckingProgramPattern.test(program) &&
		!installingCommandPattern.test(command) &&
		!creatingCommandPattern.test(command) &&
		!containerCommandPattern.test(command) &&
		!fileTestPattern.test(command) &&
		!environmentScriptPattern.test(command) &&
		!words.some((word) => uncheckingOptionPattern.test(word)) &&
		(allWords.includes('time') || !isManualCommand(command)) &&
		(testScriptPattern.test(command) ||
			checkWordPattern.test(
				[
					program.replace(absoluteFolderPattern, ''),
					...words.filter((word) => !/[\\/]|\.config\.\*/.test(word)),
				].join(' '),
			))
	);
}

/** A formatter, or an option or task that lets a tool fix files. */
const fixPattern =
	/\s--(?:fix|write)(?![-\w])|\w:fix(?![-\w])|\bgo(?:fmt|imports)\s+(?:-\w+\s+){0,3}-\w*w\b|(?:^|\s)(?:run|make|just|task|cargo|go|mix|deno|dart|terraform|ruff|yarn|pnpm)\s+(?:fmt|format)(?![-\w./:=])|^(?:(?:npx|uvx|(?:uv|poetry) run|python3? -m)\s+)?(?:black|isort|rustfmt)\s+(?!-)/;

/** Whether a call's command lets a tool fix faults in files. */
export function fixesFiles(call: ToolCall): boolean {
	const command = findShellCommand(call) ?? '';
	// Splitting a command takes longer than a search for the words of the pattern.
	return (
		/fix|write|fmt|format|imports|black|isort/.test(command) && splitCommands(command).some(isFixCommand)
	);
}

/** Whether a single command lets a tool fix faults in files. */
export function isFixCommand(command: string): boolean {
	return (
		!nonCheckingProgramPattern.test(command.split(/\s/, 1).join()) &&
		fixPattern.test(command) &&
		!/\s--(?:check|diff|dry-run)\b/.test(command)
	);
}

/** Whether a call's command hides its errors, so that a file which it names may not exist. */
export function hidesErrors(call: ToolCall): boolean {
	return /[2&]>\s?\/dev\/null/.test(findShellCommand(call) ?? '');
}

const searchProgramPattern = /^(?:git grep|[ef]?grep|rg|ag|ack|findstr|find|fd)(?![-\w])/;

/** Whether a command only searches for files or lines. */
export function isSearchCommand(command: string): boolean {
	return searchProgramPattern.test(command);
}

/** Programs that show existing text. An error in this text need not be an error of the program. */
const showingProgramPattern =
	/^(?:cat|sed|head|tail|grep|rg|ls|find|nl|wc|cut|sort|awk|jq|yq|diff|tree|less|stat|file|git)$/;

/** Returns the programs in a command that only show existing text. */
export function findShowingPrograms(command: string): string[] {
	return splitCommands(command)
		.map((part) => part.split(/\s/, 1).join())
		.filter((program) => showingProgramPattern.test(program));
}

/** Commands with lasting or visible effects: commits, requests, releases, calls of services. */
const mutatingCommandPattern =
	/\b(?:git (?:commit|push|merge|rebase|tag|cherry-pick|revert)|gh (?:pr|issue|release|workflow|run) (?:create|comment|merge|close|reopen|edit|review|run|rerun|delete)|(?:npm|pnpm|yarn|cargo|twine|bun) publish|docker push|kubectl (?:apply|delete|rollout)|terraform (?:apply|destroy)|helm (?:install|upgrade))\b/;
const requestProgramPattern = /\b(?:gh api|curl)\b/;
const writingMethodPattern = /\s(?:-X|--method|--request)[= ]?(?:POST|PUT|PATCH|DELETE)\b/;

/** Whether a command has effects that others see or that stay in the project's history. */
export function isMutating(call: ToolCall): boolean {
	const command = findShellCommand(call)?.slice(0, maxCommandLength) ?? '';
	return (
		mutatingCommandPattern.test(command) ||
		command.split(/[|;&]/).some((part) => requestProgramPattern.test(part) && writingMethodPattern.test(part))
	);
}

const readOnlyToolPattern =
	/^(?:read|glob|grep|rg$|ls|view|list|find|search|open|cat)|(?:^|[_.:-])(?:get|fetch|read|list|find|search|query|show|describe|look_?up|calculate|think)(?![a-z])/i;
const readingPattern = /^\s*(?:(?:cd \S+|pwd) (?:&&|;) )*(?:cat|sed -n|ls|head|tail|rg|grep|find|nl|wc)\b/;

/** Whether a call first shows existing text. A command may also do other work, such as `cat a && make`. */
export function showsExistingText(call: ToolCall): boolean {
	return readOnlyToolPattern.test(call.name) || readingPattern.test(findShellCommand(call) ?? '');
}

/** Whether a call only reads. False for a command that may change files, and for one that cannot be parsed. */
export function isReadOnly(call: ToolCall): boolean {
	const command = findShellCommand(call);
	if (!showsExistingText(call) || command === undefined) return showsExistingText(call);
	return command.length <= workLimits.maxLengthOf.command && isReadOnlyScript(command);
}

/** A script that also prints files or commits, which may contain the lines of other runs. */
const quotingPattern = /(?:^|[;&]\s{0,9})(?:cat|sed|head|tail|less|grep|rg|git (?:log|show|diff|blame))\b/;

/** Whether a script may print the output of other runs. */
export function quotesOtherOutput(call: ToolCall): boolean {
	return quotingPattern.test(findShellCommand(call) ?? '');
}

const manualPattern = /\s--help(?:\s|$)|^(?:man|tldr|perldoc|(?:python3? -m )?pydoc3?|(?:go|rustup) doc)\s/;

/** Whether a command prints documentation. */
export function isManualCommand(command: string): boolean {
	return manualPattern.test(command);
}

/** Whether a call shows how to use a program or a library: `git stash --help`, `man rsync`, `go doc io.Reader`. */
export function showsManual(call: ToolCall): boolean {
	const command = findShellCommand(call) ?? '';
	// Splitting a command takes longer than a search for the words of the pattern.
	return /--help|(?:man|tldr|doc3?) /.test(command) && splitCommands(command).some(isManualCommand);
}

const queryVerbPattern = /^(?:find|list|lookup|query|search)$/i;
/** Words in the name of a tool that does more than search, such as `find_or_create` or `search_and_replace`. */
const secondActionPattern = /^(?:add|and|create|delete|insert|mark|open|or|remove|replace|save|set|update)$/i;

/** Whether a tool's name says that it only searches: an empty result then means that it found nothing. */
export function isQuery({ name }: ToolCall): boolean {
	const baseName = name.split(/__|[.:/]/).at(-1) ?? '';
	const [verb = '', ...others] = baseName.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/);
	return queryVerbPattern.test(verb) && !others.some((word) => secondActionPattern.test(word));
}

/** Programs that change the named files, or fail. */
const fileCommandPattern = /^\s*(?:cd \S+ && )?(?:sed|mv|cp|touch|git|patch|tee) [^;&|\n<]*$/;

/** Whether a script is a single command that changes a file only if it succeeds. */
export function isSingleFileCommand(script: string): boolean {
	return fileCommandPattern.test(script);
}
