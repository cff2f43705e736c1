/** Tokens of the visible tool results, by the file or command that they come from. */

import type { RequestDeclaration, SessionParams } from './declaration.ts';
import { declareRequest } from './declare.ts';
import { readingErrors } from './errors.ts';

/** The tool results that come from one file or command. All tokens are on the scale of `context/stats`. */
interface ResultSource {
	/** Tokens of these results. */
	tokens: number;
	/** Tokens that `context/compact` with `free` would save: results that are outdated or repeated later. */
	freeableTokens: number;
	/** Ids of the newest thousand of these results, oldest first. */
	messageIds: string[];
	/** Whether the newest of these results is pinned, by itself or with its file. */
	isPinned?: true;
}

/** The visible results that show lines of a file. A result that shows several files counts fully for each file. */
export interface FileSource extends ResultSource {
	/**
	 * The file's URI. A path such as `~/x`, or a relative path in a session without a workspace, stays as the
	 * tool named it.
	 */
	uri: string;
	/** Number of results that show the file. */
	reads: number;
}

/** The visible results of a command that ran at least twice, except results that only show files. */
export interface CommandSource extends ResultSource {
	/** The command on one line: each run of white space is one space. */
	command: string;
	/** The tool that ran the command last. */
	toolName: string;
	/** Number of results of the command. */
	runs: number;
}

export interface SourcesResult {
	/** The hundred largest files, largest first. */
	files: FileSource[];
	/** The hundred largest repeated commands, largest first. */
	commands: CommandSource[];
}

/** Selects the results to clear by their file or command. At least one list must have an entry. */
export interface FreeSelection {
	/** Files, by the `uri` of `context/sources`, or by absolute path. */
	uris?: string[];
	/** Commands, as in `context/sources`; white space does not matter. */
	commands?: string[];
}

/**
 * Returns the tokens of the visible tool results by file and by repeated command, and how many of them are outdated
 * or repeated. A read is outdated if its lines were edited or changed later, or if a later read shows them all; an
 * output is outdated if the command ran again. Takes time linear in the visible history.
 */
export const contextSources: RequestDeclaration<SessionParams, SourcesResult, 'context/sources'> =
	declareRequest('context/sources', readingErrors);
