/** Reads what the tools of Antigravity print. */

import { parseArgumentsJson } from '../../format/wire/arguments.ts';

/** The times of a step, the report on a command, and the head of a file that is shown with line numbers. */
const framePattern =
	/^Created At: [^\n]{0,60}\n(?:Completed At: [^\n]{0,60}\n)?(?:\s{0,20}The command (?:completed successfully\.|failed with exit code: (-?\d{1,12}))\s{0,20}(?:Output:\s{0,20})?|File Path: [^\n]{0,600}\n(?:(?:Total|Showing) [^\n]{0,60}\n){0,3}The following code has been modified [^\n]{0,400}\n)?/;
/** What the tools say about their own result, for the model. */
const notePattern =
	/^[ \t]{0,9}(?:(?:The above content (?:shows|does)|The following changes were made by the |Please note that the above snippet only shows |If relevant, proactively run |Task (?:Description|logs are available at): |Last progress: |REMINDER: Do not call this tool again |Summary: This directory contains )[^\n]{0,600}|\[diff_block_(?:start|end)\]|Std(?:out|err):)[ \t]{0,9}$/gm;

/** A line that a search found, as JSON. */
const matchPattern =
	/^\{"File": ?("[^"\n]{1,600}"), ?"LineNumber": ?(\d{1,9}), ?"LineContent": ?("[^\n]{0,2000}")\}$/gm;

function renderMatch(json: string, file: string, lineNumber: string, content: string): string {
	const [path, line] = [file, content].map(parseArgumentsJson);
	return typeof path === 'string' && typeof line === 'string' ? `${path}:${lineNumber}:${line}` : json;
}

/** Returns the output of a tool of Antigravity, after its exit code if that is not 0; other texts unchanged. O(length). */
export function unwrapAntigravityResult(text: string): string {
	const [frame, exitCode] = framePattern.exec(text) ?? [];
	if (frame === undefined) return text;
	const output = text
		.slice(frame.length)
		.replace(notePattern, '')
		.replace(matchPattern, renderMatch)
		.trimStart();
	return exitCode === undefined ? output : `Exit code ${toExitCode(exitCode)}\n${output}`;
}

/** What Antigravity writes around a notice in the user's role. */
const noticeFramePattern =
	/^The following is a <SYSTEM_MESSAGE>[^\n]{0,200}\s{0,9}<SYSTEM_MESSAGE>\s{0,9}(?:\[Message\] [^\n]{0,200}?\bcontent=)?/;

const noticeEnd = '</SYSTEM_MESSAGE>';

/** Returns what a notice of Antigravity says; other texts unchanged. */
export function unwrapAntigravityNotice(text: string): string {
	const frame = noticeFramePattern.exec(text)?.[0];
	if (frame === undefined) return text;
	const notice = text.slice(frame.length).trimEnd();
	const words = notice.endsWith(noticeEnd) ? notice.slice(0, -noticeEnd.length) : notice;
	return words.replace(notePattern, '').trimEnd();
}

/** Returns an exit code of at most three digits. Windows reports crashes with negative and very long codes, for which it is 1. */
export function toExitCode(code: string): number {
	return /^\d{1,3}$/.test(code) ? Number(code) : 1;
}
