/** Renders a call on one line: its tool, its subject, and its outcome. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { tuning, workLimits } from '../../compact/tuning.ts';
import { listPatchedFiles, type PatchedFile, patchStart } from '../../files/touches/patch.ts';
import { findInlineWrites } from '../../files/touches/shell/inlineScripts.ts';
import { parseScript } from '../../files/touches/shell/script.ts';
import { type Fields, isFields } from '../../shape.ts';
import type { CallOutcome, Outcomes } from '../message/callOutcome.ts';
import {
	folderArgument,
	minUnnamedLength,
	nameFolder,
	newSideNamePattern,
	oldSideNamePattern,
	outputOptionPattern,
	type Source,
	splitArguments,
} from '../message/source.ts';
import { hasShellCommand } from '../shell/commands.ts';
import { nameStartedShell, unwrapShell } from '../shell/unwrapShell.ts';
import { quoteLine, truncateAtWord, truncateWithEllipsis } from '../text/quote.ts';

/** Number of parts shown from the end of a long path. The list of files has the whole path. */
const maxPathParts = 3;
/** Minimum length of a text in an argument that is shown apart from its call, as the agent's own words. UTF-16 units. */
const minProseLength = 60;

/** Paths that are long enough to be shortened. */
const longPathPattern = /(?<![\w.~:/-])(?:~|[A-Za-z]:)?(?:[\\/][\w.@+~-]+){4,}/g;
/** Names of arguments whose values are shown elsewhere, such as the new text of a file. */
export const contentArgumentPattern =
	/^(?:old|new)_?(?:str|string|text)$|^(?:content|file_text|insert_text|patch|diff|input|edits|changes|code|thinking|todos|plan)$/i;
/** What a shell command has right before a patch: the start of a here-document, or a quotation mark. */
const patchOpeningPattern = /<<-? ?["']?\w{1,40}["']?$|["']$/;
/**
 * Redirections and pipes that only affect a command's output, in a text with single spaces, or a substitution (the first
 * group), in which they affect what the command does.
 */
