/** Truncating the output of tools. */

import type { RequestDeclaration } from './declaration.ts';
import { declareRequest } from './declare.ts';
import { fileErrors } from './errors.ts';

export interface TruncateToolOutputParams {
	/** The output to truncate. */
	output?: string;
	/** The file that contains the output, instead of `output`: a `file:` URI or a path, in a workspace folder. */
	uri?: string;
	/** Maximum bytes (UTF-8) of the content, including the notice; by default 51 200. */
	maxBytes?: number;
	/** Maximum lines of the content, including the notice; by default 2 000. */
	maxLines?: number;
	/** Which part of the output to keep: its beginning, its end, or both; by default `tail`. */
	direction?: 'head' | 'tail' | 'both';
	/** For `both`: the share of the limit that the head may take, 0 to 1; by default 0.5. */
	headRatio?: number;
	/** What to keep: `json`, the structure of JSON; `failures`, lines that look like failures; by default `plain`. */
	strategy?: 'plain' | 'json' | 'failures';
	/** Whether to save the whole output if it has to be truncated; by default false. */
	saveToDisk?: boolean;
	/** Folder to save to, in the workspace or the state folder; by default in the state folder. */
	saveDir?: string;
}

export interface TruncateToolOutputResult {
	/** The truncated output: valid Unicode within both limits. */
	content: string;
	/** Whether anything was removed. */
	truncated: boolean;
	/** File with the whole output, if it was saved. */
	savedPath?: string;
	/** Bytes (UTF-8) of the output; for a large file, the size of the file. */
	originalSize: number;
	/** Lines of the output; absent if they were not counted. */
	originalLines?: number;
	/** Bytes of the output that `content` contains, without the notice. */
	keptBytes: number;
	/** The limit that was exceeded. */
	limit?: 'bytes' | 'lines';
	/** Set if the first or last line alone exceeds a limit, so that only a part of the line is included. */
	cutLine?: 'first' | 'last';
}

/** Truncates a tool's output to what a model should see. */
export const contextTruncateToolOutput: RequestDeclaration<
	TruncateToolOutputParams,
	TruncateToolOutputResult,
	'context/truncateToolOutput'
> = declareRequest('context/truncateToolOutput', [...fileErrors, 'StorageFailed', 'TooLarge']);
