import type { ToolCall } from '../../../protocol/conversation.ts';
import { firstWords } from './cutWords.ts';
import { isErrorWord } from './shapes.ts';
import type { Source } from './source.ts';

/** A tool call and how it ended. */
export interface Outcome {
	/** The result. */
	source: Source;
	call?: ToolCall;
	exitCode?: number;
	failed: boolean;
	/** What a reader needs of a failure: the line that names the error, else the first one. */
	message: string;
}

/** Exit codes stand at the start of a result, or at its end (UTF-16 units). */
const HEAD = 400;
const TAIL = 200;
const LONGEST_LINE = 160;
/** `Exit code 3`, `Process exited with code 1`, `"exit_code": 2`, on a line that says little else. */
const EXIT = /^[^\n]{0,24}\bexit(?:ed with)?[ _]?(?:code|status)"?\s?[:=]?\s?(\d{1,3})\b[^\n]{0,40}$/im;
/** A failure's line is looked for in this much of its head and its tail. */
const SEARCHED = 4000;

/** Messages that are looked at, the newest: older failures are of no more use. */
const NEWEST = 8000;

/** The results among these messages with their calls, oldest first. */
export function outcomesOf(sources: readonly Source[]): Outcome[] {
	const calls = new Map<string, ToolCall>();
	const outcomes: Outcome[] = [];
	for (const source of sources.slice(-NEWEST)) {
		for (const call of source.calls) calls.set(call.id, call);
		if (source.role !== 'tool') continue;
		const call = source.toolCallId === undefined ? undefined : calls.get(source.toolCallId);
		const exitCode = exitCodeOf(source.text);
		const failed = source.isError === true || (exitCode !== undefined && exitCode !== 0);
		outcomes.push({ source, call, exitCode, failed, message: failed ? errorLine(source.text) : '' });
	}
	return outcomes;
}

/** The exit code that a result states about its command, if any. */
function exitCodeOf(text: string): number | undefined {
	const edge = text.length <= HEAD + TAIL ? text : `${text.slice(0, HEAD)}\n${text.slice(-TAIL)}`;
	const found = EXIT.exec(edge);
	return found === null ? undefined : Number(found[1]);
}

function errorLine(text: string): string {
	const edge = text.length <= 2 * SEARCHED ? text : `${text.slice(0, SEARCHED)}\n${text.slice(-SEARCHED)}`;
	let first = '';
	for (const line of edge.split('\n')) {
		const plain = line.trim();
		if (plain === '' || exitCodeOf(plain) !== undefined) continue;
		if (first === '') first = plain;
		if (namesError(plain)) return cut(plain);
	}
	return cut(first);
}

function namesError(line: string): boolean {
	if (/^(?:error|fatal|failed|failure)\b|\berror:/i.test(line)) return true;
	for (const word of line.slice(0, 400).matchAll(/\w+/g)) {
		if (isErrorWord(line, word.index, word.index + word[0].length)) return true;
	}
	return false;
}

function cut(line: string): string {
	return line.length <= LONGEST_LINE ? line : `${firstWords(line, LONGEST_LINE)}…`;
}
