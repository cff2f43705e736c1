/** The processes that a run started, and their end. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { removeFolder } from '../../support/removeFolder.ts';
import type { Home } from './home.ts';

function readProcess(pid: number, file: string): string {
	try {
		return readFileSync(`/proc/${pid}/${file}`, 'utf8');
	} catch {
		return '';
	}
}

function commandOf(pid: number): string {
	return readProcess(pid, 'cmdline').replaceAll('\0', ' ').trim();
}

function parentOf(pid: number): number {
	const stat = readProcess(pid, 'stat');
	return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0);
}

function everyProcess(): number[] {
	return readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name))
		.map(Number);
}

/** Returns the command lines of all descendants of this process, by their ids. */
export function descendants(): Map<number, string> {
	const parents = new Map(everyProcess().map((pid) => [pid, parentOf(pid)]));
	const below = new Set([process.pid]);
	for (let size = 0; size !== below.size; ) {
		size = below.size;
		for (const [pid, parent] of parents) if (below.has(parent)) below.add(pid);
	}
	below.delete(process.pid);
	return new Map([...below].map((pid) => [pid, commandOf(pid)]));
}

/** Returns the ids of the daemons of a home, which outlive the processes that started them. */
export function daemons({ base }: Pick<Home, 'base'>): number[] {
	return everyProcess().filter((pid) => {
		const command = commandOf(pid);
		return command.includes('daemon serve') && command.includes(`${base}/`);
	});
}

/** Ends the daemon of a home by removing the state folder; resolves once it has ended. */
export function endDaemons(home: Pick<Home, 'base'>): Promise<void> {
	return eventually(async () => {
		await removeFolder(join(home.base, 's'));
		expect(daemons(home)).toEqual([]);
	});
}

/** Waits until processes have ended. Returns the command lines of processes that still run after `limit` milliseconds. */
export async function stillThere(seen: ReadonlyMap<number, string>, limit: number): Promise<string[]> {
	const until = Date.now() + limit;
	for (;;) {
		const left = [...seen].filter(([pid, command]) => command !== '' && commandOf(pid) === command);
		if (left.length === 0 || Date.now() > until) return left.map(([pid, command]) => `${pid} ${command}`);
		await wait(100);
	}
}
