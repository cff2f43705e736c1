/** What a command costs, whatever else the machine does. */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A program that is run to its end. */
export interface Program {
	file: string;
	args: readonly string[];
	/** Of its standard input; empty where absent. */
	input?: string;
	env?: NodeJS.ProcessEnv;
	cwd?: string;
}

/** Milliseconds of a tick of the kernel's accounting on Linux (`USER_HZ` is 100 everywhere). */
const tick = 10;

/** CPU milliseconds of all children of this process that ended so far, theirs included. */
function childrenCpu(): number {
	const stat = readFileSync('/proc/self/stat', 'utf8');
	// The name, in brackets, may hold anything; of what follows, `cutime` and `cstime` are the 14th and the 15th.
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	return (Number(fields[13]) + Number(fields[14])) * tick;
}

/** CPU milliseconds that a running process took so far, without its children. Linux alone. */
export function cpuNow(pid: number): number {
	const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	return (Number(fields[11]) + Number(fields[12])) * tick;
}

/**
 * CPU milliseconds of each program, its own children included, at the mean of so many runs in turn. Linux alone.
 * Throws where a program fails.
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
