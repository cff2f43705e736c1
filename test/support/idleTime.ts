/** Measures how long a program waited idly, without the time that it waited for a processor. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Code that writes, when a process ends, the milliseconds in which its main thread neither ran nor waited for a processor. */
const source = `process.once('exit', () => {
	const { readFileSync, writeFileSync } = require('node:fs');
	let busyMs = process.cpuUsage().user / 1000;
	try {
		const [ran, queued] = readFileSync('/proc/self/schedstat', 'latin1').split(' ').map(Number);
		busyMs = (ran + queued) / 1e6;
	} catch {
		// Only Linux reports how long a thread waited for a processor.
	}
	writeFileSync(__filename + '.' + process.pid, String(performance.now() - busyMs));
});
`;

/** A module that programs load first: `node --require FILE`. */
export interface IdleTimer {
	file: string;
	/** Returns the idle milliseconds of a process that has ended. */
	of(pid: number | undefined): number;
}

/** Writes the module into a folder. */
export function idleTimer(folder: string): IdleTimer {
	const file = join(folder, 'idle.cjs');
	writeFileSync(file, source);
	return { file, of: (pid) => Number(readFileSync(`${file}.${pid}`, 'utf8')) };
}
