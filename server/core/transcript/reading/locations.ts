/** Locations of agents' transcripts, as data for code that may read folders. */

/** A folder, relative to the first variable that is set, otherwise to the user's home folder. */
export type FolderLocation = readonly { variable?: string; below: readonly string[] }[];

/** Returns a location in the folder that a variable names; by default, in a folder of the user's home folder. */
export function createLocation(
	variable: string,
	defaultFolder: readonly string[],
	...below: readonly string[]
): FolderLocation {
	return [{ variable, below }, { below: [...defaultFolder, ...below] }];
}

/** A folder relative to the user folder (`User`) of VS Code and each editor derived from it. */
export interface EditorLocation {
	belowUserFolder: readonly string[];
}

/** A project's folder, in the forms that agents build names from. */
export interface ProjectFolder {
	/** The full path. */
	path: string;
	/** SHA-256 of the path, in hexadecimal digits. */
	digest: string;
}

/** Folders that are named after the project's folder. */
export interface ProjectNames {
	/** Whether a folder with this name may be the project's. */
	isProject(name: string, project: ProjectFolder): boolean;
	/** Whether the name is conclusive; otherwise the transcript's content decides. */
	isConclusive: boolean;
	/**
	 * Name of a file in the folder; its first line is the path of the project to which the folder belongs. The file is
	 * read if the folder's name does not match.
	 */
	pathFile?: string;
}

/** One segment of a path: a name, a pattern, a project's names, or a name derived from the previous segment. */
export type PathSegment = string | RegExp | ProjectNames | ((previousSegment: string) => string);

/** Files of one agent with the same layout. */
export interface TranscriptHome {
	root: FolderLocation | EditorLocation;
	/** Path from the root to the file. */
	path: readonly PathSegment[];
	/** Whether names sort by time, so that only the last names need to be read. */
	isSortedByTime?: true;
	/**
	 * A JSON Lines file next to the root that states the folder of each session; `session` and `folder` name its
	 * fields. A session belongs to a project only if this file or the name of its own folder says so.
	 */
	index?: { file: string; session: string; folder: string };
	/**
	 * A JSON file next to the transcript that states the working folder. `file` derives its name from the
	 * name of the transcript's folder; `folders` are the fields that may contain the path.
	 */
	manifest?: { file: (session: string) => string; folders: readonly string[] };
}

/** A JSON document next to a transcript that belongs to it. */
export interface CompanionFile {
	/** Returns the companion's name for a transcript's name; undefined if such a file has no companion. */
	findCompanionName(transcript: string): string | undefined;
	/** Whether the transcript is also one document instead of lines. */
	isTranscriptDocument: boolean;
	/**
	 * Combines a transcript and its companion into records.
	 *
	 * @param records new records of the transcript; for a document, its current content
	 * @param companion content of the companion; undefined if it does not exist or did not change
	 */
	combineRecords(records: readonly unknown[], companion: unknown): unknown[];
}

/** A database with many sessions. */
export interface DatabaseHome {
	root: FolderLocation;
	/** Path from the root to the file. */
	path: readonly PathSegment[];
	/** Variable that contains the path of the file itself. */
	variable?: string;
	/** A table that only databases of this agent contain. */
	table: string;
	/**
	 * SQL for all sessions, newest first. A row has `id`, `title`, `folder`, `updated` (ms since the
	 * epoch) and `size` (bytes).
	 */
	sessionsSql: string;
	/** Whether a row also has `parent`: for a sub-agent's session, the id of the session that started it. */
	hasParents?: true;
	/** SQL for the records of a session, with its id for `?`, in the order that the agent's reader needs. */
	records: readonly RecordQuery[];
}

/** A query for some of a session's records. */
export interface RecordQuery {
	sql: string;
	/** Converts a row to a record; undefined if it is damaged. */
	createRecord(row: Readonly<Record<string, unknown>>): unknown;
}

/** Whether a folder equals `outer` or is inside it; both are full paths. */
export function isWithin(folder: string, outer: string): boolean {
	const separator = outer.includes('\\') && !outer.includes('/') ? '\\' : '/';
	const outerPrefix = outer.endsWith(separator) ? outer : `${outer}${separator}`;
	return folder === outer || `${folder}${separator}`.startsWith(outerPrefix);
}
