/** Identifies a process, so that other processes can tell whether it still runs, even if its pid was reused. */

import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { errorCode, ifExists } from '../core/failure.ts';

export interface ProcessIdentity {
	pid: number;
	/** When the process started, in the system's ticks since boot; '0' if the system does not report the time. */
	startTicks: string;
	/** Id of the machine's current boot; '0' if the system does not report one. */
	bootId: string;
	/** Digest of the host and the pid namespace in which the pid is valid. */
	scope: string;
	/** Random digits that distinguish two locks of one process. */
	nonce: string;
}

const identityPattern = /^(\d{1,10})\.(\d{1,20})\.([0-9a-f]{1,12})\.([0-9a-f]{12})\.([0-9a-f]{16})$/;

/** Maximum process id, which fits into a signed 32-bit word. The minimum is 1: signals to 0 go to the caller's group. */
const maxPid = 0x7fff_ffff;

/** Formats an identity as a file name. */
export function formatIdentity({ pid, startTicks, bootId, scope, nonce }: ProcessIdentity): string {
	return `${pid}.${startTicks}.${bootId}.${scope}.${nonce}`;
}

/** Parses a file name; undefined if it is not an identity. */
export function parseIdentity(name: string): ProcessIdentity | undefined {
	const [, pid, startTicks, bootId, scope, nonce] = identityPattern.exec(name) ?? [];
	if (!pid || !startTicks || !bootId || !scope || !nonce) return undefined;
	if (Number(pid) < 1 || Number(pid) > maxPid) return undefined;
	return { pid: Number(pid), startTicks, bootId, scope, nonce };
}

/** Returns the identity of this process, with a new nonce. */
export async function readOwnIdentity(): Promise<ProcessIdentity> {
	const [state, boot, namespace] = await Promise.all([
		readProcessState(process.pid),
		readIfLinux(() => readFile('/proc/sys/kernel/random/boot_id', 'utf8')),
		readIfLinux(() => readlink('/proc/self/ns/pid')),
	]);
	return {
		pid: process.pid,
		startTicks: state?.startTicks ?? '0',
		bootId: boot === undefined ? '0' : boot.replaceAll('-', '').slice(0, 12),
		scope: digest(`${hostname()}\0${namespace ?? ''}`),
		nonce: Math.random().toString(16).slice(2, 18).padEnd(16, '0'),
	};
}

/**
 * Whether a process has ended; false if it runs on another machine or in another container, where it cannot be checked. If the
 * system does not report when processes start (macOS, Windows), any process with the same pid counts as this process.
 */
export async function hasEnded(other: ProcessIdentity, self: ProcessIdentity): Promise<boolean> {
	if (other.scope !== self.scope) return false;
	if (other.bootId !== '0' && self.bootId !== '0' && other.bootId !== self.bootId) return true;
	if (!isPidInUse(other.pid)) return true;
	const state = await readProcessState(other.pid);
	if (state === undefined) return false;
	return state.isEnded || (other.startTicks !== '0' && state.startTicks !== other.startTicks);
}

/** Whether a signal or a debugger has suspended a process; undefined if the system does not report it. */
export async function isSuspended(pid: number): Promise<boolean | undefined> {
	return (await readProcessState(pid))?.isSuspended;
}

/**
 * Returns the processor time that a suspended process has used, in the system's ticks; undefined if the process is not suspended
 * or the system does not report it.
 */
export async function readSuspendedTicks(pid: number): Promise<number | undefined> {
	const state = await readProcessState(pid);
	return state?.isSuspended ? state.usedTicks : undefined;
}

function isPidInUse(pid: number): boolean {
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
	startTicks: string;
	isEnded: boolean;
	isSuspended: boolean;
	/** Processor time of all threads of the process, in the system's ticks. */
	usedTicks: number;
}

/** Reads the state of a process from fields 3, 14, 15 and 22 of `/proc/PID/stat`, see proc(5); undefined if that fails. */
async function readProcessState(pid: number): Promise<ProcessState | undefined> {
	const stat = await readIfLinux(() => readFile(`/proc/${pid}/stat`, 'utf8'));
	// The second field is the program's name in parentheses, which may contain spaces and parentheses.
	const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
	const startTicks = fields?.[19];
	if (fields === undefined || startTicks === undefined) return undefined;
	const [code = ''] = fields;
	const usedTicks = Number(fields[11]) + Number(fields[12]);
	return { startTicks, isEnded: 'ZX'.includes(code), isSuspended: 'Tt'.includes(code), usedTicks };
}

async function readIfLinux(read: () => Promise<string>): Promise<string | undefined> {
	if (process.platform !== 'linux') return undefined;
	// These codes mean that the system does not report the value: there is no such process, or it is another user's.
	return ifExists(read(), ['ENOENT', 'ESRCH', 'EACCES', 'EPERM']);
}

/**
 * Returns 48 bits of a 64-bit FNV-1a hash, as hexadecimal digits. Not `node:crypto`, which takes about 1 MB on Node 24 in a
 * process that only looks for the holder of a lock.
 */
function digest(text: string): string {
	let hash = 0xcbf29ce484222325n;
	for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
	return hash.toString(16).padStart(16, '0').slice(-12);
}
