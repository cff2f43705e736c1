import type { ToolCall } from '../../../protocol/conversation.ts';
import { getFileName, mayBeSamePath } from '../../files/paths.ts';
import { getOrInsert } from '../../getOrInsert.ts';
import { renderFailureMark } from '../calls/calls.ts';
import { asksAgent } from '../calls/delegation.ts';
import type { Commit } from '../changes/commits.ts';
import type { RemovedLines } from '../changes/removedLines.ts';
import { type AnalysisCache, getFileAccess, getMessageParts } from '../message/analyses.ts';
import type { Outcomes } from '../message/callOutcome.ts';
import { isProgramReport } from '../message/programReports.ts';
import { getMessageName, type Source, teamName } from '../message/source.ts';
import { findShellCommand, hasShellCommand, isSearchCommand, skipFolderChange } from '../shell/commands.ts';
import { cleanText } from '../text/clean.ts';
import { forbidsCommit } from '../text/statements.ts';
import { readRowCount } from '../text/table.ts';
import { isTyped } from '../user/userStatements.ts';

/** Maximum length of a name in a label. UTF-16 units. */
const maxLabelNameLength = 60;
/** Maximum length of a question in the label of its answer. UTF-16 units. */
const maxQuestionLength = 48;

/** Returns ` (undone in #9)` or ` (not applied, #9)` for the label of a message whose work does not last; empty for others. */
function renderUndoneMark(source: Source, undone: ReadonlyMap<Source, Source>): string {
	const undoSource = undone.get(source);
	if (!undoSource) return '';
	const mark = isProgramReport(undoSource) ? 'not applied,' : 'undone in';
	return ` (${mark} ${getMessageName(undoSource)})`;
}

/** What happened to the content of messages after them. */
export interface LaterChanges {
	/** Messages whose work was undone, each with the message that undid it. */
	undone: ReadonlyMap<Source, Source>;
	outcomes: Outcomes;
	removed: RemovedLines;
	/** The commits of users' requests. Only a program that commits each edit, as Aider does, shows them in labels. */
	commits: ReadonlyMap<Source, readonly Commit[]>;
}

/** Returns the commits of a request: ` → committed: 7c41e9b (#9)`; empty if it has none, or asks for none. */
export function renderCommits(request: string, commits: readonly Commit[] = []): string {
	if (forbidsCommit(request)) return '';
	const names = commits.map(({ hash, report }) => `${hash} (${getMessageName(report)})`);
	return names.length === 0 ? '' : ` → committed: ${names.join(', ')}`;
}

/** Returns what a label says about a text after its message: that it was undone, committed, failed, passed later or changed. */
export function renderMarks(source: Source, call: ToolCall | undefined, changes: LaterChanges): string {
	const failure = renderFailureMark(source, call, changes.outcomes);
	const reported = changes.commits.get(source)?.filter(({ report }) => isProgramReport(report));
	const committed = renderCommits(source.text, reported);
	const marks = `${renderUndoneMark(source, changes.undone)}${committed && ` (${committed.trim()})`}`;
	return `${marks}${failure}${changes.removed.changeNotes.get(source) ?? ''}`;
}

/** The label of a message with the role `user` that no person typed. */
export const injectedLabel = 'injected';

/** Returns the label before output that a user pasted into a message: `[#12 user, pasted]`. */
export function renderPastedLabel(source: Source): string {
	return `[${getMessageName(source)} user, pasted]`;
}

/** Returns the label before the template of a command in a typed message: `[#12 command template]`. */
export function renderTemplateLabel(source: Source): string {
	return `[${getMessageName(source)} command template]`;
}

/** Returns the label of a line in a typed message that the user pasted, or that belongs to a template; undefined for other lines. */
export function renderForeignLabel(
	source: Source,
	line: string | undefined,
	cache: AnalysisCache,
): string | undefined {
	if (!isTyped(source) || line === undefined) return undefined;
	const parts = getMessageParts(cache, source);
	const pastedLines = getOrInsert(
		cache.pastedLines,
		source,
		() => new Set(parts.flatMap(({ isPasted, text }) => (isPasted ? cleanText(text).split('\n') : []))),
	);
	if (pastedLines.has(line)) return renderPastedLabel(source);
	const isTemplate = parts.some((part) => part.isTemplate);
	const isOwn = parts.some((part) => !part.isTemplate && part.text.includes(line));
	return isTemplate && !isOwn ? renderTemplateLabel(source) : undefined;
}

/** Returns the label of a message with the user's reply: `[#4, user in #5: yes]`. */
export function addReplyToLabel(label: string, reply: Source, words: string): string {
	return `${label.slice(0, -1)}, user in ${getMessageName(reply)}: ${words.replaceAll(']', ')')}]`;
}

/** Returns the label of an agent's text, marked if the text is only from its thinking: `[#12 thought]`. */
export function markThought(label: string, { thoughtLength = 0 }: Source, end: number | undefined): string {
	return end !== undefined && end <= thoughtLength ? `${label.slice(0, -1)} thought]` : label;
}

/** Returns the name of a file in labels. */
export type NameFile = (path: string) => string;

/** Maximum number of files with the same name that names tell apart. Others may share a name and a folder. */
const maxEqualNames = 20;

/**
 * Returns the naming of a session's files: by their names, or with the nearest folder that tells them from other files
 * with the same name: `north/index.ts`, `north/…/index.ts`.
 */
