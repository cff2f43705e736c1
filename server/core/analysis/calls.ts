/** Renders a call on one line: its tool, its subject, and its outcome. */

import type { ToolCall } from '../../protocol/conversation.ts';
import { tuning } from '../compact/tuning.ts';
import { withoutShell } from './commands.ts';
import type { CallOutcome, Outcomes } from './outcomes.ts';
import { firstWords } from './quote.ts';
import { argumentsOf, optionNames, type Source } from './source.ts';

/** Shorter values are shown with their name: `offset=120`. UTF-16 units. */
const minUnnamedLength = 12;
/** Number of last parts shown of a long path; the list of files has the whole path. */
const maxPathParts = 3;
/** Shorter texts of an agent in a call are shown with the call. UTF-16 units. */
const minSpokenLength = 60;

/** Paths with enough parts that shortening them pays off. */
const longPath = /(?<![\w.~:/-])(?:~|[A-Za-z]:)?(?:[\\/][\w.@+~-]+){4,}/g;
/** Arguments with the content that an edit or a write puts into a file, which is shown elsewhere. */
export const bodyArgument =
	/^(?:old|new)_?(?:str|string|text)$|^(?:content|file_text|insert_text|patch|diff|input|edits|changes|code|thinking|todos|plan)$/i;
/** Redirections and pipes that only affect a command's output, in a text with single spaces. */
const plumbing = / ?(?:2>&1|2> ?\/dev\/null|\| ?(?:head|tail)(?: -(?:n ?)?\d+)?(?= ?(?:$|[;&)])))/g;
/** Arguments in which agents think, plan and report. */
const spokenArgument =
	/^(?:thought|plan|message|summary|reason\w*|explanation|justification|answer|response|conclusion|text)$/i;
/** Names of arguments, the most informative first; others follow. */
const argumentOrder = [
	'description',
	'command',
	'cmd',
	'file_path',
	'filePath',
	'path',
	'absolute_path',
	'pattern',
	'query',
	'url',
	'prompt',
	'question',
	'name',
];

/** The folder in which a command runs. */
const folderOfCommand = /^cd \/\S*\/(?=[\w.@+-]+ (?:&&|;) )/;

function shortPaths(line: string): string {
	return line.replace(folderOfCommand, 'cd …/').replace(longPath, (path) => {
		const parts = path.split(/[\\/]/);
		return parts.length <= maxPathParts + 1 ? path : `…/${parts.slice(-maxPathParts).join('/')}`;
	});
}

/** Returns a command or argument on one line, without what only affects its output. */
function plainLine(text: string): string {
	return withoutShell(text).replace(/\s+/g, ' ').replace(plumbing, '').trim();
}

function oneLine(value: unknown): string {
	const words =
		Array.isArray(value) && value.every((one) => typeof one === 'string') ? value.join(' ') : value;
	if (typeof words !== 'string') return '';
	const line = shortPaths(plainLine(words));
	return line.length > tuning.lengths.maxArgument ? `${firstWords(line, tuning.lengths.maxArgument)}…` : line;
}

function rankOf(name: string): number {
	const index = argumentOrder.indexOf(name);
	return index < 0 ? argumentOrder.length : index;
}

function isSpoken(name: string, value: unknown): value is string {
	return typeof value === 'string' && value.length > minSpokenLength && spokenArgument.test(name);
}

/** Returns the long texts in a call's arguments: the agent's thoughts, plans and reports. */
export function spokenIn({ args }: ToolCall): string[] {
	if (typeof args !== 'object' || args === null) return [];
	return Object.entries(args).flatMap(([name, value]) => (isSpoken(name, value) ? [value] : []));
}

/** Whether a call only says something. */
export function isMessageOnlyCall({ args }: ToolCall): boolean {
	if (typeof args !== 'object' || args === null) return false;
	const entries = Object.entries(args);
	return entries.length > 0 && entries.every(([name, value]) => isSpoken(name, value));
}

/** Renders a call, such as `Bash Run the tests go test ./...`. Shortens long arguments; omits those of `spokenIn`. */
export function callLine({ name, args }: ToolCall): string {
	if (typeof args === 'string') return `${name} ${oneLine(args)}`.trim();
	if (typeof args !== 'object' || args === null) return name;
	const entries = Object.entries(args)
		.filter(([key, value]) => !bodyArgument.test(key) && !isSpoken(key, value))
		.sort(([a], [b]) => rankOf(a) - rankOf(b));
	let line = name;
	for (const [key, value] of entries) {
		// An option that is switched off says nothing.
		if (value === false || optionNames.test(key)) continue;
		const isPlain = typeof value === 'number' || value === true;
		const text = isPlain ? `${key}=${value}` : oneLine(value);
		if (text !== '' && line.length + text.length <= tuning.lengths.maxLine) line += ` ${text}`;
	}
	return line;
}

/** Like `callLine`, but with all short arguments in full: `Edit /home/me/shop/src/rows.ts`. */
export function wholeCallLine(call: ToolCall): string {
	const { short, apart } = argumentsOf(call);
	const cut = apart
		.filter(({ key, text }) => !bodyArgument.test(key) && !isSpoken(key, text))
		.map(({ key, text }) => ({ key, text: oneLine(text) }));
	const words = [...short.filter(({ key, text }) => !isSpoken(key, text)), ...cut]
		.sort((a, b) => rankOf(a.key) - rankOf(b.key))
		.map(({ key, text }) => {
			const line = plainLine(text);
			return line.length < minUnnamedLength && key !== '' && !argumentOrder.includes(key)
				? `${key}=${line}`
				: line;
		});
	return [call.name, ...words].filter((word) => word !== '').join(' ');
}

/** Renders an outcome, such as ` → exit 1: FAIL TestX (passed later, #30)`; empty if there is nothing to report. */
export function callOutcome({
	failed,
	stopped,
	message,
	exitCode,
	passedLater,
}: Pick<CallOutcome, 'failed' | 'stopped' | 'message' | 'exitCode' | 'passedLater'>): string {
	const later = passedLater ? ` (passed later, #${passedLater.seq})` : '';
	if (!failed || stopped) return message === '' ? '' : ` → ${message}${later}`;
	const code = exitCode === undefined ? 'failed' : `exit ${exitCode}`;
	return ` → ${code}${message === '' ? '' : `: ${message}`}${later}`;
}

/** Returns what follows the label of a failed call, ` (failed)`, or of its result, ` (passed later)`; else empty. */
export function failureMark({ role }: Source, call: ToolCall | undefined, { byCall }: Outcomes): string {
	const outcome = call && byCall.get(call);
	if (role === 'assistant') return outcome?.failed ? ' (failed)' : '';
	return outcome?.passedLater ? ` (passed later)` : '';
}
