/** Tool output. */

import type { RequestDeclaration } from './declaration.ts';
import { fileErrors } from './errors.ts';

export interface TruncateToolOutputParams {
	/** The text. */
	output?: string;
	/** Instead of the text, the file that holds it: a `file:` URI or a path, in a workspace folder. */
	uri?: string;
	/** Bytes of UTF-8 that the content may have, notice included; by default 51 200. */
	maxBytes?: number;
	/** Lines that the content may have, notice included; by default 2 000. */
	maxLines?: number;
	/** Which end to keep; by default `tail`. */
	direction?: 'head' | 'tail' | 'both';
	/** Of `both`: the share of the room that the head takes, 0 to 1; by default 0.5. */
	headRatio?: number;
	/** `json` keeps JSON recognisable, `failures` the lines that look like failures; by default `plain`. */
	strategy?: 'plain' | 'json' | 'failures';
	/** Saves the whole output where it had to be cut; by default false. */
	saveToDisk?: boolean;
	/** Where to save it, in the workspace or the state folder; by default in the state folder. */
	saveDir?: string;
}

export interface TruncateToolOutputResult {
	/** Valid Unicode within both limits. */
	content: string;
	/** Something was cut. */
	truncated: boolean;
	/** Where the whole output was saved. */
	savedPath?: string;
	/** Bytes of UTF-8; of a large file, of the file. */
	originalSize: number;
	/** Absent where they were not counted. */
	originalLines?: number;
	/** Bytes of the output that stand in `content`, the notice not counted. */
	keptBytes: number;
	/** The limit that was hit. */
	limit?: 'bytes' | 'lines';
	/** The first (head) or last (tail) line alone was larger than the limits, so only a part of it is there. */
	cutLine?: 'first' | 'last';
}

/** Cuts a tool's output down to what a model should see. */
export const contextTruncateToolOutput: RequestDeclaration<
	TruncateToolOutputParams,
	TruncateToolOutputResult,
	'context/truncateToolOutput'
> = {
	kind: 'request',
	method: 'context/truncateToolOutput',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: [...fileErrors, 'StorageFailed', 'TooLarge'],
};
