/** Ports for reading and watching workspace files; the adapters are in `server/node/files/`. */

import type { TokenMeasure } from '../../core/files/cutAtLine.ts';
import type { FittedRead, ReadAllowance } from '../../core/files/fitRead.ts';
import type { FileFacts } from '../../core/files/knownFile.ts';

/** Lines of a file to put into the window. */
export interface WindowRead {
	/** A `file:` URI or a path; a relative one is resolved in the first folder. */
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
export interface ReadForWindow extends FittedRead {
	/** The real path, which is the one to watch. */
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
	read(wanted: WindowRead): Promise<ReadForWindow>;
	/** The real path of a file, which need not exist, with links resolved; rejects with `OutsideWorkspace`. */
	locate(uri: string, workspaceFolders: readonly string[]): Promise<string>;
	/**
	 * When the file at a real path was last written or put there, in milliseconds since the epoch.
	 * Undefined if there is no regular file.
	 */
	readChangeTime(path: string): Promise<number | undefined>;
	/** Content hash and modification time of a real path; undefined if there is no regular file. */
	readFacts(path: string): Promise<FileFacts | undefined>;
}

/** Reports changes of the content of single files; a changed timestamp alone is not reported. */
import type { FileChange } from '../../protocol/push.ts';

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
	/** Calls back soon after each change of a watched file; several changes at once are one call. */
	onChange(listener: (path: string, change: FileChange) => void): void;
	/** Stops all watches; the listener is not called any more. */
	close(): Promise<void>;
}
