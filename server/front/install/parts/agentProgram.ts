/** Runs agents as programs on the PATH. */

import { spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Machine } from './agent.ts';

/** Returns the paths of the programs with these names, in the order of the PATH. */
export async function findOnPath(
	names: readonly string[],
	{ env, platform }: Pick<Machine, 'env' | 'platform'>,
): Promise<string[]> {
	const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
	const endings = platform === 'win32' ? ['.cmd', '.exe'] : [''];
	const files = folders.flatMap((folder) =>
		names.flatMap((name) => endings.map((ending) => join(folder, `${name}${ending}`))),
	);
	const areExecutable = await Promise.all(
		files.map((file) =>
			access(file, constants.X_OK).then(
				() => true,
				() => false,
			),
		),
	);
	return files.filter((_, index) => areExecutable[index]);
}

/** Milliseconds that one run may take. */
const timeoutMs = 60_000;

export interface ProgramResult {
	hasSucceeded: boolean;
	/** All output; undefined if the program cannot be started. */
	output?: string;
}

/** Runs a program from the PATH to its end. Never rejects. */
export function runProgram(
	program: string,
	args: readonly string[],
	env: NodeJS.ProcessEnv,
): Promise<ProgramResult> {
	const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'], timeout: timeoutMs });
	let output = '';
	for (const stream of [child.stdout, child.stderr]) {
		stream.setEncoding('utf8').on('data', (text) => {
			output += text;
		});
	}
	return new Promise((resolve) => {
		child.on('error', () => resolve({ hasSucceeded: false }));
		child.on('close', (code) => resolve({ hasSucceeded: code === 0, output }));
	});
}

/** Returns the version that a program prints for `--version`; undefined if it cannot be started or prints none. */
export async function readProgramVersion(
	program: string,
	env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
	const { output = '' } = await runProgram(program, ['--version'], env);
	return /\d{1,9}\.\d{1,9}\.\d{1,9}/.exec(output)?.[0];
}

/** Returns the last line of a program's output; empty if there is none. */
export function extractLastLine(output: string): string {
	return output.trim().split('\n').at(-1)?.trim() ?? '';
}
