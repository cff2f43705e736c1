/** Converts messages of any format to sources, from which facts and narrative are read. */

import type { IdentifiedMessage, ToolCall } from '../../protocol/conversation.ts';
import { workLimits } from '../compact/tuning.ts';
import type { Row } from '../history/row.ts';
import { textOf } from '../history/text.ts';
import { withoutDataUrls } from '../measure/embeddedImages.ts';
import { withoutPersistedMarks } from '../transcript/claudeCode/persistedOutput.ts';
import { isInjectedByAnAgent, isSummaryByAnAgent } from '../transcript/reading/injected.ts';
import { type ReadableResult, readableJson } from './json.ts';
import { markNumberColumn } from './lineNumbers.ts';
import type { Source } from './source.ts';

/** The properties of a row that a source needs. */
export type SourceRow = Pick<Row, 'seq' | 'id' | 'tool' | 'answers' | 'isError' | 'injected' | 'at'>;

/** Returns a call without embedded data, such as images, in its arguments. */
function readableCall(call: ToolCall): ToolCall {
	const { args } = call;
	if (typeof args !== 'object' || args === null || Array.isArray(args)) return call;
	const entries = Object.entries(args);
	const readable = entries.map(([name, value]) => [
		name,
		typeof value === 'string' ? withoutDataUrls(value) : value,
	]);
	const isChanged = readable.some(([, value], index) => value !== entries[index]?.[1]);
	return isChanged ? { ...call, args: Object.fromEntries(readable) } : call;
}

/** Text that agents insert into results for the model alone. */
const reminders = /<system-reminder>[\s\S]*?(?:<\/system-reminder>|$)/g;

/** Returns the length of the reasoning at the beginning of a message's text. UTF-16 units. */
function thoughtOf({ content }: IdentifiedMessage): number {
	const parts = typeof content === 'string' ? [] : content;
	return parts.reduce((sum, part) => sum + (part.type === 'reasoning' ? part.text.length + 1 : 0), 0);
}

/** Whether no person typed a message: the client marked it, or its content shows it. */
function isInjected({ injected }: SourceRow, { role, content, metadata }: IdentifiedMessage): boolean {
	if (injected || role !== 'user') return injected === true;
	return metadata?.injected !== false && isInjectedByAnAgent(content);
}

