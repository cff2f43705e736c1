/** Where agents keep their transcripts, as data: whoever may read folders walks them by it. */

/** A folder: below what the first variable that is set names, else below the user's home folder. */
export type Place = readonly { variable?: string; below: readonly string[] }[];

/** A folder below that of each editor's user (`User`), of VS Code and those made from it. */
export interface EditorPlace {
	editorUser: readonly string[];
}

/** The folder of a project, as agents build names from it. */
export interface ProjectFolder {
	/** Its full path. */
	path: string;
	/** SHA-256 of the path, in hexadecimal digits. */
	digest: string;
}

/** Folders that are named after the project's folder. */
export interface ProjectNames {
	/** Whether a folder of that name may be the project's. */
	isProject(name: string, project: ProjectFolder): boolean;
	/** Whether the name says it for sure; otherwise the transcript's own words decide. */
	isSure: boolean;
	/** A file in there whose first line is the project's path, which counts beside the name. */
	toldBy?: string;
}

/** One step of a path: this name, every name that matches, those of the project, or one made of the name before it. */
export type PathStep = string | RegExp | ProjectNames | ((before: string) => string);

/** Files of one agent that lie in the same way. */
export interface Home {
	root: Place | EditorPlace;
	/** From the root to the file. */
	path: readonly PathStep[];
	/** Whether names sort by time, so that the last ones are the newest and enough of them will do. */
	isByTime?: true;
	/**
	 * A JSON Lines file beside the root that tells in which folder each session worked: the names of its fields. What
	 * it does not name, and no folder's name tells, is not the project's.
	 */
	index?: { file: string; session: string; folder: string };
	/** A JSON file beside the transcript that names the folder: its name from that of its folder, and the fields. */
	manifest?: { file: (session: string) => string; folders: readonly string[] };
}

/** A JSON document that stands beside a transcript and belongs to it. */
export interface Companion {
	/** Its name, from that of the transcript; undefined where none stands beside a file of that name. */
	nameOf(transcript: string): string | undefined;
	/** Whether the transcript is one document, too, instead of lines. */
	isOfDocument: boolean;
	/**
	 * The records that both amount to.
	 * @param own the transcript's new records; of a document, what it is now
	 * @param beside the document beside it; undefined where there is none, or it is as it was
	 */
	records(own: readonly unknown[], beside: unknown): unknown[];
}

/**
 * A folder in which each record is a file: `SESSION/PROJECT/ID.json` for sessions, `MESSAGE/ID/*.json` for the messages
 * of one, and `PART/MESSAGE/*.json` for the parts of a message. Names of its folders.
 */
export interface RecordFolders {
	session: string;
	message: string;
	part: string;
}

/** A database that holds many sessions. */
export interface DatabaseHome {
	root: Place;
	/** From the root to the file. */
	path: readonly PathStep[];
	/** The variable that names the file itself. */
	variable?: string;
	/** A table by which such a database is known. */
	table: string;
	/**
	 * All sessions, newest first, as SQL: a row each with `id`, `title`, `folder`, `updated` (ms since the
	 * epoch) and `size` (bytes).
	 */
	sessions: string;
	/** The records of a session, as SQL with its id for `?`, in the order in which the agent's reader wants them. */
	records: readonly RecordQuery[];
}

/** A part of a session's records. */
export interface RecordQuery {
	sql: string;
	/** The record that a row stands for; undefined where it is damaged. */
	record(row: Readonly<Record<string, unknown>>): unknown;
}

/** Whether a folder is another one, or lies in it; both as full paths. */
export function isWithin(folder: string, outer: string): boolean {
	const separator = outer.includes('\\') && !outer.includes('/') ? '\\' : '/';
	const base = outer.endsWith(separator) ? outer : `${outer}${separator}`;
	return folder === outer || `${folder}${separator}`.startsWith(base);
}
