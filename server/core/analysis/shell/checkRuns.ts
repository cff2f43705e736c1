/** Parses the checks that commands run, and compares what they check. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { workLimits } from '../../compact/tuning.ts';
import { parseScript } from '../../files/touches/shell/script.ts';
import { isWrite } from '../../files/touches/shell/shellTouches.ts';
import { findShellCommand, isCheckCommand, isFixCommand, removeDocumentsAndComments } from './commands.ts';

/** A check that a command runs, and what it is limited to. */
export interface CheckRun {
	tool: string;
	/** Files, folders and named tests that the run checks; empty if it checks all. */
	targets: readonly string[];
	/** Packages and projects to which options limit the run; empty if it checks all. */
	packages: readonly string[];
	/** Options that select tests by a pattern, such as a pattern of names. A test must match every option. */
	testPatterns: readonly string[];
	/** Whether the run also looks for races between threads, which other runs do not see. */
	findsRaces: boolean;
	/** Whether the script's exit code is that of another command. */
	isExitHidden: boolean;
	/** The commands to which the check's output is piped, each as a list of words; `>` for a file. */
	pipedCommands: readonly (readonly string[])[];
}

/** Returns the files and tests that checks are limited to. */
export function listTargets(checkRuns: readonly CheckRun[] = []): string[] {
	return checkRuns.flatMap((run) => run.targets);
}

/** Whether the exit code of a command tells how its checks ended. */
export function isExitKnown(checkRuns: readonly CheckRun[]): boolean {
	return checkRuns.length > 0 && !checkRuns.some(({ isExitHidden }) => isExitHidden);
}

/**
 * Returns the checks that a call runs; empty if its command cannot be parsed. A formatter is a check only if its command
 * runs no other: it fixes what it finds.
 */
export function findCheckRuns(call: ToolCall): CheckRun[] {
	const command = findShellCommand(call);
	if (command === undefined || command.length > workLimits.maxLengthOf.command) return [];
	const runs = parseCheckRuns(command);
	const others = runs.filter(({ tool }) => !isFixCommand(tool));
	return others.length > 0 ? others : runs;
}

const wrapperWordPattern =
	/^(?:npx|bunx|sudo|time|env|nice|exec|command|(?!\w*(?:SKIP|ONLY|SHORT|QUICK|FAST|SLOW))\w+=.*)$/;
const wrapperWithVerbPattern = /^(?:(?:pnpm|yarn|npm) exec|(?:uv|poetry|pipenv|rye|hatch) run|python3? -m)$/;
/** Options that affect only the output. A run with `-race` also finds more: see `findsRaces`. */
const neutralOptionPattern =
	/^-(?:v+|q+|s|x|l|race|count(?:=.*)?|benchmem|-(?:verbose|quiet|silent|colou?r.*|no-colou?r|coverage|ci|bail|reporter.*|run|watch=false|tb=.*|no-header|output.*|locked|offline|pretty.*))?$/;
