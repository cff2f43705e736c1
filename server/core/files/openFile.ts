import type { ToolCall } from '../../protocol/conversation.ts';
import type { FileAccess } from './touchesOf.ts';

/** How the editor of SWE-agent heads the lines that it shows: `[File: /src/fields.py (1998 lines total)]`. */
const shownFile = /^\[File: ([^\n]{1,1000}) \(\d{1,9} lines total\)\]\r?$/m;
/** Names of calls that change the open file; all others show it. */
const editing = /^(?:edit|insert|replace|append|create)/i;
/** The heading appears in this much of a result. UTF-16 units. */
const maxHeadLength = 1000;

/** Returns what a call did to the open file, which its result names; undefined if the result names none. */
export function accessToOpenFile({ id, name }: ToolCall, result: string): FileAccess | undefined {
	const path = shownFile.exec(result.slice(0, maxHeadLength))?.[1];
	if (path === undefined) return undefined;
	const kind = editing.test(name) ? 'edit' : 'read';
	return { touches: [{ kind, path, callId: id }], onlyFiles: kind === 'read', gone: [], changes: [] };
}