const redirectionPattern =
	/([$<]\((?:[^()]|\([^()]{0,200}\)){0,300}\)|`[^`]{0,300}`)| ?(?:2>&1|2> ?\/dev\/null|\| ?(?:head|tail)(?: -(?:n ?)?\d+)?(?= ?(?:$|[;&)])))/g;
/** Names of arguments that agents use to think, plan and report. */
const proseArgumentPattern =
	/^(?:thought|plan|message|summary|reason\w*|explanation|justification|answer|response|result|question|conclusion|text)$/i;
/** Names of arguments, the most informative first. Other arguments follow. */
const argumentOrder = [
	'description',
	'command',
	'cmd',
	'file_path',
	'filePath',
	'path',
	'absolute_path',
	'pattern',
	'query',
	'url',
	'prompt',
	'question',
	'name',
];

/** A `cd` before a command, up to the last part of the folder; replaced by `cd …/`. */
const commandFolderPattern = /^cd \/\S*\/(?=[\w.@+-]+ (?:&&|;) )/;

/** Returns a line with only the last parts of its long paths: `…/shop/src/rows.ts`. */
export function shortenPaths(line: string): string {
	return line.replace(commandFolderPattern, 'cd …/').replace(longPathPattern, (path) => {
		const parts = path.split(/[\\/]/);
		return parts.length <= maxPathParts + 1 ? path : `…/${parts.slice(-maxPathParts).join('/')}`;
	});
}

/** A shell that the agent chose for one command. Some agents start all commands with a login shell: `bash -lc`. */
const chosenShellPattern = /^(?:ba|z|da)?sh -c ["']/;

/** Returns a command or argument on one line, without a login shell, redirections and pipes around it. */
function toPlainLine(text: string): string {
	const plainText = chosenShellPattern.test(text) ? text : `${nameStartedShell(text)}${unwrapShell(text)}`;
	return plainText.replace(/\s+/g, ' ').replace(redirectionPattern, '$1').trim();
}

/** Returns the paths of patched files, each with a note if the patch deletes the file, and perhaps adds it again. */
function listPatchedPaths(files: readonly PatchedFile[]): string[] {
	const deleted = new Set<string>();
	const names = new Map<string, string>();
	for (const { path, isDeleted, isNew } of files) {
		if (isDeleted) deleted.add(path);
		const isRewritten = isNew && deleted.has(path);
		const note = isRewritten ? ' (rewritten whole)' : isDeleted ? ' (deleted)' : '';
		if (note !== '' || !names.has(path)) names.set(path, path + note);
	}
	return [...names.values()];
}

/** Returns a text that applies a patch with the paths of its files in place of the patch; any other text unchanged. */
function namePatchedFiles(text: string): string {
	const files = listPatchedFiles(text);
	if (files.length === 0) return text;
	const command = text
		.slice(0, text.indexOf(patchStart))
		.trimEnd()
		.replace(patchOpeningPattern, '')
		.trimEnd();
	return `${command} ${listPatchedPaths(files).join(', ')}`;
}

/** Returns a command with the names of the files that its inline script may write in place of this script. */
function nameScriptFiles(text: string): string {
	if (!text.includes('<<') || text.length > workLimits.maxLengthOf.command) return text;
	const commands = parseScript(text)?.flatMap((pipeline) => pipeline.commands) ?? [];
	return commands.reduce((script, command) => {
		const { paths } = findInlineWrites(command);
		const { document = '' } = command;
		const start = script.indexOf(document);
		if (paths.length === 0 || document === '' || start < 0) return script;
		// The word that ends the here-document follows.
		const rest = script.slice(start + document.length).replace(/^\s{0,9}\w{1,200}/, '');
		return `${script.slice(0, start)}(a script for ${paths.join(', ')})\n${rest}`;
	}, text);
}

function renderArgument(value: unknown): string {
	const words =
		Array.isArray(value) && value.every((one) => typeof one === 'string') ? value.join(' ') : value;
	if (typeof words !== 'string') return '';
	const { maxArgument } = tuning.lengths;
	const whole = shortenPaths(toPlainLine(nameScriptFiles(namePatchedFiles(words))));
	const line = whole.length > maxArgument ? whole.replace(longQuotationPattern, shortenQuotation) : whole;
	return truncateWithEllipsis(line, maxArgument);
}

/**
 * A long quoted argument, such as the pattern of a search, but no message and no address. What follows it, such as the
 * searched files, says more.
 */
const longQuotationPattern = /(?<!-m )(["'])(?!https?:)([^"']{60,600})\1(?=\s)/g;
const maxQuotationLength = 40;

function shortenQuotation(_: string, mark: string, text: string): string {
	return `${mark}${truncateAtWord(text, maxQuotationLength)}…${mark}`;
}

function rankArgument(name: string): number {
	const index = argumentOrder.indexOf(name);
	return index < 0 ? argumentOrder.length : index;
}

function isProseArgument(name: string, value: unknown): value is string {
	return typeof value === 'string' && value.length > minProseLength && proseArgumentPattern.test(name);
}

/** Whether the line of a call omits an argument, whose value is shown elsewhere. Of a patch, the line has the files. */
function isOmittedArgument(name: string, value: unknown): boolean {
	if (typeof value === 'string' && listPatchedFiles(value).length > 0) return false;
	return contentArgumentPattern.test(name) || isProseArgument(name, value);
}

/** Returns the long texts in a call's arguments: the agent's thoughts, plans and reports. */
export function collectProse({ args }: ToolCall): string[] {
	if (typeof args !== 'object' || args === null) return [];
	return Object.entries(args).flatMap(([name, value]) => (isProseArgument(name, value) ? [value] : []));
}

/** Whether a call contains only the agent's own words. */
export function isMessageOnlyCall({ args }: ToolCall): boolean {
	if (typeof args !== 'object' || args === null) return false;
	const entries = Object.entries(args);
	return entries.length > 0 && entries.every(([name, value]) => isProseArgument(name, value));
}

/** Renders a call: `Bash Run the tests: go test ./...`. Shortens long arguments; omits texts of `collectProse`. */
export function renderCall({ name, args }: ToolCall): string {
	if (typeof args === 'string') return `${name} ${renderArgument(args)}`.trim();
	if (typeof args !== 'object' || args === null) return name;
	const entries = Object.entries(args)
		.filter(([key, value]) => !isOmittedArgument(key, value))
		.sort(([a], [b]) => rankArgument(a) - rankArgument(b));
	let line = name;
	for (const [key, value] of entries) {
		// An option that is switched off carries no information.
		if (value === false || outputOptionPattern.test(key)) continue;
		const isPlain = typeof value === 'number' || value === true;
		const text = isPlain
			? `${key}=${value}`
			: key === folderArgument && typeof value === 'string'
				? nameFolder(value)
				: renderArgument(value);
		const end = key === 'description' && 'command' in args ? ':' : '';
		if (text !== '' && line.length + text.length <= tuning.lengths.maxLine) line += ` ${text}${end}`;
	}
	return `${line}${describeEffect(args)}`;
}

/** Returns ` (escalated)` if the agent asked Codex to run a command outside the sandbox; else the renaming by an edit. */
function describeEffect(args: object): string {
	const { with_escalated_permissions: isEscalated, sandbox_permissions: permissions }: Fields = { ...args };
	return isEscalated === true || permissions === 'require_escalated'
		? ' (escalated)'
		: describeRenaming(args);
}

const everyMatchPattern = /^(?:replace_?all|allow_multiple)$/i;
/** A single word, such as a name. */
const wordPattern = /^[^\s(){};]{1,60}$/;

/** Returns the renaming by an edit that replaces a word everywhere: `: rowCount becomes rowTotal`; empty for other calls. */
function describeRenaming(args: object): string {
	const find = (name: RegExp): unknown => Object.entries(args).find(([key]) => name.test(key))?.[1];
	const [old, replacement] = [find(oldSideNamePattern), find(newSideNamePattern)];
	const isRenaming = [old, replacement].every((one) => typeof one === 'string' && wordPattern.test(one));
	return isRenaming && find(everyMatchPattern) === true ? `: ${old} becomes ${replacement}` : '';
}

/** Renders a call like `renderCall`, but with all short arguments in full: `Edit /home/me/shop/src/rows.ts`. */
export function renderWholeCall(call: ToolCall): string {
	const { short, separate } = splitArguments(call);
	const longArguments = separate
		.filter(({ key, text }) => !isOmittedArgument(key, text))
		.map(({ key, text }) => ({ key, text: renderArgument(text) }));
	const words = [...short.filter(({ key, text }) => !isProseArgument(key, text)), ...longArguments]
		.sort((a, b) => rankArgument(a.key) - rankArgument(b.key))
		.map(({ key, text }) => {
			if (key === folderArgument) return nameFolder(text);
			const line = toPlainLine(text);
			if (key === 'description' && hasShellCommand(call)) return `${line}:`;
			return line.length < minUnnamedLength && key !== '' && !argumentOrder.includes(key)
				? `${key}=${line}`
				: line;
		});
	return `${[call.name, ...words].filter((word) => word !== '').join(' ')}${isFields(call.args) ? describeEffect(call.args) : ''}`;
}

/** Whether a call runs a script: of a shell, or of a browser or an interpreter, which name no file. */
export function runsScript(call: ToolCall): boolean {
	if (hasShellCommand(call)) return true;
	const { code, script, path, file_path: filePath } = isFields(call.args) ? call.args : {};
	return typeof (code ?? script) === 'string' && path === undefined && filePath === undefined;
}

/** A tool's refusal to edit a file that the agent has not read, or that changed since. */
export const unreadFilePattern = /file has (?:not been read|been (?:\w+ )?modified)|must (?:first )?read/i;

/** A tool's refusal to edit a file that lacks the text to be replaced. */
const missedTextPattern =
	/apply_patch verification failed|failed to find (?:expected lines|context)|(?:string|text) to replace (?:was )?not found|\bold_?str(?:ing)? not found|\bsearch(?:\/replace)? blocks? (?:failed|not found)/i;

/** Renders an outcome, such as ` → exit 1: FAIL TestX (passed later, #30)`; empty if there is nothing to report. */
export function renderOutcome({
	failed,
	wasStopped,
	message,
	exitCode,
	settledBy,
	brokenBy,
	isStashed,
}: Pick<
	CallOutcome,
	'failed' | 'wasStopped' | 'message' | 'exitCode' | 'settledBy' | 'brokenBy' | 'isStashed'
>): string {
	// Another edit of the file, perhaps by another tool, passed instead.
	const verb = unreadFilePattern.test(message) || missedTextPattern.test(message) ? 'edited' : 'passed';
	// A refused call never passed; a later one like it is another call.
	const laterNote =
		settledBy && !wasStopped
			? ` (${verb} later, #${settledBy.seq})`
			: brokenBy
				? ` (failed later, #${brokenBy.seq})`
				: isStashed && message !== ''
					? ' (with the changes stashed)'
					: '';
	if (!failed || wasStopped) return message === '' ? '' : ` → ${message}${laterNote}`;
	const code = exitCode === undefined ? 'failed' : `exit ${exitCode}`;
	return ` → ${code}${message === '' ? '' : `: ${message}`}${laterNote}`;
}

/**
 * Renders the outcomes of calls that share one line: ` → 2 of 3 failed: no match`. A failure that did not pass later
 * counts more than others.
 */
export function renderOutcomes(outcomes: readonly CallOutcome[]): string {
	const failures = outcomes.filter(({ failed, wasStopped }) => failed && !wasStopped);
	const shown = failures.find(({ settledBy }) => !settledBy) ?? failures.at(-1) ?? outcomes.at(-1);
	if (!shown) return '';
	const text = renderOutcome(shown);
	return failures.length === 0 || failures.length === outcomes.length
		? text
		: text.replace(/^ → (?:failed|exit \d{1,3})/, ` → ${failures.length} of ${outcomes.length} failed`);
}

/** Renders the call of a command that runs on: `Bash npm run dev (b7, #12)`, with the command's id if it has one. */
export function renderRunningCommand({ call, caller, runningId }: CallOutcome): string {
	return `${quoteLine(renderCall(call))} (${runningId ? `${runningId}, ` : ''}#${caller.seq})`;
}

/** Returns the lines of a text, and the parts of each line that ends with an outcome: ` → 3 passed | 1 skipped`. */
export function splitReportedLines(text: string): string[] {
	return text.split('\n').flatMap((line) => {
		const outcome = line
			.slice(line.indexOf(' → ') + 3)
			.replace(/^(?:(?:\d{1,9} of \d{1,9} )?failed|exit \d{1,3}): /, '');
		const message = outcome.replace(
			/ \((?:(?:passed|edited|failed) later, #\d+|with the changes stashed)\)$/,
			'',
		);
		// Most lines have one part.
		if (!/ [→|] /.test(line)) return [line, message];
		return [line, message, ...line.split(/ → | \| /), ...message.split(' | ')];
	});
}

/** Returns ` (failed)` for the label of a failed call, ` (passed later)` for the label of its result, or an empty text. */
export function renderFailureMark(
	source: Source,
	call: ToolCall | undefined,
	{ byCall, byResult }: Outcomes,
): string {
	if (source.role === 'assistant') return call && byCall.get(call)?.failed ? ' (failed)' : '';
	// A command that ran on may have printed nothing wrong by then.
	const outcome = byResult.get(source);
	return outcome?.settledBy && !outcome.wasStopped ? ` (passed later)` : '';
}
