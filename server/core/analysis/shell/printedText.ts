/** Judges whether the end of a command's output is existing text, such as a file, a list or a manual. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { workLimits } from '../../compact/tuning.ts';
import {
	findShellCommand,
	isManualCommand,
	isSearchCommand,
	showsExistingText,
	showsManual,
	splitPipelines,
} from './commands.ts';

/** A script whose last pipeline begins with a git command that prints a list or changes. */
const scriptWithListPattern =
	/(?:^|[;&]\s*)git\b[^|;&\n]{0,100}\s(?:status|diff|show|log|blame|ls-(?:files|tree)|branch|tag|remote|reflog|for-each-ref|(?:worktree|stash) list)\b[^;&]*$/;
/** Commands that print lists. */
const listCommandPattern =
	/^(?:git\b[^|;&\n]{0,100}\s(?:status|diff|show|log|blame|ls-(?:files|tree)|branch|tag|remote|reflog|for-each-ref|(?:worktree|stash) list)(?![\w-])(?!.* --(?:short)?stat\b)|gh (?:api|\w+ (?:list|view))|docker (?:compose )?(?:ps|images)|kubectl get|go (?:mod graph|list)|(?:npm|pnpm|pip3?) (?:ls|list|freeze)|cargo tree|env$|printenv|ldd)\b/;
/** Words before the program of a command: keywords, wrappers and variables. */
const leadingWordPattern = /^(?:(?:do|then|else|sudo|command|xargs(?:\s+-\S+)*|[({!&]|\w+=\S*)\s+)+/;
/** Keywords and programs that print nothing. */
const silentCommandPattern = /^(?:done|fi|esac|\}|\)|true|:)?$/;
/** Commands that only run if the command before them fails. */
const fallbackPattern = /^(?:true|:|echo|printf|exit)\b/;
/** Programs that print text that existed before. */
const printingProgramPattern =
	/^(?:cat|bat|head|tail|less|more|nl|sed|awk|[ef]?grep|rg|ag|ack|cut|tr|jq|yq|sort|uniq|find|ls|tree|diff|column|get-content|select-string|findstr|get-childitem)$/i;
/** Filters behind a pipe that keep the last line of the output before them, or most of its lines. */
const passingFilterPattern =
	/^(?:head|tail|tee|cat|less|more|fold|nl|select-object)\b|^sed\b(?!.*\s-\w*n)|^(?:[ef]?grep|rg)\b.*\s(?:-\w*v|--invert-match)/i;
/** Options and redirections with which a program prints nothing although it found text. */
const silencedPattern = />(?!\s?(?:&\d|\/dev\/null))|^sed\b.*\s(?:-\w*i|--in-place)|\s(?:-\w*q|--quiet)/;
/** A line of an agent's wrapper around an output, or its note that there is none. */
const wrapperLinePattern =
	/^(?:Chunk ID: .*|Wall time:? .*|Script completed|Original token count: .*|(?:Process exited with|Exit) code:? \d{1,3}|(?:Command|Directory|Process Group PGID): .*|(?:Error|Stderr|Background PIDs|Signal): (?:\(none\)|\(empty\)|0)|(?:Output|Stdout):(?: \((?:empty|none)\))?|\(?(?:no output|Bash completed with no output)\)?|(?:<system>)?Tool ran without output(?:<\/system>)?)?$/i;
/** Maximum length of an output that may be only an agent's wrapper. UTF-16 units. */
const maxWrapperLength = 600;
/** A line of a program's code, which may be the last line of a printed file. */
export const codeLinePattern =
	/^(?:\/\/|\/\*|#include\b|func[ (]|fn \w|def \w+\(|return(?: [^:]*)?$|(?:export|public|private|static|const|let|var) [^:]*[=(;])|[[{(,;]$/;

/**
 * Returns the last command of a script that prints, without the words before its program and the filters behind it that
 * keep most of its output; empty if there is none.
 */
function findLastCommand(script: string): string {
	if (script.length > workLimits.maxLengthOf.command) return '';
	const pipelines = splitPipelines(script).map(({ joinedBy, commands }) => ({
		joinedBy,
		commands: commands.map((command) => command.replace(leadingWordPattern, '')),
	}));
	const last = pipelines.findLast(
		({ joinedBy, commands: [first = ''] }) =>
			!silentCommandPattern.test(first) && !(joinedBy === '||' && fallbackPattern.test(first)),
	);
	return last?.commands.findLast((one, index) => index === 0 || !passingFilterPattern.test(one)) ?? '';
}

/** Whether the end of a call's output is existing text. No line of a file, a list or a manual is an outcome. */
export function endsWithExistingText(call: ToolCall): boolean {
	if (showsExistingText(call) || showsManual(call)) return true;
	const command = findShellCommand(call) ?? '';
	return (
		(scriptWithListPattern.test(command) && !/ --(?:short)?stat\b/.test(command)) ||
		printsExistingText(findLastCommand(command))
	);
}

/** Whether a call's last command shows existing text, and found none to show. */
export function showsNothing(call: ToolCall, text: string): boolean {
	if (!isEmptyOutput(text)) return false;
	const command = findLastCommand(findShellCommand(call) ?? '');
	return printsExistingText(command) && !silencedPattern.test(command);
}

function printsExistingText(command: string): boolean {
	return (
		printingProgramPattern.test(command.split(/\s/, 1).join()) ||
		listCommandPattern.test(command) ||
		isManualCommand(command)
	);
}

/** Options of searches with which they print no error text. */
const noErrorPattern = /\s(?:-\w*[sL]|--no-messages|--files-without-match)/;
/** Commands that do not fail, or print why. */
const harmlessCommandPattern = /^(?:cd|echo|export|pwd|set)\b|^\w+=\S*$/;

/** Whether a script without any output can only have failed because its search found no match. */
export function canOnlyMissMatch(script: string): boolean {
	if (script.length > workLimits.maxLengthOf.command || /(?:2|&)>(?!&)/.test(script)) return false;
	const pipelines = splitPipelines(script).map(({ commands }) => commands);
	const [search = '', ...others] = [pipelines.pop()?.at(-1), ...pipelines.flat()];
	if (!isSearchCommand(search) || noErrorPattern.test(search)) return false;
	return others.every((one) => harmlessCommandPattern.test(one ?? ''));
}

/** Whether the last of a script's commands is a search behind such an operator. The exit code is that of the search. */
export function endsWithSearch(script: string, operator: RegExp): boolean {
	if (script.length > workLimits.maxLengthOf.command || !/grep|rg|findstr/.test(script)) return false;
	const pipelines = splitPipelines(script);
	const { joinedBy, commands = [] } = pipelines.at(-1) ?? {};
	const search = commands.at(-1) ?? '';
	return (
		pipelines.length > 1 &&
		operator.test(joinedBy ?? '') &&
		(isSearchCommand(search) || search.startsWith('pgrep '))
	);
}

/** Whether an output is empty except for an agent's wrapper around it. */
export function isEmptyOutput(text: string): boolean {
	return (
		text.length <= maxWrapperLength && text.split('\n').every((line) => wrapperLinePattern.test(line.trim()))
	);
}

/** A line with which pip, npm or uv reports what it installed. Advice often follows. */
export const installationPattern = /^(?:Successfully installed \S|(?:added|Installed) \d{1,6} packages?\b)/;
