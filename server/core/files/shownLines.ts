/** Which lines of a file a text holds. */
export interface ShownLines {
	path: string;
	/** From 1. */
	firstLine: number;
	/** Included. */
	lastLine: number;
	/** Of the whole file. */
	totalLines: number;
	/** The last line is there in part. */
	partial: boolean;
}

/** Says which lines came, and whatever else is to be said: `[Lines 1-120 of 4000 of PATH shown; …]`. */
export function shownLinesNotice(shown: ShownLines, further: string): string {
	const { firstLine, lastLine, totalLines, path } = shown;
	const range = lastLine > firstLine ? `Lines ${firstLine}-${lastLine}` : `Line ${firstLine}`;
	const part = shown.partial ? ' in part' : '';
	return `[${range} of ${totalLines} of ${path} shown${part}; ${further}]`;
}
