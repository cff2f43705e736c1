/** Builds one-line titles of messages. The title of a tool result is its call, the call's subject, and the outcome. */

import type { ChatMessage, ContentPart, ToolCall } from '../../../server/protocol/conversation.ts';
import { t } from './language.ts';
import { formatAuthor } from './messageNames.ts';
import { collectCallTargets, getBaseName } from './reads.ts';

/** Maximum length of a call's argument in its name. UTF-16 units. */
const maxArgumentUnits = 60;
/** Maximum length of a message's first words, which follow its name. UTF-16 units. */
const maxFirstWordsUnits = 160;
/** Number of UTF-16 units at the start of a message in which its first words are searched. */
const maxSearchedUnits = 2000;
/** Number of UTF-16 units at the start and at the end of an output in which its exit code is searched. */
const exitCodeUnits = 200;

/** Names of the arguments that describe a call, most descriptive first. */
const descriptiveArguments = ['command', 'cmd', 'pattern', 'query', 'url', 'description', 'name'];
const exitCodePattern = /\bexit(?:ed with)?[ _]?(?:code|status)"?\s?[:=]?\s?(\d{1,3})\b/i;
/** Matches the line number that a tool prints before each line of a file. */
const lineNumberPattern = /^ {0,8}\d{1,7}[→\t]/;

function toOneLine(text: string, maxUnits: number): string {
	const line = text.slice(0, maxSearchedUnits).replace(/\s+/g, ' ').trim();
	return line.length > maxUnits ? `${line.slice(0, maxUnits - 1)}…` : line;
}

function describeArgument({ args }: ToolCall): string {
	if (typeof args !== 'object' || args === null) return '';
	const values = args as Record<string, unknown>;
	for (const name of descriptiveArguments) {
		const value = values[name];
		const text = Array.isArray(value) ? value.at(-1) : value;
		if (typeof text === 'string' && text.trim() !== '') return toOneLine(text, maxArgumentUnits);
	}
	return '';
}

/** Names of calls, such as `Read main.go` and `Bash npm test`, by the id of the call. */
export type CallNames = ReadonlyMap<string, string>;

/** Returns the names of a history's calls. */
export function collectCallNames(history: readonly ChatMessage[]): CallNames {
	const targets = collectCallTargets(history);
	const calls = history.flatMap(({ toolCalls = [] }) => toolCalls);
	return new Map(
		calls.map((call) => {
			const target = targets.get(call.id);
			const subject = target ? getBaseName(target.path) : describeArgument(call);
			return [call.id, `${call.name} ${subject}`.trimEnd()];
		}),
	);
}

function joinContentText(content: string | readonly ContentPart[]): string {
	if (typeof content === 'string') return content;
	return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

/** Returns how a call failed, such as ` → exit 1`; an empty text if it succeeded. */
function formatFailureSuffix(message: ChatMessage): string {
	const text = joinContentText(message.content);
	const code =
		exitCodePattern.exec(text.slice(0, exitCodeUnits))?.[1] ??
		exitCodePattern.exec(text.slice(-exitCodeUnits))?.[1];
	if (code !== undefined && code !== '0') return ` → exit ${code}`;
	return message.isError ? ` → ${t('failed')}` : '';
}

/** Returns the name of a message: for a tool result its call and outcome, otherwise the message's author. */
export function getCallTitle(message: ChatMessage, calls: CallNames): string {
	if (message.toolCallId === undefined) return formatAuthor(message);
	return `${calls.get(message.toolCallId) ?? formatAuthor(message)}${formatFailureSuffix(message)}`;
}

/** Returns the first words of a message on one line; the names of its calls if the message has no text. */
export function getFirstWords(message: ChatMessage, calls: CallNames): string {
	const lines = joinContentText(message.content).slice(0, maxSearchedUnits).split('\n');
	const firstWords = toOneLine(
		lines.map((line) => line.replace(lineNumberPattern, '')).join('\n'),
		maxFirstWordsUnits,
	);
	if (firstWords !== '') return firstWords;
	const names = (message.toolCalls ?? []).map(({ id, name }) => calls.get(id) ?? name);
	return names.length === 0 ? '' : toOneLine(`→ ${names.join(', ')}`, maxFirstWordsUnits);
}
