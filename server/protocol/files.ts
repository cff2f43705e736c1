/** Files that agents read. */

import type { NotificationDeclaration, RequestDeclaration, SessionParams } from './declaration.ts';
import { declareNotification, declareRequest } from './declare.ts';
import { fileErrors, readingErrors } from './errors.ts';

/** A range of lines, its ends included; the whole file if both members are absent. */
export interface LineRange {
	/** First line, from 1. */
	startLine?: number;
	/** Last line. */
	endLine?: number;
}

export interface ReadFileParams extends SessionParams, LineRange {
	/** The file, in a workspace folder: a `file:` URI or a path. */
	uri: string;
	/** Id of the call whose result will be the content. */
	toolCallId?: string;
}

export interface ReadFileResult {
	/**
	 * How much of the file is returned. `summarized`: the model `by` summarized the file; `unchanged`: a message
	 * already shows those lines; `excluded`: the budget has no space for the file, or it is not text.
	 */
	status: 'full' | 'truncated' | 'summarized' | 'preview' | 'unchanged' | 'excluded';
	/** What to show the model, in whole lines; empty for `unchanged` and `excluded`. */
	content: string;
	/** Tokens of the content. */
	tokens: number;
	/** Number of lines in the file. */
	totalLines: number;
	/** What is missing and why, for the model. */
	notice?: string;
	/** Hash of the file's bytes. */
	contentHash: string;
	/** For `unchanged`: id of the message that shows the lines. */
	priorMessageId?: string;
	/** For `summarized`: the model that wrote the summary. */
	by?: string;
}

/** Reads a file within the session's file budget, and watches the file from then on. */
export const contextReadFile: RequestDeclaration<ReadFileParams, ReadFileResult, 'context/readFile'> =
	declareRequest('context/readFile', [...readingErrors, ...fileErrors]);

export interface DidReadFileParams extends SessionParams, LineRange {
	/** The file, in a workspace folder: a `file:` URI or a path. */
	uri: string;
	/** Hash of the file as the agent read it, as returned by `context/readFile`. */
	contentHash?: string;
	/** Id of the message that shows the file; by default the newest message that reads the file. */
	messageId?: string;
}

/** Reports that the agent read a file itself; the daemon watches the file from then on. */
export const contextDidReadFile: NotificationDeclaration<DidReadFileParams, 'context/didReadFile'> =
	declareNotification('context/didReadFile', 'to the daemon');

/** A file to include in a request. */
export interface AttachedFile {
	/** Location of the file. */
	uri?: string;
	/** Name of the file, if it has no URI. */
	path?: string;
	/** The file's text. Absent if the file is not converted to text yet; `size` then suffices to estimate its tokens. */
	content?: string;
	/** Size in bytes, if the text is absent; the tokens are estimated by the file's type. */
	size?: number;
	/** Media type, for example `application/pdf`; by default derived from the name. */
	mediaType?: string;
}

export interface FitFilesParams {
	/** Id of the session to whose window the files are added; by default an empty window of `model`. */
	sessionId?: string;
	/** The files. Small ones are included whole, large ones share the remaining tokens. */
	files: AttachedFile[];
	/** The provider whose counting rules apply; by default the session's, or derived from the model's name. */
	provider?: string;
	/** The model whose window is used; by default the session's. */
	model?: string;
	/** Maximum tokens of the answer; by default the model's own limit. */
	maxOutputTokens?: number;
	/** Tokens that the files may take; by default calculated from the window. */
	availableTokens?: number;
	/** Reports what would be truncated, without any content; by default false. */
	dryRun?: boolean;
}

/** A file as included in the request. */
export interface FittedFile extends AttachedFile {
	/** The included text; empty in a dry run, or if the file's text is absent. */
	content: string;
	/** Tokens of the content; an estimate if the file's text is absent. */
	tokens: number;
	/** Whether the content was truncated, or would be in a dry run. */
	truncated: boolean;
	/** Set if the content is a model's summary of the file. */
	status?: 'summarized';
	/** For `summarized`: the model that wrote the summary. */
	by?: string;
	/** In a dry run, if the text would be truncated: its remaining length in UTF-16 units. */
	maxChars?: number;
	/** Whether the file is so large that only a preview is included, or would be in a dry run. */
	previewMode?: boolean;
}

/** A file that is left out because the budget is too small. */
export interface ExcludedFile {
	/** Name of the file. */
	path: string;
	/** The reason, for people. */
	reason: string;
}

export interface FitFilesResult {
	/** The included files, in the order of the params. */
	files: FittedFile[];
	/** Files that are left out, because their share of the budget would be too small to be useful. */
	excluded: ExcludedFile[];
	/** One line for each truncated or excluded file, for the model. */
	notices: string[];
	/** Tokens of the files, without the notices. */
	usedTokens: number;
	/** Tokens that were available for the files. */
	budgetTokens: number;
}

/** Fits several attached files into one token budget. */
export const contextFitFiles: RequestDeclaration<FitFilesParams, FitFilesResult, 'context/fitFiles'> =
	declareRequest('context/fitFiles', readingErrors);
