/** What sessions need of the files of a workspace; the adapter stands in `server/node/files/`. */

import type { TokenMeasure } from '../../core/files/cutAtLine.ts';
import type { FittedRead, ReadAllowance } from '../../core/files/fitRead.ts';
import type { FileFacts } from '../../core/files/knownFile.ts';

/** Lines of a file that are wanted in the window. */
export interface WindowRead {
	/** A `file:` URI or a path; a relative one is taken under the first folder. */
	uri: string;
	/** From 1. */
	startLine?: number;
	/** Included. */
	endLine?: number;
	workspaceFolders: readonly string[];
	allowance: ReadAllowance;
	measure: TokenMeasure;
	signal?: AbortSignal;
}

/** What of a file goes into the window, and which file it is. */
export interface ReadForWindow extends FittedRead {
	/** Where the file really lies: the path to watch. */
	path: string;
	firstLine: number;
	totalLines: number;
	contentHash: string;
}

export interface FileReader {
	/**
	 * Reads a file as far as the window has room for it. Rejects with `OutsideWorkspace`, `FileUnreadable`, or
	 * `InvalidParams` for lines that are no range.
	 */
	read(wanted: WindowRead): Promise<ReadForWindow>;
	/** Where a file really lies, there or not, symbolic links resolved; rejects with `OutsideWorkspace`. */
	locate(uri: string, workspaceFolders: readonly string[]): Promise<string>;
	/**
	 * When the file at a real path was last written or put there, milliseconds since the epoch; undefined where
	 * no regular file is.
	 */
	changedAt(path: string): Promise<number | undefined>;
	/** What lies at a real path now; undefined where no regular file does. */
	facts(path: string): Promise<FileFacts | undefined>;
}

/** Tells when the content of single files changes; a mere touch is no change. */
import type { FileChange } from '../../protocol/push.ts';

export interface FileWatcher {
	/**
	 * Starts watching a file, there or not, by its absolute path; resolves once every later change is told.
	 * Watching it twice needs two `unwatch`.
	 */
	watch(path: string): Promise<void>;
	unwatch(path: string): void;
	/** Looks at a watched file, because somebody says that something happened to it. */
	look(path: string): void;
	/** Calls back for each change of each watched file, soon after it, several at once as one. */
	on(listener: (path: string, change: FileChange) => void): void;
	/** Stops everything; nothing is called back any more. */
	close(): Promise<void>;
}
