import { spawn } from 'node:child_process';
import { detectColouring, type FrontIo, writeLines } from '../console/terminal.ts';
import { formatLines, type Line } from '../output/line.ts';

/** The default pager. It shows colours, and ends at once if the text fits the screen. */
const defaultPager = 'less -RFX';

/** Shows lines in the user's pager; prints them if the output is no terminal or the pager cannot be started. */
export async function showInPager(lines: readonly Line[], io: FrontIo): Promise<void> {
	const pager = (io.env.PAGER ?? defaultPager).trim();
	if (io.stdout.isTTY === true && pager !== '' && (await runPager(pager, lines, io))) return;
	await writeLines(io.stdout, lines, io.env);
}

/** Shows lines in a pager; returns whether it could be started. */
function runPager(pager: string, lines: readonly Line[], io: FrontIo): Promise<boolean> {
	return new Promise((resolve) => {
		// PAGER is a command line, which may have options.
		const child = spawn(pager, { shell: true, stdio: ['pipe', 'inherit', 'ignore'], env: io.env });
		child.on('error', () => resolve(false));
		child.on('exit', (code) => resolve(code !== 127 && code !== 126));
		// A user may leave the pager before it has read everything.
		child.stdin.on('error', () => {});
		child.stdin.end(formatLines(lines, detectColouring(io.stdout, io.env)));
	});
}
