/** The streams of terminal commands, and the text that they can show. */

import type { Readable, Writable } from 'node:stream';
import { errorCode } from '../../core/failure.ts';
import { type Colouring, flowLine, formatLines, type Line, span } from '../output/line.ts';
import { escapeForTerminal } from '../output/printable.ts';
import { measureWidth } from '../output/width.ts';

/** An output that may be a terminal. */
export type Output = Writable & { isTTY?: boolean; columns?: number; rows?: number };

export interface FrontIo {
	stdin: Readable & { isTTY?: boolean; fd?: number };
	stdout: Output;
	stderr: Output;
	env: NodeJS.ProcessEnv;
	/** Folders and files in which agents store their transcripts, where contextd never writes. */
	transcriptFolders: readonly string[];
}

/** Width of a report that does not go to a terminal, in columns. */
const plainColumns = 100;
const minColumns = 20;

/** Returns whether an output supports colours. FORCE_COLOR decides first, then NO_COLOR, then the terminal. */
export function detectColouring(output: Output, env: NodeJS.ProcessEnv): Colouring {
	return chooseColouring(output.isTTY === true, env);
}

/** Like `detectColouring`, but for callers that know whether the output can show colours. */
export function chooseColouring(canShowColours: boolean, env: NodeJS.ProcessEnv): Colouring {
	const forced = env.FORCE_COLOR;
	if (forced !== undefined) return forced === '0' || forced === 'false' ? 'plain' : 'coloured';
	if (env.NO_COLOR || env.TERM === 'dumb') return 'plain';
	return canShowColours ? 'coloured' : 'plain';
}

/**
 * Returns whether reports use only ASCII: on a dumb terminal, or if the character locale is `C` or `POSIX`. A missing
 * locale, as in most containers, does not count.
 */
export function isAsciiOnly(env: NodeJS.ProcessEnv): boolean {
	const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
	return env.TERM === 'dumb' || locale === 'C' || locale === 'POSIX';
}

/** Returns the width for which a report is drawn, in columns. */
export function measureColumns(output: Output, env: NodeJS.ProcessEnv): number {
	return findColumns(output, env) ?? plainColumns;
}

/** Returns the columns of a terminal, or the variable COLUMNS; undefined if neither is known. */
function findColumns(output: Output, env: NodeJS.ProcessEnv): number | undefined {
	const columns = output.columns ?? Number(env.COLUMNS);
	return columns > 0 ? Math.max(minColumns, columns) : undefined;
}

/** Writes a text and waits until it is written; a closed pipe, as after `head`, is not an error. */
export function writeText(output: Writable, text: string): Promise<void> {
	return new Promise((resolve, reject) => {
		// The callback gets the error; without a listener, the event would also end the process.
		if (output.listenerCount('error') === 0) output.on('error', () => {});
		output.write(text, (error) => {
			if (error && errorCode(error) !== 'EPIPE') reject(error);
			else resolve();
		});
	});
}

/** Renders a report in the colours and characters that the output supports. */
export function renderReport(lines: readonly Line[], output: Output, env: NodeJS.ProcessEnv): string {
	const text = formatLines(lines, detectColouring(output, env));
	return isAsciiOnly(env) ? replaceByAscii(text) : text;
}

/**
 * Writes a report in the form that the output supports. Lines that are too long are wrapped between words if the
 * width of the output is known; a pipe or a file gets whole lines.
 */
export function writeLines(output: Output, lines: readonly Line[], env: NodeJS.ProcessEnv): Promise<void> {
	const columns = findColumns(output, env);
	const fitting = columns === undefined ? lines : lines.flatMap((line) => flowLine(line, columns));
	return writeText(output, renderReport(fitting, output, env));
}

/** Writes lines without colours to the standard output. */
export function writePlainLines({ stdout, env }: FrontIo, ...texts: readonly string[]): Promise<void> {
	return writeLines(
		stdout,
		texts.map((text) => [span(text)]),
		env,
	);
}

/** Writes a value as indented JSON without control characters. */
export function writeJson(output: Output, value: unknown): Promise<void> {
	return writeText(output, `${escapeForTerminal(JSON.stringify(value, null, 2))}\n`);
}

/** ASCII replacements of the same width for the signs in reports. */
const asciiReplacements: Readonly<Record<string, string>> = Object.fromEntries(
	[
		['█▉▊▋▌', '#####'],
		['▍▎▏', ':::'],
		['░┊■', '.|*'],
		['▁▂▃▄▅▆▇', '_.-=+*%'],
		['⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏', '|/-\\|/-\\|/'],
		['·…→✓–—×', '-~>+--x'],
		['‘’“”', '\'\'""'],
	].flatMap(([signs = '', ascii = '']) => [...signs].map((sign, index) => [sign, ascii.charAt(index)])),
);

const nonAsciiPattern = /[^\0-\x7f]/gu;

/** Returns the text in ASCII with the same width; unknown characters become question marks. */
export function replaceByAscii(text: string): string {
	return text.replace(nonAsciiPattern, (char) => asciiReplacements[char] ?? '?'.repeat(measureWidth(char)));
}
