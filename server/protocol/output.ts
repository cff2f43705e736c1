import { request } from './message.ts';

export interface TruncateToolOutputParams {
	/** The text; or, instead, the file that holds it. */
	output?: string;
	uri?: string;
	maxBytes?: number;
	maxLines?: number;
	/** Which end to keep. */
	direction?: 'head' | 'tail' | 'both';
	/** Keeps JSON recognisable, or the lines that look like failures. */
	strategy?: 'plain' | 'json' | 'failures';
	saveToDisk?: boolean;
	/** In the workspace or the state folder. */
	saveDir?: string;
}

export interface TruncateToolOutputResult {
	content: string;
	truncated: boolean;
	savedPath?: string;
	/** Bytes of UTF-8. */
	originalSize: number;
	originalLines?: number;
	/** Bytes of the output that stand in `content`. */
	keptBytes: number;
	/** The limit that was hit. */
	limit?: 'bytes' | 'lines';
	/** The first (head) or last (tail) line alone was larger than the limits, so only a part of it is there. */
	cutLine?: 'first' | 'last';
}

/** Cuts a tool's output down to what a model should see. */
export const contextTruncateToolOutput = request<TruncateToolOutputParams, TruncateToolOutputResult>(
	'context/truncateToolOutput',
);
