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
