/** Converts messages of any format to sources, from which facts and the narrative are derived. */

import type { ChatMessage, IdentifiedMessage, ToolCall } from '../../../protocol/conversation.ts';
import { tuning } from '../../compact/tuning.ts';
import { standardizeCall } from '../../files/standardCall.ts';
import type { Row } from '../../history/row.ts';
import { getMessageText } from '../../history/text.ts';
import { replaceDataUrls } from '../../measure/embeddedImages.ts';
import {
	isAgentSummary,
	isInjectedByAgent,
	readTeammateReports,
	removeAgentNotes,
	replacePersistedMarks,
	unwrapAntigravityNotice,
	unwrapAntigravityResult,
} from '../../transcript/index.ts';
import { keepLastFrames, removeTransferFigures } from '../text/clean.ts';
import { protectNumberColumn, unifyLineNumbers } from '../text/lineNumbers.ts';
import { shortenMinifiedLines } from '../text/minifiedCode.ts';
import { saysFailure } from '../text/saysFailure.ts';
import { removeBrowserNotes } from './browserReports.ts';
import { type ReadableResult, renderJson } from './json.ts';
import { findObservation, outputWrapperPattern, printedOutputName, unwrapReturnCode } from './observation.ts';
import { renderPastedJson } from './pastedJson.ts';
import { type Source, teamName } from './source.ts';
import { readCommandWithRequest } from './typedCommands.ts';

/** The properties of a row that a source needs. */
export type SourceRow = Pick<Row, 'seq' | 'id' | 'tool' | 'answers' | 'isError' | 'injected' | 'at'>;

/** Returns a call without embedded data, such as images, in its arguments. */
function removeEmbeddedData(call: ToolCall): ToolCall {
	const { args } = call;
	if (typeof args !== 'object' || args === null || Array.isArray(args)) return call;
	const entries = Object.entries(args);
	const readable = entries.map(([name, value]) => [
		name,
		typeof value === 'string' ? replaceDataUrls(value) : value,
	]);
	const isChanged = readable.some(([, value], index) => value !== entries[index]?.[1]);
	return isChanged ? { ...call, args: Object.fromEntries(readable) } : call;
}

/** Text that agents insert into results only for the model. */
const systemReminderPattern = /<system-reminder>[\s\S]*?(?:<\/system-reminder>|$)/g;

/** Returns the output of a command, and the lines that follow it, from what Gemini CLI writes around it; other texts unchanged. */
function removeCommandHeader(text: string): string {
	if (!text.startsWith('Command: ')) return text;
	const folder = text.indexOf('\nDirectory: ');
	const output = text.indexOf('\nOutput: ', folder + 1);
	return folder < 0 || output < 0 ? text : text.slice(output + '\nOutput: '.length);
}

/** The start of a failed patch's result, which then repeats the lines that the file does not have, and the first of these. */
const missedLinesPattern =
	/^((?:error: |apply_patch verification failed: )failed to find (?:expected lines|context) in [^\n]{1,1000}\n)\s{0,400}([^\n]*)/i;

/** Returns a result's text without reminders and a repeated command, with its line numbers in one form. */
function readResultText(text: string): string {
	const shownText = removeTransferFigures(
		removeBrowserNotes(unwrapReturnCode(removeCommandHeader(unwrapAntigravityResult(keepLastFrames(text))))),
	);
	const [, report, missedLine] = missedLinesPattern.exec(shownText) ?? [];
	if (report !== undefined) return `${report.trimEnd()} ${missedLine}`;
	const ownText = replacePersistedMarks(shownText.replace(systemReminderPattern, ''));
	return protectNumberColumn(unifyLineNumbers(shortenMinifiedLines(ownText)));
}

/** An answer that Claude Code writes if the provider refuses or fails: `API Error: 500 Internal server error. …` */
const providerErrorPattern = /^API Error: (?:\d{3}\b|Request|Connection)[^\n]{0,600}$/;
/** What Cline says of its editor with each message, which soon changes. */
const environmentPattern = /<environment_details>[\s\S]*?(?:<\/environment_details>|$)/g;
/** What Codex says about skills in general below the list of those that a session has. */
const skillManualPattern = /^### How to use skills$[\s\S]*?(?=^#|^<\/|(?![\s\S]))/m;
/** The line number of an empty line, as agents attach files. */
const emptyLineNumberPattern = /^ {0,9}\d{1,6}\t\r?$/gm;

/** The label that some agents write before each thought. */
const thoughtLabelPattern = /^\s{0,9}(?:THOUGHT|Thought):\s{0,9}/;

/** Where Codex names the notes that its answer rests on. */
const citationPattern = /\n{0,9}<oai-mem-citation>[\s\S]*?(?:<\/oai-mem-citation>|$)/g;

/**
 * Returns what a message says, with JSON as rows: without what an agent's program wrote about its provider, or around the
 * user's words. Typed messages that are quoted word for word stay as they are.
 */
function readContent(text: string, role: IdentifiedMessage['role'], isInjected: boolean): ReadableResult {
	if (role === 'tool') return renderJson(readResultText(text));
	if (role === 'assistant')
		return {
			text: providerErrorPattern.test(text)
				? ''
				: renderJson(text.replace(thoughtLabelPattern, '').replace(citationPattern, '')).text,
		};
	if (role !== 'user') return { text };
	if (isInjected) {
		const ownText = unwrapAntigravityNotice(text)
			.replace(environmentPattern, '')
			.replace(skillManualPattern, '');
		return { text: ownText.replace(emptyLineNumberPattern, '') };
	}
	const ownText = removeAgentNotes(text);
	return ownText.length > tuning.lengths.maxVerbatim ? renderPastedJson(ownText) : { text: ownText };
}

