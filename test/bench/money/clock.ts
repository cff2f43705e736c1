/** A clock that tests move: a pause of an hour takes no time. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';

/** Moves the clock of every program that loads it by the milliseconds that a file contains. */
const shiftedClock = (file: string): string => `
const { readFileSync } = require('node:fs');
const real = Date.now;
let readAt = Number.NEGATIVE_INFINITY;
let aheadMs = 0;
Date.now = () => {
	const now = performance.now();
	if (now - readAt > 20) {
		aheadMs = Number(readFileSync(${JSON.stringify(file)}, 'utf8'));
		readAt = now;
	}
	return real() + aheadMs;
};
const RealDate = Date;
globalThis.Date = class extends RealDate {
	constructor(...given) {
		super(...(given.length === 0 ? [RealDate.now()] : given));
	}
};
`;

/** The clock of one home folder. */
export class MovableClock {
	readonly #home: string;
	readonly #file: string;
	readonly #script: string;
	#aheadMs = 0;
	#daemon: ChildProcess | undefined;

	constructor(home: string) {
		this.#home = home;
		this.#file = join(home, 'clock.txt');
		this.#script = join(home, 'clock.cjs');
	}

	/** Milliseconds by which the clock was moved. */
	get aheadMs(): number {
		return this.#aheadMs;
	}

	async begin(): Promise<void> {
		await this.advance(0);
		await writeFile(this.#script, shiftedClock(this.#file));
	}

	async advance(ms: number): Promise<void> {
		this.#aheadMs += ms;
		await writeFile(this.#file, String(this.#aheadMs));
		// Longer than the programs cache the file.
		await setTimeout(100);
	}

	/** Starts the daemon of the home folder with this clock, and waits until it listens. */
	async startDaemon(): Promise<void> {
		const state = join(this.#home, '.local/state/contextd');
		await mkdir(state, { recursive: true, mode: 0o700 });
		const program = [resolve('dist/contextd.cjs'), 'daemon', 'serve', '--storage', state];
		this.#daemon = spawn(process.execPath, ['--require', this.#script, ...program], {
			stdio: 'ignore',
			env: { PATH: process.env.PATH, HOME: this.#home },
		});
		while (!existsSync(join(state, 'daemon.sock'))) {
			if (this.#daemon.exitCode !== null) throw new Error('the daemon ended before it listened');
			await setTimeout(50);
		}
	}

	/** Returns the path of a program that starts `program` with this clock, if `program` runs in Node. */
	async wrap(program: string): Promise<string> {
		const wrapper = join(this.#home, 'clocked');
		await writeFile(wrapper, `#!/bin/sh\nNODE_OPTIONS="--require ${this.#script}" exec '${program}' "$@"\n`);
		await chmod(wrapper, 0o755);
		return wrapper;
	}

	async end(): Promise<void> {
		if (this.#daemon === undefined || this.#daemon.exitCode !== null) return;
		this.#daemon.kill('SIGKILL');
		await once(this.#daemon, 'exit');
	}
}
