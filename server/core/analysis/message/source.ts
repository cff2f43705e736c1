import type { Role, ToolCall } from '../../../protocol/conversation.ts';
import { tuning } from '../../compact/tuning.ts';
import { getOrInsert } from '../../getOrInsert.ts';
import type { Fields } from '../../shape.ts';

/** Maximum nesting of arguments that are read by value. Deeper values, which no known tool has, stay JSON. */
const maxArgumentDepth = 12;
/** Shorter values are shown with their name: `offset=120`. UTF-16 units. */
export const minUnnamedLength = 12;

/** The tool's name of messages of other agents of a team. */
export const teamName = 'team';

/** A message as plain text and calls, independent of its format. Facts and narrative are read from sources. */
export interface Source {
	/** Ordinal of the message in its session; grows with time, never reused. */
	seq: number;
	id: string;
	role: Role;
	/** All readable text except calls. */
	text: string;
	calls: ToolCall[];
	/** Tool results only: the name of the tool. */
	toolName?: string;
	/** Tool results only: the id of the answered call. */
	toolCallId?: string;
	/** Tool results only: the agent marked the result as an error. */
	isError?: boolean;
	/** Tool results only: the call failed or was refused, according to its flag or its text. */
	failed?: boolean;
	/** Tool results only: the agent marked the result as the user's answer. */
	isAnsweredByUser?: boolean;
	/** Whether the client wrote the message although its role is `user`. */
	isInjected?: boolean;
	/** Whether the message is an agent's own summary of earlier messages. */
	isRecap?: boolean;
	/** Length of the agent's thinking at the start of the text. UTF-16 units. */
	thoughtLength?: number;
	/** The rows of a JSON result, whose lines make up its text, or of the JSON that a user pasted, among other lines. */
	rows?: readonly DataRow[];
	/** Milliseconds since the epoch. */
	timeMs?: number;
}

/** Returns the name of a message in a summary, such as `#12`. No client uses ids of this form. */
export function getMessageName(source: Source): string {
	return `#${source.seq}`;
}

/** An object with an id in a JSON result, or the members outside of all such objects. */
export interface DataRow {
	/** The object's id, if it has one. */
	id?: string;
	/** The name of the member that contains the id. */
	idName?: string;
	/** The parent's id and the name of the list that contains the object; empty at the top level. */
	parent: string;
	/** The object's members without the id. */
	fields: Fields;
	/** The object's members as text, with the id in each line. */
	lines: readonly string[];
	/** The entries of `lines` that consist of members with short values. */
	memberLines: readonly MemberLine[];
}

/** A line that shows members of an object: `K7Q2: cabin economy, price 140`. */
export interface MemberLine {
	text: string;
	/** The label at the start of the line: `K7Q2`. */
	owner: string;
	members: readonly RenderedMember[];
}

/** A member as text: `seats {window 2, aisle 5}`, also with only its names or values: `seats {window, aisle}`, `{2, 5}`. */
export interface RenderedMember {
	text: string;
	names: string;
	values: string;
}

/** Whether a source is a result with at least `minCount` rows of data, and not only values without an id. */
export function hasRecords({ role, rows = [] }: Source, minCount = 1): boolean {
	return role !== 'user' && rows.filter(({ id }) => id !== undefined).length >= minCount;
}

/** Minimum number of rows in a file that make it data. Settings may have one. */
export const minFileRecords = 2;

/** A call with the message that contains it. */
export interface MadeCall {
	call: ToolCall;
	caller: Source;
}

/** Returns the calls that results answer, by result, in order. Some transcripts use an id again. O(calls). */
export function pairResults(sources: readonly Source[]): Map<Source, MadeCall> {
	const openCalls = new Map<string, MadeCall[]>();
	const callsByResult = new Map<Source, MadeCall>();
	for (const source of sources) {
		for (const { id } of source.calls) openCalls.delete(id);
		for (const call of source.calls) getOrInsert(openCalls, call.id, () => []).push({ call, caller: source });
		if (source.role !== 'tool') continue;
		const calls = openCalls.get(source.toolCallId ?? '') ?? [];
		// Of parallel calls with one id, the result is that of the first without one.
		const made = calls.length > 1 ? calls.shift() : calls[0];
		if (made) callsByResult.set(source, made);
	}
	return callsByResult;
}

/** Returns the calls that failed or were refused. O(calls). */
export function collectFailedCalls(sources: readonly Source[]): Set<ToolCall> {
	const failed = [...pairResults(sources)].filter(([result]) => result.failed);
	return new Set(failed.map(([, { call }]) => call));
}

/** One text of a source: the message's text followed by a line for each call, or one long argument. */
export interface SourcePart {
	text: string;
	/** Where the line of each call (its name and short arguments) starts in the text, in UTF-16 units; ascending. */
	heads: { from: number; call: number }[];
	/** Whether the text is one that an edit removes. */
	isOldSide?: boolean;
	/** The text that an edit replaces by this one. */
	replacedText?: string;
}