/**
 * A line of reasoning that is only a title, as OpenAI's models write above each thought: `**Planning the tests**`. The first
 * line may be one in any language, if a blank line or nothing follows.
 */
const thoughtTitlePattern =
	/^\*\*(?!(?:Any|Every|No|Some)thing\b|(?:According|During|Following)\b)[A-Z][a-z]{1,20}ing [^*\n:]{1,100}\*\*[ \t]{0,9}(?:\n|$)|(?<![\s\S])\*\*[^*\n:：.!?。！？]{1,100}\*\*[ \t]{0,9}(?:\n(?=\n)|(?![\s\S]))/gm;

/** Returns a message without the titles in its reasoning, which announce what the calls show. */
function removeThoughtTitles(message: IdentifiedMessage): IdentifiedMessage {
	const { content } = message;
	if (typeof content === 'string') return message;
	const parts = content.map((part) =>
		part.type === 'reasoning' ? { ...part, text: part.text.replace(thoughtTitlePattern, '') } : part,
	);
	return { ...message, content: parts };
}

/** Returns the length of the reasoning at the start of a message's text. UTF-16 units. */
function measureThought({ content }: IdentifiedMessage): number {
	const parts = typeof content === 'string' ? [] : content;
	return parts.reduce(
		(sum, part) => sum + (part.type === 'reasoning' && part.text ? part.text.length + 1 : 0),
		0,
	);
}

/** Whether a program wrote a message: the client marked it, or it is in the user's role and its content shows it. */
export function isInjectedMessage(message: ChatMessage): boolean {
	const { role, content, metadata } = message;
	if (role !== 'user' || typeof metadata?.injected === 'boolean') return metadata?.injected === true;
	return isInjectedByAgent(content) && readCommandWithRequest(getMessageText(message)) === undefined;
}

/**
 * Converts a message to its source: plain text, calls, and what row and metadata say about the message.
 * @param isBeforeAgent whether no assistant message precedes the message, so that it cannot be a command's output
 */
export function createSource(row: SourceRow, original: IdentifiedMessage, isBeforeAgent = false): Source {
	const message = original.role === 'assistant' ? removeThoughtTitles(original) : original;
	const { role, content, toolCalls = [], metadata } = message;
	const isResult = role === 'tool';
	const messageText = replaceDataUrls(getMessageText(message));
	const canBeOutput = role === 'user' && !(isBeforeAgent && !outputWrapperPattern.test(messageText));
	const reports = role === 'user' ? readTeammateReports(messageText) : undefined;
	const command = role === 'user' ? readCommandWithRequest(messageText) : undefined;
	const isInjected =
		reports === undefined && command === undefined && (row.injected === true || isInjectedMessage(message));
	const observation = reports ?? (canBeOutput ? findObservation(messageText) : undefined);
	const { text, rows } =
		observation === undefined
			? readContent(command ?? messageText, role, isInjected)
			: readContent(observation, 'tool', isInjected);
	const isRecap = role === 'user' && isAgentSummary(content);
	return {
		seq: row.seq,
		id: row.id,
		role: observation === undefined ? role : 'tool',
		text: isRecap ? text.replace(handoverPattern, '') : text,
		rows,
		thoughtLength: measureThought(message),
		calls: toolCalls.map((call) => removeEmbeddedData(standardizeCall(call))),
		toolName: reports !== undefined ? teamName : observation === undefined ? row.tool : printedOutputName,
		toolCallId: row.answers,
		isError: row.isError,
		failed:
			isResult && (row.isError || saysFailure(messageText, row.tool) || wrapsFailure(messageText, text)),
		isAnsweredByUser: isResult && metadata?.userAnswer === true,
		isInjected,
		isRecap,
		timeMs: row.at,
	};
}

/** Whether a result in JSON wraps the output of a command that failed. */
function wrapsFailure(json: string, text: string): boolean {
	return text !== json && /^Exit code [1-9]/.test(text);
}

/** What Codex writes to its model before a summary; it is no rule of the user. */
const handoverPattern = /^\s*Another language model started to solve this problem [^\n]*\n/;

/** Shorter messages may repeat an answer by chance. UTF-16 units. */
const minRepeatedLength = 80;

/**
 * Whether a user message repeats the agent's answer before it word for word. A program wrote it, such as Aider, which hands
 * the plan of one model to another, or the user pasted it; it states no rules and requests of the user.
 */
export function repeatsAnswer({ role, text, rows }: Source, answer: Source | undefined): boolean {
	if (role !== 'user' || text.length < minRepeatedLength || answer === undefined) return false;
	const answerText = rows === undefined ? answer.text : renderPastedJson(answer.text).text;
	return trimLineEnds(text) === trimLineEnds(answerText);
}

/** Returns a text without spaces at the ends of its lines: Aider ends each line of a repeated answer with two. */
function trimLineEnds(text: string): string {
	const lines = text.split('\n').map((line) => line.trimEnd());
	return lines.join('\n').trim();
}
