/** Measures the CPU time of commands, independently of the load of the machine. */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A program that is run to its end. */
export interface Program {
	file: string;
	args: readonly string[];
	/** The standard input; empty by default. */
	input?: string;
	env?: NodeJS.ProcessEnv;
	cwd?: string;
}

/** Milliseconds of a tick of the kernel's accounting on Linux (`USER_HZ` is 100 everywhere). */
const tick = 10;

/** Returns the CPU milliseconds of a running process so far, without its children. Linux only. */
export function cpuNow(pid: number): number {
	const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	return (Number(fields[11]) + Number(fields[12])) * tick;
}

/** Returns the CPU milliseconds of one run, as bash counts them: the program's and its children's, to a millisecond each. */
function timeRun({ file, args, input = '', env, cwd }: Program): number {
	const timed = ['-c', 'TIMEFORMAT="%U %S"; time "$@" 2>&3', 'bash', file, ...args];
	const { status, stderr, output } = spawnSync('bash', timed, {
		input,
		env,
		cwd,
		encoding: 'utf8',
		stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
	});
	if (status !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${status}: ${output?.[3]}`);
	const [user, system] = stderr.trim().replaceAll(',', '.').split(' ').map(Number);
	return ((user ?? Number.NaN) + (system ?? Number.NaN)) * 1000;
}

/**
 * Returns the median CPU milliseconds of each program with its children, over alternating runs, so that other work on
 * the machine affects all programs alike. Needs bash. Throws if a program fails.
 */
export function cpuOf(programs: readonly Program[], runs: number): number[] {
	const times = programs.map((): number[] => []);
	for (let run = 0; run < runs; run++) {
		for (const [index, program] of programs.entries()) times[index]?.push(timeRun(program));
	}
	return times.map((all) => all.sort((a, b) => a - b)[runs >> 1] ?? 0);
}
