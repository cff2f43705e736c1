import type { FormatName } from '../../../protocol/conversation.ts';
import { getOrInsert } from '../../getOrInsert.ts';
import { itemsPerSlice, mapInSlices, type SlicedTask } from '../../slices.ts';
import type { MessageSource, RenderEntry } from './adapter.ts';

/** A segment of a history: a complete and unchanged raw body, or a single entry. */
type Segment =
	| { kind: 'whole'; raw: unknown; id: string; cut?: RenderEntry['cut'] }
	| { kind: 'single'; entry: RenderEntry };

/** Returns the source of an entry if it has this format. */
export function findSourceIn(format: FormatName, entry: RenderEntry): MessageSource | undefined {
	return entry.source?.format === format ? entry.source : undefined;
}

function isWholeBody(
	format: FormatName,
	entries: readonly RenderEntry[],
	start: number,
	parts: number,
): boolean {
	const key = entries[start]?.source?.key;
	for (let part = 0; part < parts; part++) {
		const entry = entries[start + part];
		if (!entry || entry.isChanged) return false;
		const source = findSourceIn(format, entry);
		if (!source || source.key !== key || source.partIndex !== part) return false;
	}
	return true;
}

/** Splits the history into raw bodies that are complete and unchanged, and single entries. */
export function* splitSegments(format: FormatName, entries: readonly RenderEntry[]): SlicedTask<Segment[]> {
	const segments: Segment[] = [];
	for (let index = 0; index < entries.length; ) {
		if (segments.length % itemsPerSlice === itemsPerSlice - 1) yield;
		const entry = entries[index]!;
		const source = findSourceIn(format, entry);
		if (source && source.partCount > 0 && isWholeBody(format, entries, index, source.partCount)) {
			segments.push({ kind: 'whole', raw: source.raw, id: entry.message.id, cut: entry.cut });
			index += source.partCount;
		} else {
			segments.push({ kind: 'single', entry });
			index += 1;
		}
	}
	return segments;
}

/** The tools called with one id, and the number of those calls that have a result. */
interface ToolsOfCallId {
	tools: string[];
	answeredCount: number;
}

/**
 * Adds a tool name to every result: the stated name, else its call's. If several calls share an id, results belong to
 * them in order; surplus results belong to the last call.
 */
export function addToolNames(entries: readonly RenderEntry[]): SlicedTask<RenderEntry[]> {
	const toolsByCallId = new Map<string, ToolsOfCallId>();
	return mapInSlices(entries, (entry) => {
		const { message } = entry;
		for (const { id, name } of message.toolCalls ?? [])
			getOrInsert(toolsByCallId, id, () => ({ tools: [], answeredCount: 0 })).tools.push(name);
		const toolsOfCall = message.role === 'tool' ? toolsByCallId.get(message.toolCallId ?? '') : undefined;
		if (!toolsOfCall) return entry;
		const toolName =
			message.toolName ?? toolsOfCall.tools[toolsOfCall.answeredCount] ?? toolsOfCall.tools.at(-1);
		toolsOfCall.answeredCount = Math.min(toolsOfCall.answeredCount + 1, toolsOfCall.tools.length);
		return toolName === undefined ? entry : { ...entry, message: { ...message, toolName } };
	});
}
