import type { FormatName, MessageSource, RenderEntry } from './adapter.ts';

/** A stretch of a history: a raw body that is whole and untouched, or one entry by itself. */
export type Segment =
	| { kind: 'whole'; raw: unknown; id: string; cut?: RenderEntry['cut'] }
	| { kind: 'single'; entry: RenderEntry };

/** Its source, where that is of the format asked for. */
export function sourceIn(format: FormatName, entry: RenderEntry): MessageSource | undefined {
	return entry.source?.format === format ? entry.source : undefined;
}

function isWhole(format: FormatName, entries: readonly RenderEntry[], start: number, parts: number): boolean {
	const key = entries[start]?.source?.key;
	for (let part = 0; part < parts; part++) {
		const entry = entries[start + part];
		if (!entry || entry.touched) return false;
		const source = sourceIn(format, entry);
		if (!source || source.key !== key || source.part !== part) return false;
	}
	return true;
}

/** The history as raw bodies where all their messages stand untouched and in order, single entries elsewhere. */
export function segments(format: FormatName, entries: readonly RenderEntry[]): Segment[] {
	const found: Segment[] = [];
	for (let at = 0; at < entries.length; ) {
		const entry = entries[at]!;
		const source = sourceIn(format, entry);
		if (source && source.parts > 0 && isWhole(format, entries, at, source.parts)) {
			found.push({ kind: 'whole', raw: source.raw, id: entry.message.id, cut: entry.cut });
			at += source.parts;
		} else {
			found.push({ kind: 'single', entry });
			at += 1;
		}
	}
	return found;
}

/** Ids for the messages of one body: the body's own for the first, numbered for the others, none without one. */
export function idOfPart(id: unknown, part: number): string | undefined {
	if (typeof id !== 'string' || id === '') return undefined;
	return part === 0 ? id : `${id}#${part + 1}`;
}

/** The entries, with every result bearing the name of the tool that the last call of its id went to. */
export function withToolNames(entries: readonly RenderEntry[]): RenderEntry[] {
	const names = new Map<string, string>();
	return entries.map((entry) => {
		const { message } = entry;
		for (const call of message.toolCalls ?? []) names.set(call.id, call.name);
		const toolName = message.toolName ?? names.get(message.toolCallId ?? '');
		return message.role === 'tool' && toolName !== undefined
			? { ...entry, message: { ...message, toolName } }
			: entry;
	});
}