/** Names of the arguments with the text that an edit removes. */
export const oldSideNamePattern = /^(?:old_?(?:string|str|text)|search)$/i;
/** Names of the arguments with the text that an edit adds. */
export const newSideNamePattern = /^(?:new_?(?:string|str|text)|replace(?:ment)?)$/i;

/** Names of arguments that control how a tool runs, is approved or how much it prints, not what it does. */
export const outputOptionPattern =
	/^(?:justification|prefix_rule|sandbox_permissions|with_escalated_permissions|yield_time_ms|timeout_ms|initial_wait|max_output_tokens|output_mode|security_risk|head_limit|-[nABC])$/;

/**
 * Returns the texts of a source, always in the same order. The first is the message's text with a line for each call: its
 * name and short arguments, next to the words that explain the call. Each long argument follows, and each text that an
 * edit removes, because it must not look like present text. Arguments are raw values, because escapes in JSON text create
 * false names (`\tpath` reads as `tpath`).
 */
export function listSourceTexts(source: Source): SourcePart[] {
	if (source.calls.length === 0) return [{ text: source.text, heads: [] }];
	const lines = source.text === '' ? [] : [source.text];
	const first: SourcePart = { text: '', heads: [] };
	const parts = [first];
	let length = source.text === '' ? 0 : source.text.length + 1;
	for (let call = 0; call < source.calls.length; call++) {
		const { short, separate } = splitArguments(source.calls[call]!);
		for (const { key, text, replacedText } of separate)
			parts.push({ text, heads: [{ from: 0, call }], isOldSide: oldSideNamePattern.test(key), replacedText });
		const line = renderCallHead(source.calls[call]!.name, short);
		first.heads.push({ from: length, call });
		lines.push(line);
		length += line.length + 1;
	}
	first.text = lines.join('\n');
	return parts;
}

/** An argument of a call, or a value inside one, with its name. */
export interface Argument {
	key: string;
	text: string;
	/** The text that an edit replaces by this one. */
	replacedText?: string;
}

/** Returns the arguments of a call, and the values inside them, in order. */
export function listArguments({ args }: ToolCall): Argument[] {
	const all: Argument[] = [];
	collectArguments({ key: '', value: args }, 0, all);
	return all.filter(({ key }) => !outputOptionPattern.test(key));
}

/** Whether all lines of an edit's new text are in the text that it replaces: it only removes lines. */
function keepsLines(text: string, replacedText: string): boolean {
	const replaced = new Set(replacedText.split('\n'));
	return text.split('\n').every((line) => replaced.has(line));
}

/**
 * Splits the arguments of a call: `separate` has long values and texts that an edit removes. What remains after an edit that
 * only removes lines is in neither.
 */
export function splitArguments(call: ToolCall): { short: Argument[]; separate: Argument[] } {
	const short: Argument[] = [];
	const separate: Argument[] = [];
	for (const argument of listArguments(call)) {
		const { key, text, replacedText } = argument;
		if (replacedText !== undefined && keepsLines(text, replacedText)) continue;
		const isLong =
			text.length > tuning.lengths.maxSegment || text.includes('\n') || oldSideNamePattern.test(key);
		(isLong ? separate : short).push(argument);
	}
	return { short, separate };
}

/** The name of the argument with the folder in which a command runs. */
export const folderArgument = 'workdir';

/** Returns the last part of a folder's path: most commands of a session run in the same folder. */
export function nameFolder(path: string): string {
	return `in ${path.split(/[\\/]/).findLast((part) => part !== '') ?? path}`;
}

/** Returns the first line of a call, its head: the tool's name and the short arguments. */
export function renderCallHead(name: string, short: readonly Argument[]): string {
	const hasCommand = short.some(({ key }) => key === 'command' || key === 'cmd');
	const words = short.map(({ key, text }) => {
		if (key === folderArgument) return nameFolder(text);
		if (key === 'description' && hasCommand) return `(${text})`;
		return text.length < minUnnamedLength && key !== '' && key !== 'command' ? `${key}=${text}` : text;
	});
	return [name, ...words].join(' ');
}

function collectArguments(
	{ key, value, replacedText }: { key: string; value: unknown; replacedText?: string },
	depth: number,
	all: Argument[],
): void {
	// An option that is switched off carries no information.
	if (value === undefined || value === null || value === '' || value === false) return;
	if (typeof value !== 'object') {
		all.push({ key, text: String(value), replacedText });
		return;
	}
	if (depth >= maxArgumentDepth) {
		all.push({ key, text: JSON.stringify(value) ?? '' });
		return;
	}
	if (Array.isArray(value)) {
		for (const item of value) collectArguments({ key, value: item }, depth + 1, all);
		return;
	}
	const fields = Object.entries(value);
	const [, old] =
		fields.find(([name, one]) => oldSideNamePattern.test(name) && typeof one === 'string') ?? [];
	for (const [name, item] of fields) {
		const isNewSide = old !== undefined && newSideNamePattern.test(name);
		collectArguments({ key: name, value: item, ...(isNewSide && { replacedText: old }) }, depth + 1, all);
	}
}
