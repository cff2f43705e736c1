import { type LineSpan, narrowSpan } from '../lineRange.ts';
import { maxTouchesPerCall } from '../tuning.ts';
import type { ShellCommand } from './script.ts';

/** A file, and the lines of the file that a command prints. */
export interface ShownFile extends LineSpan {
	path: string;
}

/** The files that a command reads, and the lines of each file that the command prints. */
interface ReadingCommand {
	files: string[];
	spans: LineSpan[];
}

/**
 * Returns the files that a pipeline shows: its first command reads the files, the others only select lines. Undefined if
 * the pipeline contains any other command.
 */
export function findShownFiles(commands: readonly ShellCommand[]): ShownFile[] | undefined {
	let shownFiles: ShownFile[] | undefined;
	for (const [index, command] of commands.entries()) {
		const reader = parseReadingCommand(command);
		if (reader === undefined) return undefined;
		if (index === 0) {
			if (reader.files.length === 0) return undefined;
			// Each file is combined with each span, so both lists are limited to what a call may touch.
			const files = reader.files.slice(0, maxTouchesPerCall + 1);
			const spans = reader.spans.slice(0, maxTouchesPerCall + 1);
			shownFiles = files.flatMap((path) => spans.map((span) => ({ path, ...span })));
			continue;
		}
		if (reader.files.length > 0 || shownFiles === undefined) return undefined;
		const isWholeFile = reader.spans.every((span) => Object.keys(span).length === 0);
		if (isWholeFile) continue;
		const [only] = shownFiles;
		if (only === undefined || shownFiles.length > 1) return undefined;
		const spans = reader.spans.map((span) => narrowSpan(only, span));
		if (spans.some((span) => span === undefined)) return undefined;
		shownFiles = spans.flatMap((span) => (span === undefined ? [] : [{ path: only.path, ...span }]));
	}
	return shownFiles;
}

function parseReadingCommand(command: ShellCommand): ReadingCommand | undefined {
	if (command.words.some((word) => !word.isKnown)) return undefined;
	const [name, ...words] = command.words.map((word) => word.text);
	const reader = parseReadingWords(name ?? '', words);
	if (reader === undefined) return undefined;
	for (const { operator, target, descriptor } of command.redirections) {
		if (operator === '<' && descriptor === undefined && reader.files.length === 0) {
			if (!target.isKnown) return undefined;
			reader.files.push(target.text);
		} else if (operator.startsWith('<')) return undefined;
	}
	return reader.files.includes('-') ? undefined : reader;
}

function parseReadingWords(name: string, words: readonly string[]): ReadingCommand | undefined {
	switch (name) {
		case 'cat':
			return parseWholeFileReader(words, /^-[AbeEnstTuv]+$|^--(?:number|number-nonblank|show-all)$/);
		case 'nl':
			return parseWholeFileReader(
				words,
				/^-(?:b ?[at]|w\d+|n(?:ln|rn|rz)|s.*)$/,
				new Set(['-b', '-w', '-n', '-s']),
			);
		case 'head':
			return parseFileEndReader(words, parseHeadCount);
		case 'tail':
			return parseFileEndReader(words, parseTailCount);
		case 'sed':
			return parseSedReader(words);
		default:
			return undefined;
	}
}

function parseWholeFileReader(
	words: readonly string[],
	flags: RegExp,
	flagsWithValue: ReadonlySet<string> = new Set(),
): ReadingCommand | undefined {
	const files: string[] = [];
	for (let index = 0; index < words.length; index++) {
		const word = words[index] ?? '';
		if (flagsWithValue.has(word)) index++;
		else if (word.startsWith('-') && word !== '-' && word !== '--') {
			if (!flags.test(word)) return undefined;
		} else if (word !== '--') files.push(word);
	}
	return { files, spans: [{}] };
}

/** Number of lines that `head` and `tail` show by default. */
const defaultEndLines = '10';

function parseFileEndReader(
	words: readonly string[],
	parseCount: (count: string) => LineSpan | undefined,
): ReadingCommand | undefined {
	const files: string[] = [];
	let count = defaultEndLines;
	for (let index = 0; index < words.length; index++) {
		const word = words[index] ?? '';
		const attachedCount = /^(?:-n|--lines=|-)([-+]?\d+)$/.exec(word) ?? /^(\+\d+)$/.exec(word);
		if (word === '-n' || word === '--lines') {
			index++;
			count = words[index] ?? '';
		} else if (attachedCount !== null) count = attachedCount[1] ?? '';
		else if (word === '-q' || word === '--quiet' || word === '-v' || word === '--') continue;
		else if (word.startsWith('-') && word !== '-') return undefined;
		else files.push(word);
	}
	const span = parseCount(count);
	return span === undefined ? undefined : { files, spans: [span] };
}

function parseHeadCount(count: string): LineSpan | undefined {
	return /^\d{1,9}$/.test(count) && Number(count) > 0 ? { from: 1, to: Number(count) } : undefined;
}

function parseTailCount(count: string): LineSpan | undefined {
	if (/^\+\d{1,9}$/.test(count)) return { from: Math.max(1, Number(count)) };
	return /^-?\d{1,9}$/.test(count) && Number(count) !== 0
		? { lastLines: Math.abs(Number(count)) }
		: undefined;
}

/** Parses `sed -n` with printed line numbers only: `10p`, `10,20p`, `10,$p`, several with `;` or `-e`. */
function parseSedReader(words: readonly string[]): ReadingCommand | undefined {
	const scripts: string[] = [];
	const operands: string[] = [];
	let isQuiet = false;
	for (let index = 0; index < words.length; index++) {
		const word = words[index] ?? '';
		if (word === '-n' || word === '--quiet' || word === '--silent') isQuiet = true;
		else if (word === '-e' || word === '-ne') {
			isQuiet = isQuiet || word === '-ne';
			index++;
			scripts.push(words[index] ?? '');
		} else if (word === '-E' || word === '-r') continue;
		else if (word.startsWith('-') && word !== '-') return undefined;
		else operands.push(word);
	}
	if (!isQuiet) return undefined;
	if (scripts.length === 0) scripts.push(operands.shift() ?? '');
	const spans: LineSpan[] = [];
	for (const step of scripts.join(';').split(/[;\n]/)) {
		if (step.trim() === '') continue;
		const match = /^\s*(\d{1,9})(?:,(\d{1,9}|\$))?\s*p\s*$/.exec(step);
		if (match === null) return undefined;
		const from = Math.max(1, Number(match[1]));
		if (match[2] === '$') spans.push({ from });
		else spans.push({ from, to: Math.max(from, Number(match[2] ?? from)) });
	}
	return spans.length === 0 ? undefined : { files: operands, spans };
}
