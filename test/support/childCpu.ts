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

/** Returns the CPU milliseconds of all ended children of this process, with their own children. */
function childrenCpu(): number {
	const stat = readFileSync('/proc/self/stat', 'utf8');
	// The name in brackets may contain any character. After it, `cutime` and `cstime` are fields 14 and 15.
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	return (Number(fields[13]) + Number(fields[14])) * tick;
}

/** Returns the CPU milliseconds of a running process so far, without its children. Linux only. */
export function cpuNow(pid: number): number {
	const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	return (Number(fields[11]) + Number(fields[12])) * tick;
}

/**
 * Returns the mean CPU milliseconds of each program with its children, over alternating runs. Linux only.
 * Throws if a program fails.
 */
export function cpuOf(programs: readonly Program[], runs: number): number[] {
	const sums = programs.map(() => 0);
	for (let run = 0; run < runs; run++) {
		for (const [index, { file, args, input = '', env, cwd }] of programs.entries()) {
			const before = childrenCpu();
			const { status, stderr } = spawnSync(file, args, { input, env, cwd, encoding: 'utf8' });
			if (status !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${status}: ${stderr}`);
			sums[index] = (sums[index] ?? 0) + childrenCpu() - before;
		}
	}
	return sums.map((sum) => sum / runs);
}
