import type { Role, ToolCall } from '../../../protocol/conversation.ts';
import type { Fields } from '../../shape.ts';
import { tuning } from '../tuning.ts';

/** Arguments that are nested deeper are taken as JSON text: no agent's tool goes there. */
const maxArgumentDepth = 12;
/** Shorter values say nothing without their name: `offset=120`. UTF-16 units. */
const minUnnamedLength = 12;

/** A message as the ledger reads it: plain text and calls, whatever format it came in. */
export interface Source {
	/** Ordinal of the message in its session; grows with time, never reused. */
	seq: number;
	id: string;
	role: Role;
	/** Everything that is readable in it, calls aside. */
	text: string;
	calls: ToolCall[];
	/** Tool results only: the tool that answered, and the call that it answers. */
	toolName?: string;
	toolCallId?: string;
	/** Tool results only: the agent flags it as an error. */
	isError?: boolean;
	/** Tool results only: the call failed or was refused, by its flag or by what it says. */
	failed?: boolean;
	/** Tool results only: the agent says that it holds words of the user. */
	answeredByUser?: boolean;
	/** Written by the client, not typed by the user, though its role is `user`. */
	injected?: boolean;
	/** An agent's own summary of what was said before it. */
	recap?: boolean;
	/** Length of the text's beginning that is the agent's own thinking. UTF-16 units. */
	thought?: number;
	/** Tool results only: the rows of a result that is JSON, whose lines are its text. */
	rows?: readonly DataRow[];
	/** Milliseconds since the epoch. */
	at?: number;
}

/** An object in a JSON result, or what is around objects there. */
export interface DataRow {
	/** What identifies it, and the name of that member; absent if nothing does. */
	id?: string;
	idName?: string;
	/** What it is nested in: the id of that and the name of the list; empty at the top. */
	parent: string;
	/** Its members, without the id. */
	fields: Fields;
	/** The same as text, each line with the id. */
	lines: readonly string[];
}

/** One text of a source: what it says and the heads of its calls, or one long argument. */
export interface SourcePart {
	text: string;
	/** Where the heads of its calls begin in the text (UTF-16 units), with the calls' indexes; in order. */
	heads: { from: number; call: number }[];
}

/** Names of the arguments that say what an edit takes away. */
export const oldSideNames = /^(?:old_?(?:string|str|text)|search)$/i;

/** Arguments that say how a tool runs, not what it does. */
export const optionNames = /^(?:yield_time_ms|max_output_tokens)$/;

/**
 * The texts of a source, always in the same order: first its own text with a line for each call, its name
 * and short arguments, so that a call stands beside the words that say what it is for; then each long
 * argument and each that says what an edit takes away, which must not read as what stands. Arguments are raw values, because the escapes of JSON text make false names (`\tpath` reads
 * as `tpath`).
 */
export function partsOf(source: Source): SourcePart[] {
	if (source.calls.length === 0) return [{ text: source.text, heads: [] }];
	const lines = source.text === '' ? [] : [source.text];
	const first: SourcePart = { text: '', heads: [] };
	const parts = [first];
	let length = source.text === '' ? 0 : source.text.length + 1;
	for (let call = 0; call < source.calls.length; call++) {
		const { short, apart } = argumentsOf(source.calls[call]!);
		for (const { text } of apart) parts.push({ text, heads: [{ from: 0, call }] });
		const line = headOf(source.calls[call]!.name, short);
		first.heads.push({ from: length, call });
		lines.push(line);
		length += line.length + 1;
	}
	first.text = lines.join('\n');
	return parts;
}

/** An argument of a call, or a value inside one, by its name. */
export interface Argument {
	key: string;
	text: string;
}

/** The arguments of a call, those apart that are long or say what an edit takes away. */
export function argumentsOf({ args }: ToolCall): { short: Argument[]; apart: Argument[] } {
	const short: Argument[] = [];
	const apart: Argument[] = [];
	collect(args, '', 0, (key, text) => {
		const isApart = text.length > tuning.lengths.maxSegment || text.includes('\n') || oldSideNames.test(key);
		(isApart ? apart : short).push({ key, text });
	});
	return { short, apart };
}

/** The line that stands for a call: its name and its short arguments. */
export function headOf(name: string, short: readonly Argument[]): string {
	const words = short.map(({ key, text }) =>
		text.length < minUnnamedLength && key !== '' ? `${key}=${text}` : text,
	);
	return [name, ...words].join(' ');
}

/** The index of the call that what ends at `to` of a part belongs to; undefined: the source's own words. */
export function callAt(part: SourcePart, to: number): number | undefined {
	return part.heads.findLast((head) => head.from < to)?.call;
}

function collect(value: unknown, key: string, depth: number, take: (key: string, text: string) => void) {
	// What was not asked for says nothing.
	if (value === undefined || value === null || value === '' || value === false) return;
	if (optionNames.test(key)) return;
	if (typeof value !== 'object') return take(key, String(value));
	if (depth >= maxArgumentDepth) return take(key, JSON.stringify(value) ?? '');
	if (Array.isArray(value)) for (const item of value) collect(item, key, depth + 1, take);
	else for (const [name, item] of Object.entries(value)) collect(item, name, depth + 1, take);
}
