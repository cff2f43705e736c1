/** The facts about a restored session, worded for all readable formats. */

import type { ChatMessage, ContentPart, ToolCall } from '../../protocol/conversation.ts';
import { formatNumber } from '../figures.ts';
import { toContentParts } from '../format/wire/content.ts';
import type { WholeCompaction, WholeEntry, WholeHistory, WholeMessage } from './wholeHistory.ts';

export interface RestoredSession {
	history: WholeHistory;
	/** Internal name of the agent. */
	agent: string;
	/** Name of the agent for people. */
	label: string;
	/** Current or last path of the transcript. */
	path: string;
}

/** Escape sequences that colour a program's output. */
const colorCodePattern = /\p{Cc}\[[0-9;:]*m/gu;
/** Invisible characters that would change the page or terminal around them, without line feeds and tabs. */
const controlCharacterPattern = /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Returns a text without colours, with U+FFFD for each character that would change the page or terminal around it. */
export function sanitizeText(text: string): string {
	return text
		.replaceAll('\r\n', '\n')
		.replace(colorCodePattern, '')
		.replace(controlCharacterPattern, '\ufffd');
}

/** A part of a message that has its own form on a page. */
export type PagePart =
	| { kind: 'text'; text: string }
	| { kind: 'thinking'; text: string }
	| { kind: 'image'; image: Extract<ContentPart, { type: 'image' }> }
	| { kind: 'data'; text: string }
	| { kind: 'call'; title: string; text: string };

/** Returns the parts of a message in order: its content, then its calls. */
export function listPageParts({ content, toolCalls = [] }: ChatMessage): PagePart[] {
	return [...toContentParts(content).map(toContentPart), ...toolCalls.map(toCallPart)];
}

function toContentPart(part: ContentPart): PagePart {
	switch (part.type) {
		case 'text':
			return { kind: 'text', text: sanitizeText(part.text) };
		case 'reasoning':
			return { kind: 'thinking', text: sanitizeText(part.text) };
		case 'image':
			return { kind: 'image', image: part };
		case 'opaque':
			return { kind: 'data', text: formatJson(part.value) };
	}
}

function toCallPart({ name, args }: ToolCall): PagePart {
	const argument = findFirstLine(args);
	const title = sanitizeText(argument === '' ? name : `${name}: ${argument}`);
	return { kind: 'call', title, text: formatJson(args) };
}

/** Maximum length of a call's title, in code points. */
const maxTitleLength = 100;

/** Returns the first text among the arguments of a call, on one line. */
function findFirstLine(args: unknown): string {
	const values = typeof args === 'object' && args !== null ? Object.values(args) : [args];
	return toShortLine(values.find((value) => typeof value === 'string') ?? '', maxTitleLength);
}

/** Returns the start of a text on one line of at most `maxLength` code points. */
export function toShortLine(text: string, maxLength: number): string {
	const characters = [
		...text
			.slice(0, 4 * maxLength)
			.trim()
			.replace(/\s+/g, ' '),
	];
	return characters.length <= maxLength
		? characters.join('')
		: `${characters.slice(0, maxLength - 1).join('')}…`;
}

function formatJson(value: unknown): string {
	return sanitizeText(JSON.stringify(value, null, 2) ?? 'null');
}

/** Returns who wrote a message, for the message's heading. */
export function describeAuthor({ role, toolName, isError, metadata }: ChatMessage, label: string): string {
	switch (role) {
		case 'user':
			return metadata?.injected === true ? `Added by ${label}` : 'You';
		case 'assistant':
			return label;
		case 'system':
			return 'System prompt';
		case 'tool':
			return `${isError ? 'Error' : 'Result'} of ${sanitizeText(toolName ?? 'a call')}`;
	}
}

/** Whether a page shows a message expanded: true for what a person typed and for answers of the model. */
export function shouldExpand({ role, metadata }: ChatMessage): boolean {
	return role === 'assistant' || (role === 'user' && metadata?.injected !== true);
}

/** Formats a time as `2026-01-31 23:59 UTC`; empty if the time is unknown. */
export function formatUtcTime(timestamp: number | undefined): string {
	if (timestamp === undefined || Number.isNaN(new Date(timestamp).getTime())) return '';
	return `${new Date(timestamp).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Returns the text of the bar at a compaction. */
export function describeCompaction(entry: WholeCompaction, label: string): string {
	const trigger =
		entry.trigger === 'auto' ? ' automatically' : entry.trigger === 'manual' ? ' at your request' : '';
	const tokens = entry.tokensBefore === undefined ? '' : `, from ${formatNumber(entry.tokensBefore)} tokens`;
	return `${label} compacted the conversation here${trigger}${tokens}. Everything above was removed from the model's window.`;
}

/** Returns the facts at the top of a page, as names and values. */
export function listSessionFacts({ history, label, path }: RestoredSession): [name: string, value: string][] {
	const { info, times } = history;
	const { messages, compactions, abandoned } = history.countEntries();
	const facts: [string, string | undefined][] = [
		['Agent', label],
		['Session', info.sessionId],
		['Folder', info.cwd],
		['Model', info.model],
		['Transcript', path],
		['From', formatUtcTime(times?.first)],
		['To', formatUtcTime(times?.last)],
		['Messages', `${messages}${abandoned > 0 ? `, of which ${abandoned} were removed by a rewind` : ''}`],
		['Compactions', String(compactions)],
	];
	return facts.flatMap(([name, value]) => (value ? [[name, sanitizeText(value)] as [string, string]] : []));
}

export function createRestoredTitle({ history, label }: RestoredSession): string {
	return sanitizeText(history.title ?? `A session of ${label}`);
}

/** Successive entries with the same `isCurrent`: either all or none were removed by rewinds. */
export interface EntryRun {
	isCurrent: boolean;
	messageCount: number;
}

/** Yields each entry, with the run that begins with it. O(entries). */
export function* listEntriesWithRuns(
	history: WholeHistory,
): Generator<{ entry: WholeEntry; run?: EntryRun }> {
	const runs = listRuns(history);
	let wasCurrent: boolean | undefined;
	for (const entry of history.listEntries()) {
		const startsRun = entry.isCurrent !== wasCurrent;
		wasCurrent = entry.isCurrent;
		yield startsRun ? { entry, run: runs.next().value as EntryRun } : { entry };
	}
}

function* listRuns(history: WholeHistory): Generator<EntryRun> {
	let run: EntryRun | undefined;
	for (const { t, isCurrent } of history.listOutline()) {
		if (run?.isCurrent !== isCurrent) {
			if (run !== undefined) yield run;
			run = { isCurrent, messageCount: 0 };
		}
		if (t === 'message' && run !== undefined) run.messageCount++;
	}
	if (run !== undefined) yield run;
}

/** Returns the text of the bar before messages that a rewind removed. */
export function describeAbandoned({ messageCount }: EntryRun): string {
	const subject = messageCount === 1 ? 'The next message was' : `The next ${messageCount} messages were`;
	return `${subject} removed when the conversation was rewound to here.`;
}

/** Text of the bar after messages that a rewind removed. */
export const resumedText = 'The conversation continues here.';

/** Returns the later versions of a message, named `Version 2` and so on. */
export function listLaterVersions({ otherVersions }: WholeMessage): { name: string; message: ChatMessage }[] {
	return otherVersions.map((message, index) => ({ name: `Version ${index + 2}`, message }));
}
