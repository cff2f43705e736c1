/** Identifies a process, so that another one can tell whether it still runs even if its pid was reused. */

import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { errorCode, ifExists } from '../core/failure.ts';

export interface ProcessIdentity {
	pid: number;
	/** When the process started, in the system's ticks since boot; '0' if the system does not report it. */
	start: string;
	/** Identifies this boot of the machine; '0' if the system does not report it. */
	boot: string;
	/** Digest of the host and its pid namespace: a pid has a meaning only there. */
	scope: string;
	/** Distinguishes two locks of one process. */
	token: string;
}

const identityName = /^(\d{1,10})\.(\d{1,20})\.([0-9a-f]{1,12})\.([0-9a-f]{12})\.([0-9a-f]{16})$/;

/** Process ids are positive and fit a signed word; 0 would address the caller's own group. */
const maxPid = 0x7fff_ffff;

/** Formats an identity as a file name. */
export function nameOfIdentity({ pid, start, boot, scope, token }: ProcessIdentity): string {
	return `${pid}.${start}.${boot}.${scope}.${token}`;
}

/** Parses a file name; undefined if it is not an identity. */
export function parseIdentity(name: string): ProcessIdentity | undefined {
	const [, pid, start, boot, scope, token] = identityName.exec(name) ?? [];
	if (!pid || !start || !boot || !scope || !token) return undefined;
	if (Number(pid) < 1 || Number(pid) > maxPid) return undefined;
	return { pid: Number(pid), start, boot, scope, token };
}

/** Returns the identity of this process, with a new token. */
export async function thisProcess(): Promise<ProcessIdentity> {
	const [state, boot, namespace] = await Promise.all([
		stateOf(process.pid),
		fromSystem(() => readFile('/proc/sys/kernel/random/boot_id', 'utf8')),
		fromSystem(() => readlink('/proc/self/ns/pid')),
	]);
	return {
		pid: process.pid,
		start: state?.start ?? '0',
		boot: boot === undefined ? '0' : boot.replaceAll('-', '').slice(0, 12),
		scope: digest(`${hostname()}\0${namespace ?? ''}`),
		token: Math.random().toString(16).slice(2, 18).padEnd(16, '0'),
	};
}

/**
 * Returns whether a process has ended; false if it runs on another machine or in another container, which cannot be
 * seen from here. If the system does not report when processes start (macOS, Windows), a pid that is in use counts as
 * the same process.
 */
export async function hasEnded(other: ProcessIdentity, self: ProcessIdentity): Promise<boolean> {
	if (other.scope !== self.scope) return false;
	if (other.boot !== '0' && self.boot !== '0' && other.boot !== self.boot) return true;
	if (!existsPid(other.pid)) return true;
	const state = await stateOf(other.pid);
	if (state === undefined) return false;
	return state.isEnded || (other.start !== '0' && state.start !== other.start);
}

/** Returns whether a process was suspended by a signal or a debugger; undefined if the system does not report it. */
export async function isSuspended(pid: number): Promise<boolean | undefined> {
	return (await stateOf(pid))?.isSuspended;
}

/**
 * Returns the processor time that a suspended process has used, in the system's ticks; undefined if it runs, or if the
 * system does not report it.
 */
export async function suspendedAt(pid: number): Promise<number | undefined> {
	const state = await stateOf(pid);
	return state?.isSuspended ? state.ticks : undefined;
}

function existsPid(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		// EPERM: the process exists, but belongs to another user.
		if (errorCode(error) === 'ESRCH') return false;
		if (errorCode(error) === 'EPERM') return true;
		throw error;
	}
}

interface ProcessState {
	start: string;
	isEnded: boolean;
	isSuspended: boolean;
	/** Processor time of all its threads, in the system's ticks. */
	ticks: number;
}

/** State of a process by proc(5), `/proc/PID/stat`, fields 3, 14, 15 and 22; undefined if it cannot be read. */
async function stateOf(pid: number): Promise<ProcessState | undefined> {
	const stat = await fromSystem(() => readFile(`/proc/${pid}/stat`, 'utf8'));
	// The second field, the program's name in parentheses, may contain spaces and parentheses itself.
	const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
	const start = fields?.[19];
	if (fields === undefined || start === undefined) return undefined;
	const [code = ''] = fields;
	const ticks = Number(fields[11]) + Number(fields[12]);
	return { start, isEnded: 'ZX'.includes(code), isSuspended: 'Tt'.includes(code), ticks };
}

async function fromSystem(read: () => Promise<string>): Promise<string | undefined> {
	if (process.platform !== 'linux') return undefined;
	// Only what the system does not report (no such process, or another user's) counts as unknown.
	return ifExists(read(), ['ENOENT', 'ESRCH', 'EACCES', 'EPERM']);
}

/**
 * FNV-1a with 64 bits, of which 48 are used.
 *
 * A process that only looks for a holder thus avoids `node:crypto`, which takes about 1 MB on Node 24.
 */
function digest(text: string): string {
	let hash = 0xcbf29ce484222325n;
	for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
	return hash.toString(16).padStart(16, '0').slice(-12);
}
