/** Where the front reads and writes, and what the terminal there can show. */

import type { Readable, Writable } from 'node:stream';
import { errorCode } from '../../core/failure.ts';
import { type Colouring, type Line, linesText } from '../output/line.ts';
import { printableJson } from '../output/printable.ts';
import type { Canvas } from '../output/statsView.ts';
import { displayWidth } from '../output/width.ts';

/** An output that may be a terminal. */
export type Output = Writable & { isTTY?: boolean; columns?: number; rows?: number };

export interface FrontIo {
	stdin: Readable & { isTTY?: boolean; fd?: number };
	stdout: Output;
	stderr: Output;
	env: NodeJS.ProcessEnv;
	/** Folders and files that belong to agents: they keep their transcripts there, and nothing is written there. */
	transcriptFolders: readonly string[];
}

/** Columns of a report that goes to no terminal. */
const plainColumns = 100;
const narrowest = 20;

/** Whether an output takes colours: FORCE_COLOR decides, then NO_COLOR, then whether it is a capable terminal. */
export function colouringOf(output: Output, env: NodeJS.ProcessEnv): Colouring {
	return colouringFor(output.isTTY === true, env);
}

/** The same for an output of which it is known whether what is written there is shown in colours. */
export function colouringFor(isShown: boolean, env: NodeJS.ProcessEnv): Colouring {
	const forced = env.FORCE_COLOR;
	if (forced !== undefined) return forced === '0' || forced === 'false' ? 'plain' : 'coloured';
	if (env.NO_COLOR || env.TERM === 'dumb') return 'plain';
	return isShown ? 'coloured' : 'plain';
}

/**
 * Whether reports keep to ASCII: on a dumb terminal, and where the locale for characters is `C` or `POSIX` by name. No
 * locale at all, as in most containers, says nothing about the terminal.
 */
export function isAsciiOnly(env: NodeJS.ProcessEnv): boolean {
	const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
	return env.TERM === 'dumb' || locale === 'C' || locale === 'POSIX';
}

/** The columns to draw for. */
export function canvasOf(output: Output, env: NodeJS.ProcessEnv): Canvas {
	const told = output.columns ?? Number(env.COLUMNS);
	return { columns: told > 0 ? Math.max(narrowest, told) : plainColumns };
}

/** Writes a text and waits until it is taken; a reader that left, as `head` does, is no failure. */
export function writeText(output: Writable, text: string): Promise<void> {
	return new Promise((resolve, reject) => {
		// The failure comes to the callback; as an event it would end the process.
		if (output.listenerCount('error') === 0) output.on('error', () => {});
		output.write(text, (error) => {
			if (error && errorCode(error) !== 'EPIPE') reject(error);
			else resolve();
		});
	});
}

/** A report in the colours and characters that the output takes. */
export function reportText(lines: readonly Line[], output: Output, env: NodeJS.ProcessEnv): string {
	const text = linesText(lines, colouringOf(output, env));
	return isAsciiOnly(env) ? asciiText(text) : text;
}

/** Writes a report as the output takes it. */
export function writeLines(output: Output, lines: readonly Line[], env: NodeJS.ProcessEnv): Promise<void> {
	return writeText(output, reportText(lines, output, env));
}

/** Writes a value as JSON for people and programs. */
export function writeJson(output: Output, value: unknown): Promise<void> {
	return writeText(output, `${printableJson(JSON.stringify(value, null, 2))}\n`);
}

/** What stands for each sign of the reports, column by column. */
const asciiSigns: Readonly<Record<string, string>> = Object.fromEntries(
	[
		['█▉▊▋▌', '#####'],
		['▍▎▏', ':::'],
		['░┊■', '.|*'],
		['▁▂▃▄▅▆▇', '_.-=+*%'],
		['⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏', '|/-\\|/-\\|/'],
		['·…→✓–—×', '-~>+--x'],
		['‘’“”', '\'\'""'],
	].flatMap(([signs = '', stand = '']) => [...signs].map((sign, index) => [sign, stand.charAt(index)])),
);

const notAscii = /[^\0-\x7f]/gu;

/** The text in ASCII and as wide as before: our signs as their likes, every other letter as question marks. */
export function asciiText(text: string): string {
	return text.replace(notAscii, (sign) => asciiSigns[sign] ?? '?'.repeat(displayWidth(sign)));
}
