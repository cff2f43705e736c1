/** Finds the files that the calls of a history are about. */

import type { ChatMessage } from '../../../server/protocol/conversation.ts';

/** The tool and the file of a call. */
export interface CallTarget {
	/** The tool's name. */
	tool: string;
	/** Path of the file as the model wrote it; a `file:` URI is converted to a path. */
	path: string;
}

const pathArguments = ['path', 'file_path', 'filePath', 'uri', 'target_file', 'absolute_path', 'filename'];

function findPathArgument(args: unknown): string | null {
	if (typeof args !== 'object' || args === null) return null;
	for (const name of pathArguments) {
		const value = (args as Record<string, unknown>)[name];
		if (typeof value === 'string' && value !== '') return value;
	}
	return null;
}

/** Converts a `file:` URI to a path; returns other texts unchanged. */
export function toPlainPath(path: string): string {
	if (!path.startsWith('file://')) return path;
	try {
		return decodeURIComponent(path.slice('file://'.length));
	} catch {
		return path;
	}
}

/** Returns the last part of a path. */
export function getBaseName(path: string): string {
	return path.split(/[/\\]/).findLast((part) => part !== '') ?? path;
}

/** Returns the files that calls are about, by the id of the call. */
export function collectCallTargets(history: readonly ChatMessage[]): ReadonlyMap<string, CallTarget> {
	const calls = new Map<string, CallTarget>();
	for (const { toolCalls = [] } of history) {
		for (const { id, name, args } of toolCalls) {
			const path = findPathArgument(args);
			if (path !== null) calls.set(id, { tool: name, path: toPlainPath(path) });
		}
	}
	return calls;
}

/** Returns whether one of the paths names a file on this machine. A path may be relative: the end of the file's path. */
export function includesFile(paths: readonly string[], file: string): boolean {
	const splitIntoNames = (path: string): string[] =>
		path.split(/[/\\]/).filter((name) => name !== '' && name !== '.');
	const fileNames = splitIntoNames(file);
	return paths.some((path) => {
		const tail = splitIntoNames(path);
		return tail.length > 0 && tail.join('/') === fileNames.slice(-tail.length).join('/');
	});
}