export function createFileNaming(paths: readonly string[]): NameFile {
	const pathsByName = new Map<string, string[]>();
	for (const path of paths) {
		const others = getOrInsert(pathsByName, getFileName(path), () => []);
		if (others.length < maxEqualNames && !others.some((other) => mayBeSamePath(other, path)))
			others.push(path);
	}
	return (path) => {
		const name = getFileName(path);
		const equalNames = pathsByName.get(name) ?? [];
		if (equalNames.length < 2) return name;
		const others = equalNames.filter((other) => !mayBeSamePath(other, path));
		const parts = path.split('/');
		let count = 2;
		const isShared = (ending: string): boolean => others.some((other) => `/${other}`.endsWith(`/${ending}`));
		while (count < parts.length && isShared(parts.slice(-count).join('/'))) count++;
		return count === 2 ? parts.slice(-2).join('/') : `${parts.at(-count)}/…/${name}`;
	};
}

/** Tools that only search. */
const searchToolPattern = /^(?:glob|grep|rg|search|find)(?:_?(?:files?|code|text|path))?$/i;
/** Minimum lines of a result whose label states their number. */
const minCountedLines = 3;

/**
 * Returns `, 33 lines` for the label of a search's result, and `, 8 rows` for that of a query in a database, of which a reader
 * may see a few only; empty for others.
 */
function renderExtent(source: Source, call: ToolCall, { lineCounts }: AnalysisCache): string {
	const command = skipFolderChange(findShellCommand(call) ?? '');
	const isSearch = searchToolPattern.test(call.name) || isSearchCommand(command);
	const rowCount = source.role === 'tool' && hasShellCommand(call) ? (readRowCount(source.text) ?? 0) : 0;
	if (rowCount >= minCountedLines) return `, ${rowCount} rows`;
	if (source.role !== 'tool' || !isSearch) return '';
	const lineCount = getOrInsert(lineCounts, source, ({ text }) => cleanText(text).split('\n').length);
	return lineCount < minCountedLines ? '' : `, ${lineCount} lines`;
}

/**
 * Returns the label before a text of a message, of one of its calls, or of a call's result: `[#12 Edit a.ts]`. `fileName`
 * is the name of the first file that the call touches, if any.
 */
export function renderLabel(
	source: Source,
	call: ToolCall | undefined,
	fileName: string | undefined,
	cache: AnalysisCache,
): string {
	if (call === undefined) {
		if (source.role === 'assistant') return `[${getMessageName(source)}]`;
		if (source.isRecap) return `[${getMessageName(source)} recap]`;
		if (source.toolName === teamName) {
			const [author, ...others] = new Set(listReportAuthors(source.text));
			return renderTeamLabel(source, others.length === 0 ? author : undefined);
		}
		// A transcript may name the tool of a result only by a sign.
		const name = /\w/.test(source.toolName ?? '') ? source.toolName : source.role;
		return `[${getMessageName(source)} ${source.isInjected ? injectedLabel : escapeName(name ?? '')}]`;
	}
	// The lines of a script look like what it prints.
	const isScript = source.role === 'assistant' && hasShellCommand(call);
	// Other commands of a script may have printed the line.
	const isMixed = !isScript && hasShellCommand(call) && !getFileAccess(cache, call).showsOnlyFiles;
	// The prompt of another agent says what is wanted, its answer what is true.
	const kind = isScript ? ' script' : source.role === 'assistant' && asksAgent(call) ? ' prompt' : '';
	const file = fileName === undefined || isMixed ? kind : ` ${escapeName(fileName)}`;
	const isAnswer = source.rows || (source.role === 'tool' && !hasShellCommand(call));
	const subject = file === '' && isAnswer ? (renderQuery(call) ?? '') : '';
	return `[${getMessageName(source)} ${escapeName(call.name)}${file}${subject}${renderExtent(source, call, cache)}]`;
}

/** Returns the agents in the headings of a team's reports, in order. */
function listReportAuthors(reports: string): string[] {
	return Array.from(reports.matchAll(/^# ([\w.-]{1,40})(?=:|$)/gm), ([, name = '']) => name);
}

/** Returns the label of a message of a team's reports, with the agent if there is only one: `[#5 team: reviewer]`. */
function renderTeamLabel(source: Source, author: string | undefined): string {
	return `[${getMessageName(source)} ${teamName}${author === undefined ? '' : `: ${author}`}]`;
}

/** Returns the label of a passage in reports of a team, by its end in the cleaned text: `[#5 team: reviewer]`. */
export function renderReportLabel(source: Source, end: number): string {
	return renderTeamLabel(source, listReportAuthors(cleanText(source.text).slice(0, end)).at(-1));
}

/** Returns the label of a call or its result directly after another entry of the same file: `[#13 Edit]`. */
export function renderShortLabel(source: Source, call: ToolCall): string {
	return `[${getMessageName(source)} ${escapeName(call.name)}]`;
}

/** Returns the arguments of a query, such as ` K7Q2`, for the label of the query's answer; undefined if they are long. */
export function renderQuery({ args }: ToolCall): string | undefined {
	if (typeof args !== 'object' || args === null) return undefined;
	const values = Object.values(args);
	if (values.some((value) => typeof value === 'object')) return undefined;
	const words = values.map((value) => ` ${escapeName(String(value))}`).join('');
	return words.length <= maxQuestionLength ? words : undefined;
}

/** A part of a path in brackets, `[id]`, or a character that would end the label. */
const bracketPattern = /\[[^[\]\s]{1,60}\]|\]+/g;

/** Returns a name on one line, without characters that would close the label. */
function escapeName(name: string): string {
	return name
		.replace(/[\s\u0085]+/g, '_')
		.slice(0, maxLabelNameLength)
		.replace(bracketPattern, (found) => (found.startsWith('[') ? found : '_'));
}
