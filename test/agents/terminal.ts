/** Reads the output of contextd in a terminal while an agent works in a project. */

import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { type AgentSession, lookUntil } from './session.ts';

/** A running `contextd watch` in a project, which writes a line per change into a pipe. */
export interface Watching {
	/** Returns the newest shown tokens once they match; the last ones on a timeout. */
	figureOnce(fits: (tokens: number) => boolean): Promise<number | undefined>;
	end(): Promise<void>;
}

function start({ project, home }: AgentSession, args: readonly string[]): ChildProcess {
	return spawn(process.execPath, [resolve('dist/contextd.cjs'), ...args], {
		cwd: project,
		env: { PATH: process.env.PATH, HOME: home, NO_COLOR: '1' },
		stdio: ['ignore', 'pipe', 'inherit'],
	});
}

/** Returns the output of a command in the agent's project. */
export async function contextd(of: AgentSession, args: readonly string[]): Promise<string> {
	const { stdout } = start(of, args);
	let printed = '';
	for await (const piece of stdout?.setEncoding('utf8') ?? []) printed += piece;
	return printed;
}

/** Begins to watch the agent's project. */
export function watching(of: AgentSession): Watching {
	const child = start(of, ['watch']);
	const closed = new Promise((done) => child.on('close', done));
	let printed = '';
	child.stdout?.setEncoding('utf8').on('data', (text) => {
		printed += text;
	});
	const figure = (): number | undefined => {
		const [, newest] = [...printed.matchAll(/([\d,]+) \/ [\d,]+ tokens/g)].at(-1) ?? [];
		return newest === undefined ? undefined : Number(newest.replaceAll(',', ''));
	};
	return {
		figureOnce: (fits) =>
			lookUntil(
				async () => figure(),
				(now) => now !== undefined && fits(now),
			),
		async end() {
			child.kill('SIGTERM');
			await closed;
		},
	};
}
