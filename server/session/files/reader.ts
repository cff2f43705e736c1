/** Ports for reading and watching workspace files; the adapters are in `server/node/files/`. */

import type { TokenMeasure } from '../../core/files/cutAtLine.ts';
import type { FittedRead, ReadAllowance } from '../../core/files/fitRead.ts';
import type { FileFacts } from '../../core/files/knownFile.ts';
import type { FileChange } from '../../protocol/push.ts';

/** Lines of a file to put into the window. */
export interface FileReadRequest {
	/** A `file:` URI or a path; a relative path is resolved in the first folder. */
	uri: string;
	/** First line, from 1. */
	startLine?: number;
	/** Last line, inclusive. */
	endLine?: number;
	workspaceFolders: readonly string[];
	allowance: ReadAllowance;
	measure: TokenMeasure;
	signal?: AbortSignal;
}

/** The part of a file that goes into the window, and the file's identity. */
export interface FileRead extends FittedRead {
	/** The real path of the file, without links. */
	path: string;
	firstLine: number;
	totalLines: number;
	contentHash: string;
}

export interface FileReader {
	/**
	 * Reads as much of a file as the window's budget allows.
	 *
	 * Rejects with `OutsideWorkspace`, `FileUnreadable`, or `InvalidParams` for an invalid range of lines.
	 */
	read(request: FileReadRequest): Promise<FileRead>;
	/** Returns the real path of a file, which need not exist, without links. Rejects with `OutsideWorkspace`. */
	locate(uri: string, workspaceFolders: readonly string[]): Promise<string>;
	/**
	 * Returns when the file at a real path was last written or moved there, in milliseconds since the epoch.
	 * Undefined if there is no regular file.
	 */
	readChangeTime(path: string): Promise<number | undefined>;
	/** Returns content hash and modification time of the file at a real path; undefined if there is no regular file. */
	readFacts(path: string): Promise<FileFacts | undefined>;
}

/** Reports changes of the content of single files; a changed timestamp alone is not reported. */
export interface FileWatcher {
	/**
	 * Starts watching a file, which need not exist, by its absolute path.
	 *
	 * Resolves when every later change will be reported. Each `watch` needs its own `unwatch`.
	 */
	watch(path: string): Promise<void>;
	unwatch(path: string): void;
	/** Checks a watched file, after a hint that it changed. */
	check(path: string): void;
	/** Registers a listener that is called soon after each change of a watched file, once for several quick changes. */
	onChange(listener: (path: string, change: FileChange) => void): void;
	/** Stops all watches; listeners are no longer called. */
	close(): Promise<void>;
}
