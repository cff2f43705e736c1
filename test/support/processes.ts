import { readdirSync, readFileSync } from 'node:fs';

/** A process of this machine. */
export interface SeenProcess {
	pid: number;
	args: string[];
}

/** Returns the processes whose arguments or environment name a state folder, except this one. Linux only. */
export function processesOf(home: string): SeenProcess[] {
	const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
	return pids.flatMap((pid) => {
		try {
			const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
			const isOf = `${args}\0${readFileSync(`/proc/${pid}/environ`)}`.includes(home);
			return isOf ? [{ pid: Number(pid), args: args.split('\0') }] : [];
		} catch {
			// The process has just ended, or belongs to another user.
			return [];
		}
	});
}
