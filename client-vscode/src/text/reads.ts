/** Finds the files that the calls of a history are about. */

import type { ChatMessage } from '../../../server/protocol/conversation.ts';

/** The call that a tool result belongs to. */
export interface Target {
	/** The tool's name. */
	tool: string;
	/** The file as the model named it; a `file:` URI is converted to a path. */
	path: string;
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

/** Converts a `file:` URI to a path; returns other texts unchanged. */
export function plainPath(path: string): string {
	if (!path.startsWith('file://')) return path;
	try {
		return decodeURIComponent(path.slice('file://'.length));
	} catch {
		return path;
	}
}

/** Returns the last part of a path. */
export function baseName(path: string): string {
	return path.split(/[/\\]/).findLast((part) => part !== '') ?? path;
}

/** Returns the files that calls are about, by the id of the call. */
export function targetsOf(full: readonly ChatMessage[]): ReadonlyMap<string, Target> {
	const calls = new Map<string, Target>();
	for (const { toolCalls = [] } of full) {
		for (const { id, name, args } of toolCalls) {
			const path = pathIn(args);
			if (path !== null) calls.set(id, { tool: name, path: plainPath(path) });
		}
	}
	return calls;
}

/** Returns whether a message is in the history that the model sees. */
export function isVisible(message: ChatMessage): boolean {
	return (
		message.condenseParent === undefined &&
		message.truncationParent === undefined &&
		message.metadata?.cutBy === undefined
	);
}

/** A file with visible reads. */
export interface FileRead {
	path: string;
	/** Number of visible reads. */
	reads: number;
	/** Id of the newest visible read's result. */
	messageId: string;
	/** Whether the file changed since it was read. */
	stale: boolean;
}

/** Returns the files with visible reads, stale ones first, then by path. */
export function fileReadsOf(
	full: readonly ChatMessage[],
	staleReads: readonly { uri: string; messageId: string }[],
): FileRead[] {
	const targets = targetsOf(full);
	const files = new Map<string, FileRead>();
	const stale = new Set(staleReads.map(({ messageId }) => messageId));
	const note = (path: string, messageId: string): void => {
		const file = files.get(path) ?? { path, reads: 0, messageId, stale: false };
		files.set(path, { ...file, reads: file.reads + 1, messageId, stale: file.stale || stale.has(messageId) });
	};
	for (const message of full) {
		const target = message.toolCallId === undefined ? undefined : targets.get(message.toolCallId);
		if (!target || !readingTool.test(target.tool)) continue;
		if (message.id !== undefined && isVisible(message)) note(target.path, message.id);
	}
	const known = new Set([...files.values()].map(({ messageId }) => messageId));
	for (const { uri, messageId } of staleReads) {
		if (known.has(messageId)) continue;
		const path = plainPath(uri);
		files.set(path, { path, reads: files.get(path)?.reads ?? 1, messageId, stale: true });
	}
	return [...files.values()].sort((a, b) => Number(b.stale) - Number(a.stale) || (a.path < b.path ? -1 : 1));
}

/** Returns whether a file on this machine was read: a read has the same path, or the end of it. */
export function isRead(reads: readonly Pick<FileRead, 'path'>[], file: string): boolean {
	const parts = (path: string): string[] => path.split(/[/\\]/).filter((part) => part !== '' && part !== '.');
	const wanted = parts(file);
	return reads.some(({ path }) => {
		const own = parts(path);
		return own.length > 0 && own.every((part, index) => part === wanted[wanted.length - own.length + index]);
	});
}
