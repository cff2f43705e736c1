/** A call on one line: its tool, what it was about, and how it ended. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { firstWords } from '../ledger/cutWords.ts';
import { argumentsOf, optionNames, type Source } from '../ledger/source.ts';
import { tuning } from '../tuning.ts';
import { withoutShell } from './commands.ts';
import type { Outcome, Outcomes } from './outcomes.ts';

/** Shorter values say nothing without their name: `offset=120`. UTF-16 units. */
const minUnnamedLength = 12;
/** Parts of a long path that are named; the whole path is in the list of files. */
const maxPathParts = 3;
/** Shorter words of an agent in a call are shown with the call. UTF-16 units. */
const minSpokenLength = 60;

/** Paths of more parts than this, so that a shortened one says where it begins. */
const longPath = /(?<![\w.~-])(?:~|[A-Za-z]:)?(?:[\\/][\w.@+~-]+){4,}/g;
/** What an edit or a write puts into a file is told elsewhere. */
export const bodyArgument =
	/^(?:old|new)_?(?:str|string|text)$|^(?:content|file_text|insert_text|patch|diff|input|edits|changes|code|thinking|todos|plan)$/i;
/** What a command does with its own output, in a text of single spaces. */
const plumbing = / ?(?:2>&1|2> ?\/dev\/null|\| ?(?:head|tail)(?: -(?:n ?)?\d+)?(?= ?(?:$|[;&)])))/g;
/** Arguments by which agents think, plan and report. */
const spokenArgument =
	/^(?:thought|plan|message|summary|reason\w*|explanation|justification|answer|response|conclusion|text)$/i;
/** Arguments by what they tell; what is not named comes behind. */
const telling = [
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

function shortPaths(line: string): string {
	return line.replace(longPath, (path) => {
		const parts = path.split(/[\\/]/);
		return parts.length <= maxPathParts + 1 ? path : `…/${parts.slice(-maxPathParts).join('/')}`;
	});
}

function oneLine(value: unknown): string {
	const words =
		Array.isArray(value) && value.every((one) => typeof one === 'string') ? value.join(' ') : value;
	if (typeof words !== 'string') return '';
	const line = shortPaths(withoutShell(words).replace(/\s+/g, ' ').replace(plumbing, '').trim());
	return line.length > tuning.lengths.maxArgument ? `${firstWords(line, tuning.lengths.maxArgument)}…` : line;
}

function rankOf(name: string): number {
	const index = telling.indexOf(name);
	return index < 0 ? telling.length : index;
}

function isSpoken(name: string, value: unknown): value is string {
	return typeof value === 'string' && value.length > minSpokenLength && spokenArgument.test(name);
}

/** What a call says at length: its agent's own thoughts, plans and reports. */
export function spokenIn({ args }: ToolCall): string[] {
	if (typeof args !== 'object' || args === null) return [];
	return Object.entries(args).flatMap(([name, value]) => (isSpoken(name, value) ? [value] : []));
}

/** Whether a call does nothing but say something. */
export function onlySpeaks({ args }: ToolCall): boolean {
	if (typeof args !== 'object' || args === null) return false;
	const entries = Object.entries(args);
	return entries.length > 0 && entries.every(([name, value]) => isSpoken(name, value));
}

/** `Bash Run the tests go test ./...`: what is long or of many lines is left out or cut, what is said at length told apart. */
export function callLine({ name, args }: ToolCall): string {
	if (typeof args === 'string') return `${name} ${oneLine(args)}`.trim();
	if (typeof args !== 'object' || args === null) return name;
	const entries = Object.entries(args)
		.filter(([key, value]) => !bodyArgument.test(key) && !isSpoken(key, value))
		.sort(([a], [b]) => rankOf(a) - rankOf(b));
	let line = name;
	for (const [key, value] of entries) {
		// What was not asked for says nothing.
		if (value === false || optionNames.test(key)) continue;
		const isPlain = typeof value === 'number' || value === true;
		const text = isPlain ? `${key}=${value}` : oneLine(value);
		if (text !== '' && line.length + text.length <= tuning.lengths.maxLine) line += ` ${text}`;
	}
	return line;
}

/** As `callLine`, with all of its short arguments whole: `Edit /home/me/shop/src/rows.ts`. */
export function wholeCallLine(call: ToolCall): string {
	const { short, apart } = argumentsOf(call);
	const cut = apart
		.filter(({ key, text }) => !bodyArgument.test(key) && !isSpoken(key, text))
		.map(({ key, text }) => ({ key, text: oneLine(text) }));
	const words = [...short.filter(({ key, text }) => !isSpoken(key, text)), ...cut]
		.sort((a, b) => rankOf(a.key) - rankOf(b.key))
		.map(({ key, text }) => {
			const line = withoutShell(text).replace(/\s+/g, ' ').replace(plumbing, '').trim();
			return line.length < minUnnamedLength && key !== '' && !telling.includes(key) ? `${key}=${line}` : line;
		});
	return [call.name, ...words].filter((word) => word !== '').join(' ');
}

/** ` → exit 1: FAIL TestX (passed later, #30)`; empty where nothing is to be said. */
export function callOutcome({
	failed,
	stopped,
	message,
	exitCode,
	passedLater,
}: Pick<Outcome, 'failed' | 'stopped' | 'message' | 'exitCode' | 'passedLater'>): string {
	const later = passedLater ? ` (passed later, #${passedLater.seq})` : '';
	if (!failed || stopped) return message === '' ? '' : ` → ${message}${later}`;
	const code = exitCode === undefined ? 'failed' : `exit ${exitCode}`;
	return ` → ${code}${message === '' ? '' : `: ${message}`}${later}`;
}

/** Behind the label of something of a call that failed: ` (failed)`, or of its result ` (passed later)`. */
export function failureMark({ role }: Source, call: ToolCall | undefined, { byCall }: Outcomes): string {
	const outcome = call && byCall.get(call);
	if (role === 'assistant') return outcome?.failed ? ' (failed)' : '';
	return outcome?.passedLater ? ` (passed later)` : '';
}