/** Options with a pattern that every run test must match. */
const filterOptionPattern = /^-(?:run|k|t|m|-(?:grep|filter|testNamePattern))$/;
/** Options that name a test to run. */
const selectionOptionPattern = /^--(?:tests?|bench)$/;
const packageOptionPattern = /^-(?:p|-package)$/;
const allTargetsPattern = /^(?:\.|\.\/|\.\/\.\.\.|\.\.\.|all)$/;
/** Words that name files or tests rather than an action of the tool. */
const targetWordPattern = /[\\/*]|::|\.\w+$/;

/** Options of `sudo` whose value is the next word. */
const sudoValuePattern = /^-(?:[ugpChrtTD]|-(?:user|group))$/;

/** Returns a command without `sudo` and its options. */
function removeSudo(words: readonly string[]): readonly string[] {
	if (words[0] !== 'sudo') return words;
	let index = 1;
	while (words[index]?.startsWith('-')) index += sudoValuePattern.test(words[index] ?? '') ? 2 : 1;
	return words.slice(index);
}

/** Returns the checks among a script's commands; empty if the script cannot be parsed. */
function parseCheckRuns(script: string): CheckRun[] {
	const pipelines = (parseScript(script) ?? []).map(({ joinedBy, commands }) => ({
		joinedBy,
		commands: commands.map(({ words }) => removeSudo(words.map(({ text }) => text))),
		isInFile: commands.some(({ redirections }) =>
			redirections.some((one) => one.descriptor !== '2' && isWrite(one)),
		),
	}));
	const lastSeparate = pipelines.findLastIndex(({ joinedBy }) => joinedBy === ';');
	return pipelines.flatMap(({ joinedBy, commands: [words = [], ...pipedCommands], isInFile }, index) => {
		const [before, next] = [pipelines[index - 1], pipelines[index + 1]];
		// Whether it ran at all is not known.
		const isAlternative = joinedBy === '||' && !isCheckCommand(before?.commands[0] ?? []);
		// After `||`, only another check decides whether the script fails.
		const isOverruled = next?.joinedBy === '||' && !isCheckCommand(next.commands[0] ?? []);
		const isExitHidden = pipedCommands.length > 0 || isOverruled || isAlternative || lastSeparate > index;
		const inner =
			/^(?:ba|z|da)?sh$/.test(words[0] ?? '') && /^-\w*c$/.test(words[1] ?? '') ? words[2] : undefined;
		const runs =
			inner !== undefined ? parseCheckRuns(inner) : isCheckCommand(words) ? [parseCheckRun(words)] : [];
		return runs.map((run) => ({
			...run,
			isExitHidden: run.isExitHidden || isExitHidden,
			pipedCommands: [...run.pipedCommands, ...pipedCommands, ...(isInFile ? [['>']] : [])],
		}));
	});
}

function parseCheckRun(all: readonly string[]): CheckRun {
	let words = all.slice(all.findIndex((word) => !wrapperWordPattern.test(word)));
	if (wrapperWithVerbPattern.test(words.slice(0, 2).join(' '))) words = words.slice(2);
	if (words[0] === 'timeout') words = words.slice(2);
	const tool: string[] = [];
	const targets: string[] = [];
	const packages: string[] = [];
	const testPatterns: string[] = [];
	for (let index = 0; index < words.length; index++) {
		const word = words[index] ?? '';
		const [, option = '', value] = /^(-[^=]+)(?:=(.*))?$/.exec(word) ?? [];
		if (filterOptionPattern.test(option)) testPatterns.push(value ?? words[++index] ?? '');
		else if (packageOptionPattern.test(option)) packages.push(value ?? words[++index] ?? '');
		else if (selectionOptionPattern.test(option)) targets.push(value ?? words[++index] ?? '');
		else if (index > 0 && (allTargetsPattern.test(word) || neutralOptionPattern.test(word) || word === '--'))
			continue;
		else if (index > 0 && targetWordPattern.test(word) && !word.startsWith('-')) targets.push(word);
		else tool.push(word);
	}
	// Without a target, Go checks only the package in its folder.
	const checksAll = tool[0] !== 'go' || words.some((word) => /^(?:(?:\.\/)?\.\.\.|all)$/.test(word));
	if (!checksAll && targets.length === 0) targets.push('.');
	const findsRaces = words.includes('-race');
	const limits = { targets, packages, testPatterns };
	return { tool: tool.join(' '), ...limits, findsRaces, isExitHidden: false, pipedCommands: [] };
}

/** Whether a passing run checked everything that a failed run checked. */
export function coversFailedRun(passed: CheckRun, failed: CheckRun): boolean {
	const { tool, targets, packages, testPatterns } = passed;
	if (failed.findsRaces && !passed.findsRaces) return false;
	if (tool !== failed.tool || !testPatterns.every((one) => failed.testPatterns.includes(one))) return false;
	const isIncluded = (one: string): boolean => packages.includes(one);
	const isCovered = (one: string): boolean => targets.some((other) => isPartOfTarget(one, other, tool));
	return (
		(packages.length === 0 || (failed.packages.length > 0 && failed.packages.every(isIncluded))) &&
		(targets.length === 0 || (failed.targets.length > 0 && failed.targets.every(isCovered)))
	);
}

/** Whether a target equals another target or is a part of it: `a.py::test_b` of `a.py`, `src/rows` of `src`. */
function isPartOfTarget(target: string, outer: string, tool: string): boolean {
	const folder = outer.replace(/\/(?:\.\.\.)?$/, '');
	const hasSubfolders = !tool.startsWith('go ') || outer.endsWith('/...');
	if (hasSubfolders && target.startsWith(`${folder}/`)) return true;
	return target === outer || target === folder || target.startsWith(`${outer}::`);
}

/** Maximum length before a command that is searched for variables. UTF-16 units. */
const maxAssignmentsLength = 200;
/** Variables that are set right before a command: `CI=1 npm test`. */
const assignmentsPattern = /(?:^|[\s"'])((?:[A-Z_]\w{0,40}=[^\s;&|"'`$]{1,60}\s+){1,4})$/;

const secretNamePattern = /TOKEN|KEY|SECRET|PASS|PWD|AUTH|CRED|:\/\/[^\s/]*@/;

/** Returns the variables that a run sets for its command; empty if there are none, or if one may be a secret. */
export function findAssignments({ call, actionKey = '' }: { call: ToolCall; actionKey?: string }): string {
	const command = removeDocumentsAndComments(findShellCommand(call) ?? '');
	const begin = command.indexOf(actionKey.split(' ', 2).join(' '));
	const before = command.slice(Math.max(0, begin - maxAssignmentsLength), Math.max(0, begin));
	const assignments = assignmentsPattern.exec(before)?.[1]?.replace(/\s+/g, ' ') ?? '';
	return secretNamePattern.test(assignments) ? '' : assignments;
}

/** Variables that say what a run works on. Without them, it works on something else. */
const targetVariablePattern =
	/^(?:NODE_ENV|GOOS|GOARCH|RUSTFLAGS|\w*(?:URL|DB|DATABASE|ENV|TARGET|PLATFORM|REGION|STAGE))$/;

const noVariables: ReadonlyMap<string, string> = new Map();

function readVariables(command = ''): ReadonlyMap<string, string> {
	// Most commands set none. To remove their documents takes longer than to look for the sign.
	if (!/[A-Z\d_]=/.test(command)) return noVariables;
	return new Map(
		Array.from(
			removeDocumentsAndComments(command).matchAll(/(?<![\w$-])([A-Z_][A-Z\d_]{0,40})=(\S{1,200})/g),
			([, name = '', value = '']) => [name, value],
		),
	);
}

/** Whether two commands differ in a variable: `DB=postgres npm test`, `DB=sqlite npm test`. */
export function setsOtherValue(one: string | undefined, other: string | undefined): boolean {
	const [values, otherValues] = [readVariables(one), readVariables(other)];
	if (values === otherValues) return false;
	return [...values.keys(), ...otherValues.keys()].some((name) => {
		const isShared = values.has(name) && otherValues.has(name);
		return (isShared || targetVariablePattern.test(name)) && values.get(name) !== otherValues.get(name);
	});
}
