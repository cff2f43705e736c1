import type { Role, ToolCall } from '../../history/message.ts';

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
	isError?: boolean;
	/** Written by the client, not typed by the user, though its role is `user`. */
	injected?: boolean;
	/** Milliseconds since the epoch. */
	at?: number;
}

/** One text of a source: its own text, or something of one of its calls. */
export interface SourcePart {
	text: string;
	/** Index into the source's calls; absent: the source's own text. */
	call?: number;
}

/** Arguments up to this long (UTF-16 units) and on one line stand together behind the tool's name. */
const SHORT = 240;
/** Shorter values say nothing without their name: `offset=120`. */
const NEEDS_NAME = 12;
/** Nested deeper than this, arguments are taken as JSON text: no agent's tool goes there. */
const DEEPEST = 12;

/**
 * The texts of a source, always in the same order: its own text; then for each call its name with the short
 * arguments, and each long argument alone. Arguments are raw values, because the escapes of JSON text make
 * false names (`\tpath` reads as `tpath`).
 */
export function partsOf(source: Source): SourcePart[] {
	const parts: SourcePart[] = [{ text: source.text }];
	for (let call = 0; call < source.calls.length; call++) {
		const { name, args } = source.calls[call]!;
		const head = [name];
		const long: string[] = [];
		collect(args, '', 0, (key, text) => {
			if (text.length > SHORT || text.includes('\n')) long.push(text);
			else head.push(text.length < NEEDS_NAME && key !== '' ? `${key}=${text}` : text);
		});
		parts.push({ text: head.join(' '), call });
		for (const text of long) parts.push({ text, call });
	}
	return parts;
}

function collect(value: unknown, key: string, depth: number, take: (key: string, text: string) => void) {
	if (value === undefined || value === null || value === '') return;
	if (typeof value !== 'object') return take(key, String(value));
	if (depth >= DEEPEST) return take(key, JSON.stringify(value) ?? '');
	if (Array.isArray(value)) for (const item of value) collect(item, key, depth + 1, take);
	else for (const [name, item] of Object.entries(value)) collect(item, name, depth + 1, take);
}
