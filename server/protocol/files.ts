/** Files that agents read. */

import type { NotificationDeclaration, RequestDeclaration, SessionParams } from './declaration.ts';
import { fileErrors, readingErrors } from './errors.ts';

/** Lines of a file, both included; all of it where both are absent. */
export interface LineRange {
	/** From 1. */
	startLine?: number;
	/** Included. */
	endLine?: number;
}

export interface ReadFileParams extends SessionParams, LineRange {
	/** A `file:` URI or a path, in a workspace folder. */
	uri: string;
	/** The call whose result the content will be. */
	toolCallId?: string;
}

export interface ReadFileResult {
	/** `summarized`: a model tells what the file says, `by` says which; `unchanged`: a message shows those lines already; `excluded`: there is no room for the file, or it holds no text. */
	status: 'full' | 'truncated' | 'summarized' | 'preview' | 'unchanged' | 'excluded';
	/** What to show the model: whole lines; empty for `unchanged` and `excluded`. */
	content: string;
	/** Tokens of the content. */
	tokens: number;
	/** Lines of the file. */
	totalLines: number;
	/** What is missing and why, for the model. */
	notice?: string;
	/** Of the file's bytes. */
	contentHash: string;
	/** Of `unchanged`: the message that shows the lines. */
	priorMessageId?: string;
	/** Of `summarized`: who wrote it. */
	by?: string;
}

/** Reads a file within what the window still holds; the daemon watches it from then on. */
export const contextReadFile: RequestDeclaration<ReadFileParams, ReadFileResult, 'context/readFile'> = {
	kind: 'request',
	method: 'context/readFile',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: [...readingErrors, ...fileErrors],
};

export interface DidReadFileParams extends SessionParams, LineRange {
	/** A `file:` URI or a path, in a workspace folder. */
	uri: string;
	/** Of the file as the agent read it, as `context/readFile` gives it. */
	contentHash?: string;
	/** The message that shows it; the newest that reads the file where absent. */
	messageId?: string;
}

/** Tells that the agent read a file itself; the daemon watches it from then on. */
export const contextDidReadFile: NotificationDeclaration<DidReadFileParams, 'context/didReadFile'> = {
	kind: 'notification',
	method: 'context/didReadFile',
	direction: 'to the daemon',
	since: '0.1.0',
};

/** A file that is to go into a request. */
export interface AttachedFile {
	/** Where it is. */
	uri?: string;
	/** What it is called, where it has no URI. */
	path?: string;
	/** Its text; absent where it is still to be converted, or is asked about alone: then `size` tells of it. */
	content?: string;
	/** Bytes, where its text is not there: what it will take is estimated by its type. */
	size?: number;
	/** For example `application/pdf`; told by the name where absent. */
	mediaType?: string;
}

export interface FitFilesParams {
	/** The session whose window the files go into; an empty window of the model where absent. */
	sessionId?: string;
	/** Small ones come whole, large ones share what is left. */
	files: AttachedFile[];
	/** Whose counting rules hold; the session's, or by the model's name, where absent. */
	provider?: string;
	/** Whose window it is; the session's where absent. */
	model?: string;
	/** Tokens that the answer may take; the model's own limit where absent. */
	maxOutputTokens?: number;
	/** Tokens that the files may take, where the caller knows. */
	availableTokens?: number;
	/** Tells what would be cut, without any content; by default false. */
	dryRun?: boolean;
}

/** A file as it goes into the request. */
export interface FittedFile extends AttachedFile {
	/** What of its text goes in; empty in a dry run, and where its text is not there. */
	content: string;
	/** Tokens of the content; of a file whose text is not there, an estimate. */
	tokens: number;
	/** The content was cut; in a dry run, it would be. */
	truncated: boolean;
	/** A model tells what the file says, instead of its text. */
	status?: 'summarized';
	/** Of `summarized`: who wrote it. */
	by?: string;
	/** In a dry run, where it would be cut: UTF-16 units that would be left. */
	maxChars?: number;
	/** It is so large that only a preview of it comes; in a dry run, would come. */
	previewMode?: boolean;
}

/** A file for which there is no room. */
export interface ExcludedFile {
	/** What it is called. */
	path: string;
	/** Why, in words. */
	reason: string;
}

export interface FitFilesResult {
	/** In the order in which they came. */
	files: FittedFile[];
	/** Files for which no useful share was left. */
	excluded: ExcludedFile[];
	/** A line for each file that is cut or left out, for the model. */
	notices: string[];
	/** Tokens of the files; notices are not counted. */
	usedTokens: number;
	/** Tokens that there were for them. */
	budgetTokens: number;
}

/** Fits several attachments into one budget. */
export const contextFitFiles: RequestDeclaration<FitFilesParams, FitFilesResult, 'context/fitFiles'> = {
	kind: 'request',
	method: 'context/fitFiles',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: readingErrors,
};