/** Tools whose results are the output of programs: an error in it need not be the call's. */
const shellTool = /bash|shell|terminal|exec|command|console|python/i;
/** How agents begin a result if they did not run the call, or if the tool itself failed. */
const notRun =
	/^[\s[(]*(?:<tool_use_error>|(?:the )?(?:user|human) (?:(?:doesn't|does not|didn't|did not) want to|(?:has )?(?:rejected|denied|declined|refused|cancelled|canceled|interrupted))\b|(?:the )?(?:tool (?:use|call)|command|operation|request|execution)(?: \w+)? ?(?:was|is|has been)? ?(?:rejected|denied|refused|declined|cancelled|canceled|interrupted|aborted)\b|(?:permission|access|request) (?:denied|rejected|refused|blocked) by\b|(?:error: )?request blocked by\b|ユーザーが.{0,20}(?:拒否|却下|中断|キャンセル)|用户.{0,6}(?:拒绝|取消|中断)|(?:vom|von der) (?:be)?nutzer\w* (?:abgelehnt|verweigert|abgebrochen)|error executing tool\b|(?:the )?tool (?:execution|call|use) failed\b|apply_patch verification failed|your (?:proposed )?edit\b.{0,40}\b(?:error|not applied)|error: (?:tool|request|call|command|permission|(?:the )?user)\b)/i;
/** How other tools begin a result that is nothing but an error message. */
const complaint =
	/^[\s[(*]*(?:\w*(?:error|exception|failure)(?: \w{1,20}){0,2}\s*[:：]|error\b|エラー|失敗|fehler\b|failed\b|(?:cannot|can't|could not|couldn't|unable to|not (?:found|allowed|permitted|possible))\b|invalid\b|no such\b|(?:the )?(?:string|old_?\w+|text|file)\b[^.\n]{0,60}\b(?:not found|not unique|does not exist|has not been read|no replacement)|no (?:replacement|changes?) (?:was|were)\b|permission denied\b|[✗✘❌])/i;
const failedJson =
	/^\s*\{\s*(?:"(?:isError|is_error)"\s*:\s*true|"errors?"\s*:\s*(?!null|false|""|\[\s*\]|\{\s*\})|"(?:success|ok)"\s*:\s*false|"status"\s*:\s*"(?:error|fail\w*|denied|refused|rejected)")/i;

/** Whether a result says at its beginning that its call failed or was refused. */
function saysFailure(text: string, toolName = ''): boolean {
	const start = text.slice(0, workLimits.statusLength);
	if (notRun.test(start)) return true;
	if (shellTool.test(toolName)) return false;
	return failedJson.test(start) || (text.length <= workLimits.statusLength && complaint.test(start));
}

/** Returns the source of a message. */
export function messageSource(row: SourceRow, message: IdentifiedMessage): Source {
	const { role, content, toolCalls = [], metadata } = message;
	const isResult = role === 'tool';
	const said = withoutDataUrls(textOf(message));
	const printed = role === 'user' ? observationIn(said) : undefined;
	const { text, rows }: ReadableResult = isResult
		? readableJson(markNumberColumn(withoutPersistedMarks(said.replace(reminders, ''))))
		: { text: printed ?? said };
	return {
		seq: row.seq,
		id: row.id,
		role: printed === undefined ? role : 'tool',
		text,
		rows,
		thought: thoughtOf(message),
		calls: toolCalls.map(readableCall),
		toolName: printed === undefined ? row.tool : 'output',
		toolCallId: row.answers,
		isError: row.isError,
		failed: isResult && (row.isError || saysFailure(said, row.tool)),
		answeredByUser: isResult && metadata?.userAnswer === true,
		injected: isInjected(row, message),
		recap: role === 'user' && isSummaryByAnAgent(content),
		at: row.at,
	};
}

// Agents that write commands into their text, without tool calls, return the output as if the user had typed it.

/** Shorter messages may have been typed, unless they end like the screen of such an agent. UTF-16 units. */
const minObservationLength = 400;

/** How such agents begin the output. */
const wrapper = /^\s*(?:OBSERVATION:|Observation:|EXECUTION RESULT of \[|<returncode>-?\d+<\/returncode>)\s*/;
/** A line that is only a shell prompt. */
const promptLine = /^(?:\([\w.-]+\) ?)?(?:(?:bash|sh|zsh)-?[\d.]*|[\w.-]+@[\w.-]+:\S*) ?[$#%]$/;
/** Lines that some agents print before the prompt. */
const placeLine = /^\((?:Open file|Current directory): .*\)$/;
/** `273:` before a line, as file viewers print it. */
const numbered = /^\d{1,6}:(?!\d)/;

/** Returns where the prompt at the end of an output begins, with the lines that belong to it; undefined if there is none. */
function promptStart(text: string): number | undefined {
	const output = text.trimEnd();
	let start = output.lastIndexOf('\n');
	if (start < 0 || !promptLine.test(output.slice(start + 1))) return undefined;
	for (;;) {
		const before = output.slice(0, start).trimEnd();
		const line = before.lastIndexOf('\n');
		if (line < 0 || !placeLine.test(before.slice(line + 1))) return start;
		start = line;
	}
}

/** Returns the output of a program if a user's message is nothing else; undefined if a person may have typed it. */
export function observationIn(text: string): string | undefined {
	const end = promptStart(text);
	if (end === undefined && !wrapper.test(text)) return undefined;
	const isScreen = end !== undefined && text.slice(end).trim().includes('\n');
	if (text.length <= minObservationLength && !isScreen) return undefined;
	return text
		.slice(0, end)
		.replace(wrapper, '')
		.split('\n')
		.map((line) => line.replace(numbered, ''))
		.join('\n');
}
