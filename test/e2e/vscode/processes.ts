/** The processes that a run started, and their end. */

import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

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

/** Every process below this one: its command line by its id. */
export function descendants(): Map<number, string> {
	const all = readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name))
		.map(Number);
	const parents = new Map(all.map((pid) => [pid, parentOf(pid)]));
	const below = new Set([process.pid]);
	for (let size = 0; size !== below.size; ) {
		size = below.size;
		for (const [pid, parent] of parents) if (below.has(parent)) below.add(pid);
	}
	below.delete(process.pid);
	return new Map([...below].map((pid) => [pid, commandOf(pid)]));
}

/** The daemons among them. */
export function daemons(): number[] {
	return [...descendants()].filter(([, command]) => command.includes('daemon/main.cjs')).map(([pid]) => pid);
}

/** Waits until processes that were seen have ended; gives those that have not after `limit` ms. */
export async function stillThere(seen: ReadonlyMap<number, string>, limit: number): Promise<string[]> {
	const until = Date.now() + limit;
	for (;;) {
		const left = [...seen].filter(([pid, command]) => command !== '' && commandOf(pid) === command);
		if (left.length === 0 || Date.now() > until) return left.map(([pid, command]) => `${pid} ${command}`);
		await wait(100);
	}
}
