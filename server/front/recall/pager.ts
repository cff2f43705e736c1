import { spawn } from 'node:child_process';
import { colouringOf, type FrontIo, writeLines } from '../console/terminal.ts';
import { type Line, linesText } from '../output/line.ts';

/** The pager if the variable PAGER names none: it shows colours, and ends at once for a text that fits the screen. */
const usualPager = 'less -RFX';

/** Shows lines in the user's pager; prints them if the output is no terminal, or if there is no such program. */
export async function showInPager(lines: readonly Line[], io: FrontIo): Promise<void> {
	const pager = (io.env.PAGER ?? usualPager).trim();
	if (io.stdout.isTTY === true && pager !== '' && (await runPager(pager, lines, io))) return;
	await writeLines(io.stdout, lines, io.env);
}

/** Returns whether the pager ran. */
function runPager(pager: string, lines: readonly Line[], io: FrontIo): Promise<boolean> {
	return new Promise((resolve) => {
		// PAGER is a command line, which may have options.
		const child = spawn(pager, { shell: true, stdio: ['pipe', 'inherit', 'ignore'], env: io.env });
		child.on('error', () => resolve(false));
		child.on('exit', (code) => resolve(code !== 127 && code !== 126));
		// A user may leave the pager before it has read everything.
		child.stdin.on('error', () => {});
		child.stdin.end(linesText(lines, colouringOf(io.stdout, io.env)));
	});
}
