/** Who holds a lock: a process, named so that another can tell whether it still lives. */

import { createHash, randomBytes } from 'node:crypto';
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { errorCode, ifThere } from '../../core/failure.ts';

/** The holder of a lock, as the name of a file says it. */
export interface Holder {
	pid: number;
	/** When the process started, in the system's ticks since boot; '0' where the system does not say. */
	start: string;
	/** Digest of this boot of the machine; '0' where the system does not say. */
	boot: string;
	/** Digest of the host and its process numbers' namespace: only within one can a pid be looked up. */
	scope: string;
	/** Tells two locks of one process apart. */
	token: string;
}

const holderName = /^(\d{1,10})\.(\d{1,20})\.([0-9a-f]{1,12})\.([0-9a-f]{12})\.([0-9a-f]{16})$/;

/** Process numbers are positive and fit a signed word; 0 would ask for the asker's own group. */
const largestPid = 0x7fff_ffff;

/** Milliseconds between two signs of life. */
export const heartbeatInterval = 15_000;
/** Milliseconds without one after which a holder whose process cannot be looked up counts as dead. */
const heartbeatLimit = 120_000;

/** A holder as a file name. */
export function nameOfHolder(holder: Holder): string {
	return `${holder.pid}.${holder.start}.${holder.boot}.${holder.scope}.${holder.token}`;
}

/** The holder that a file name says; undefined for any other name. */
export function parseHolder(name: string): Holder | undefined {
	const [, pid, start, boot, scope, token] = holderName.exec(name) ?? [];
	if (!pid || !start || !boot || !scope || !token) return undefined;
	if (Number(pid) < 1 || Number(pid) > largestPid) return undefined;
	return { pid: Number(pid), start, boot, scope, token };
}

/** This process as the holder of a new lock. */
export async function thisHolder(): Promise<Holder> {
	const [start, boot, namespace] = await Promise.all([
		processState(process.pid),
		textOrNothing(() => readFile('/proc/sys/kernel/random/boot_id', 'utf8')),
		textOrNothing(() => readlink('/proc/self/ns/pid')),
	]);
	return {
		pid: process.pid,
		start: start?.start ?? '0',
		boot: boot === undefined ? '0' : digest(boot.trim()),
		scope: digest(`${hostname()}\0${namespace ?? ''}`),
		token: randomBytes(8).toString('hex'),
	};
}

/**
 * Whether the process that took a lock is gone. A process of this machine is looked up, its start compared
 * where the system tells it (Linux), since process numbers are used again; where it does not (macOS, Windows), a number
 * in use counts as alive. One of another machine or container is judged by its last sign of life.
 *
 * @param sinceHeartbeat milliseconds since the holder's last sign of life.
 */
export async function isGone(holder: Holder, self: Holder, sinceHeartbeat: number): Promise<boolean> {
	if (holder.scope !== self.scope) return sinceHeartbeat > heartbeatLimit;
	if (holder.boot !== '0' && self.boot !== '0' && holder.boot !== self.boot) return true;
	if (!answersSignal(holder.pid)) return true;
	const state = await processState(holder.pid);
	if (state === undefined) return false;
	return state.ended || (holder.start !== '0' && state.start !== holder.start);
}

function answersSignal(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		// EPERM: it lives, under another user.
		if (errorCode(error) === 'ESRCH') return false;
		if (errorCode(error) === 'EPERM') return true;
		throw error;
	}
}

/** Start and life of a process by proc(5), `/proc/PID/stat`, fields 3 and 22; undefined without it. */
async function processState(pid: number): Promise<{ start: string; ended: boolean } | undefined> {
	const stat = await textOrNothing(() => readFile(`/proc/${pid}/stat`, 'utf8'));
	// The second field, the program's name in parentheses, may itself hold spaces and parentheses.
	const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
	const start = fields?.[19];
	if (fields === undefined || start === undefined) return undefined;
	return { start, ended: fields[0] === 'Z' || fields[0] === 'X' };
}

async function textOrNothing(read: () => Promise<string>): Promise<string | undefined> {
	if (process.platform !== 'linux') return undefined;
	// Only what the system does not tell (no such process, or not to this user) counts as unknown.
	return ifThere(read(), ['ENOENT', 'ESRCH', 'EACCES', 'EPERM']);
}

function digest(text: string): string {
	return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
