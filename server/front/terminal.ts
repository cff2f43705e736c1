/** Where the front reads and writes, and what the terminal there can show. */

import type { Readable, Writable } from 'node:stream';
import { type Colouring, type Line, linesText } from './output/line.ts';
import type { Canvas } from './output/statsView.ts';

/** An output that may be a terminal. */
export type Output = Writable & { isTTY?: boolean; columns?: number };

export interface FrontIo {
	stdin: Readable & { isTTY?: boolean; fd?: number };
	stdout: Output;
	stderr: Output;
	env: NodeJS.ProcessEnv;
	/** Folders and files that belong to agents: they keep their transcripts there, and nothing is written there. */
	transcriptFolders: readonly string[];
}

/** Columns of a report that goes to no terminal. */
const PLAIN_COLUMNS = 100;
const NARROWEST = 20;

/** Whether an output takes colours: FORCE_COLOR decides, then NO_COLOR, then whether it is a capable terminal. */
export function colouringOf(output: Output, env: NodeJS.ProcessEnv): Colouring {
	const forced = env.FORCE_COLOR;
	if (forced !== undefined) return forced === '0' || forced === 'false' ? 'plain' : 'coloured';
	if (env.NO_COLOR || env.TERM === 'dumb') return 'plain';
	return output.isTTY ? 'coloured' : 'plain';
}

/** The columns to draw for. */
export function canvasOf(output: Output, env: NodeJS.ProcessEnv): Canvas {
	const told = output.columns ?? Number(env.COLUMNS);
	return { columns: told > 0 ? Math.max(NARROWEST, told) : PLAIN_COLUMNS };
}

/** Writes a text and waits until it is taken; a reader that left, as `head` does, is no failure. */
export function writeText(output: Writable, text: string): Promise<void> {
	return new Promise((resolve, reject) => {
		// The failure comes to the callback; as an event it would end the process.
		if (output.listenerCount('error') === 0) output.on('error', () => {});
		output.write(text, (error) => {
			if (error && (error as NodeJS.ErrnoException).code !== 'EPIPE') reject(error);
			else resolve();
		});
	});
}

/** Writes a report, coloured as the output takes it. */
export function writeLines(output: Output, lines: readonly Line[], env: NodeJS.ProcessEnv): Promise<void> {
	return writeText(output, linesText(lines, colouringOf(output, env)));
}
