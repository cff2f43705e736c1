/** What a tool call does to a file: which lines of it the result shows, or the call changes. */
export interface FileTouch {
	kind: 'read' | 'edit';
	/** As the call names it, made comparable: forward slashes, no `./`, no trailing slash. */
	path: string;
	/** The call that does it. */
	callId: string;
	/** First line, from 1; absent: the whole file. */
	from?: number;
	/** Last line, included; absent: to the end of the file. */
	to?: number;
}
