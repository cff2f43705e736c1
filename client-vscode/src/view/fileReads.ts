/** The files that an agent read, as its tool calls name them. */

import type { ChatMessage } from '../../../server/protocol/conversation.ts';

export interface FileRead {
	path: string;
	/** Visible reads. */
	reads: number;
	/** The newest visible read: its result. */
	messageId: string;
	/** Changed since it was read. */
	stale: boolean;
}

const pathArguments = ['path', 'file_path', 'filePath', 'uri', 'target_file', 'absolute_path', 'filename'];
const readingTool = /read|view|open|cat\b/i;

function pathIn(args: unknown): string | null {
	if (typeof args !== 'object' || args === null) return null;
	for (const name of pathArguments) {
		const value = (args as Record<string, unknown>)[name];
		if (typeof value === 'string' && value !== '') return value;
	}
	return null;
}

function isHidden(message: ChatMessage): boolean {
	return (
		message.condenseParent !== undefined ||
		message.truncationParent !== undefined ||
		message.metadata?.cutBy !== undefined
	);
}

/** The path that a `file:` URI names; other texts as they are. */
function plainPath(path: string): string {
	if (!path.startsWith('file://')) return path;
	try {
		return decodeURIComponent(path.slice('file://'.length));
	} catch {
		return path;
	}
}

/** Files whose reads are visible, stale ones first, then by path. */
export function fileReadsOf(
	full: readonly ChatMessage[],
	staleReads: readonly { uri: string; messageId: string }[],
): FileRead[] {
	const calls = new Map<string, string>();
	const files = new Map<string, FileRead>();
	const stale = new Set(staleReads.map(({ messageId }) => messageId));
	const note = (path: string, messageId: string): void => {
		const file = files.get(path) ?? { path, reads: 0, messageId, stale: false };
		files.set(path, { ...file, reads: file.reads + 1, messageId, stale: file.stale || stale.has(messageId) });
	};
	for (const message of full) {
		for (const { id, name, args } of message.toolCalls ?? []) {
			const path = readingTool.test(name) ? pathIn(args) : null;
			if (path !== null) calls.set(id, plainPath(path));
		}
		const path = message.toolCallId === undefined ? undefined : calls.get(message.toolCallId);
		if (path !== undefined && message.id !== undefined && !isHidden(message)) note(path, message.id);
	}
	const known = new Set([...files.values()].map(({ messageId }) => messageId));
	for (const { uri, messageId } of staleReads) {
		if (known.has(messageId)) continue;
		const path = plainPath(uri);
		files.set(path, { path, reads: files.get(path)?.reads ?? 1, messageId, stale: true });
	}
	return [...files.values()].sort((a, b) => Number(b.stale) - Number(a.stale) || (a.path < b.path ? -1 : 1));
}
