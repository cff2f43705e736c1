/**
 * The lock of a session: a folder with one file, whose name says who holds it.
 *
 * Taken by renaming a prepared folder into place, which the system refuses while a folder with a file stands
 * there. Taken over from a dead process by renaming the file in it: of all who try, the system lets one succeed,
 * and a rename that names the dead holder can never hit a living one that came in between.
 */

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, rename, rm, rmdir, stat, unlink, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { Failure, ifThere, missing } from '../../core/failure.ts';
import { onStorage, storageFailure } from './failure.ts';
import { prepareSessions } from './folder.ts';
import { type Holder, heartbeatInterval, isGone, nameOfHolder, parseHolder, thisHolder } from './holder.ts';
import { type HolderAddress, type LockNote, readNote, writeNote } from './lockNote.ts';

/** A lock that this process holds. */
export interface Lock {
	/** Grows by one each time that the session is taken over from a holder that is gone. */
	readonly generation: number;
	/** It was taken from a holder of another machine or container, which may only have slept. */
	readonly isFromAfar: boolean;
	/** Whether this process still holds it; takes it anew where it is gone and nobody else holds it. */
	check(): Promise<'held' | 'taken anew' | 'lost'>;
	release(): Promise<void>;
}

/** Whose lock is taken, and for whom. */
interface Taking {
	path: string;
	self: Holder;
	sessionId: string;
	/** Where the new holder can be asked. */
	address?: HolderAddress;
}

/** How a lock was come by. */
type Taken = Pick<Lock, 'generation' | 'isFromAfar'>;

/** When the sign of life of a holder was first seen here, in milliseconds of this process, by the holder's file. */
const sightings = new LRUCache<string, { mtimeMs: number; since: number }>({ max: 1000 });

/** Tokens of locks that this process could not give back, as where the folder was write-protected for a while. */
const notGivenBack = new Set<string>();

/** Renames that another taker may thwart before this one gives up. */
const attempts = 20;
const occupied = ['ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'EPERM', 'EACCES', 'EBUSY'];

/**
 * Takes the lock at `path`, from a dead process too.
 *
 * @param lost called when another took the lock while this process slept too long to show signs of life.
 * @param address where the holder can be asked by other processes, which the lock then says.
 * @throws Failure `SessionLocked` when a living process, this one included, holds it; `data.isAsked` says whether that
 * one can be asked.
 */
export async function takeLock(
	path: string,
	sessionId: string,
	lost: () => void,
	address?: HolderAddress,
): Promise<Lock> {
	try {
		const taking = { path, self: await thisHolder(), sessionId, ...(address && { address }) };
		return heldLock(taking, await acquire(taking), lost);
	} catch (error) {
		throw storageFailure('take the lock', path, error);
	}
}

/** The holder that a lock names, its file and what it says there; undefined where nobody holds the lock. */
export async function holderOf(
	path: string,
): Promise<{ holder: Holder; file: string; note: LockNote } | undefined> {
	const found = holderAmong(await namesIn(path));
	if (found === undefined) return undefined;
	const file = join(path, found.name);
	const note = await readNote(file);
	return note && { holder: found.holder, file, note };
}

async function acquire(taking: Taking): Promise<Taken> {
	const draft = `${taking.path}-${taking.self.token}`;
	try {
		await mkdir(draft, { mode: 0o700 });
		await writeNote(join(draft, nameOfHolder(taking.self)), { generation: 1, address: taking.address });
		return await moveInto(draft, taking);
	} finally {
		await rm(draft, { recursive: true, force: true });
	}
}

async function moveInto(draft: string, { path, self, sessionId, address }: Taking): Promise<Taken> {
	const own = nameOfHolder(self);
	for (let attempt = 1; attempt <= attempts; attempt++) {
		if (await renamed(draft, path)) return { generation: 1, isFromAfar: false };
		const names = await namesIn(path);
		const found = holderAmong(names);
		if (found === undefined) {
			await clear(path, names);
			continue;
		}
		const { name, holder } = found;
		const sinceHeartbeat = await ageOf(join(path, name), join(draft, own));
		if (sinceHeartbeat === undefined) continue;
		const note = await readNote(join(path, name));
		if (note === undefined) continue;
		const isHeld = !notGivenBack.has(holder.token) && !(await isGone(holder, self, sinceHeartbeat));
		if (isHeld) throw lockedBy(holder, self, path, sessionId, note);
		if (!(await takenOver(path, name, own))) continue;
		notGivenBack.delete(holder.token);
		const generation = note.generation + 1;
		await writeNote(join(draft, own), { generation, address });
		// In one move: whoever reads it meanwhile finds what the dead one said, and nobody there.
		await rename(join(draft, own), join(path, own));
		return { generation, isFromAfar: holder.scope !== self.scope };
	}
	throw lockedBySomething(path, sessionId);
}

function holderAmong(names: readonly string[]): { name: string; holder: Holder } | undefined {
	for (const name of names) {
		const holder = parseHolder(name);
		if (holder !== undefined) return { name, holder };
	}
	return undefined;
}

/**
 * Makes way where no holder stands: what strayed into the folder (of a file browser, of a program that keeps folders
 * alike) goes beside it, to be removed with other remains. No call here can hit a holder that comes in between.
 */
async function clear(path: string, names: readonly string[]): Promise<void> {
	for (const name of names) {
		await ifThere(rename(join(path, name), `${path}-${randomBytes(8).toString('hex')}`));
	}
	// Windows does not rename onto an empty folder; elsewhere this changes nothing.
	await removeIfEmpty(path);
	const found = await ifThere(lstat(path));
	// The system removes no folder this way.
	if (found && !found.isDirectory()) await ifThere(unlink(path));
}

async function renamed(from: string, to: string): Promise<boolean> {
	const done = rename(from, to).then(() => true);
	return (await ifThere(done, occupied)) ?? false;
}

async function takenOver(path: string, name: string, own: string): Promise<boolean> {
	const now = new Date();
	const work = async (): Promise<boolean> => {
		// First, so that the file is never seen under the new name with the dead one's age.
		await utimes(join(path, name), now, now);
		await rename(join(path, name), join(path, own));
		return true;
	};
	return (await ifThere(work())) ?? false;
}

async function namesIn(path: string): Promise<string[]> {
	// Something that is no folder holds no holder either.
	return (await ifThere(readdir(path), missing)) ?? [];
}

/**
 * Milliseconds without a sign of life: by which a file is older than a new one, both by the file system's own clock,
 * or during which it was seen unchanged here, whatever its clock says.
 */
async function ageOf(path: string, fresh: string): Promise<number | undefined> {
	const found = await ifThere(Promise.all([stat(path), stat(fresh)]));
	if (found === undefined) return undefined;
	const [{ mtimeMs }, young] = found;
	const now = performance.now();
	const before = sightings.get(path);
	const since = before?.mtimeMs === mtimeMs ? before.since : now;
	sightings.set(path, { mtimeMs, since });
	return Math.max(young.mtimeMs - mtimeMs, now - since);
}

async function removeIfEmpty(path: string): Promise<void> {
	await ifThere(rmdir(path), ['ENOENT', ...occupied]);
}

function heldLock(taking: Taking, taken: Taken, lost: () => void): Lock {
	const { path, self } = taking;
	const own = join(path, nameOfHolder(self));
	const heartbeat = setInterval(() => {
		const now = new Date();
		utimes(own, now, now)
			.catch(async () => {
				if (holderAmong(await namesIn(path))?.name === undefined) return;
				if ((await ifThere(stat(own))) !== undefined) return;
				clearInterval(heartbeat);
				lost();
			})
			// What fails for another reason (a busy disk) is made up for by the next sign of life.
			.catch(() => undefined);
	}, heartbeatInterval);
	heartbeat.unref();
	return {
		...taken,
		async check() {
			try {
				// Asked at once, before each write: from another thread it is told in ten times the time.
				if (existsSync(own) || (await ifThere(stat(own))) !== undefined) return 'held';
				await prepareSessions(dirname(path));
				await acquire(taking);
				return 'taken anew';
			} catch (error) {
				if (error instanceof Failure && error.kind === 'SessionLocked') return 'lost';
				throw storageFailure('look at the lock', path, error);
			}
		},
		async release() {
			clearInterval(heartbeat);
			notGivenBack.add(self.token);
			await onStorage('give back the lock', path, () => ifThere(unlink(own)));
			notGivenBack.delete(self.token);
			await removeIfEmpty(path);
		},
	};
}

function lockedBy(
	holder: Holder,
	self: Holder,
	path: string,
	sessionId: string,
	{ address }: LockNote,
): Failure {
	const where = holder.scope === self.scope ? '' : ' of another machine or container';
	const who = where === '' && holder.pid === self.pid ? 'this process' : `process ${holder.pid}${where}`;
	const isAsked = address !== undefined;
	const why = isAsked ? '' : ', which takes no calls from others: it may run an older contextd';
	return new Failure(
		'SessionLocked',
		`session ${JSON.stringify(sessionId)} is held by ${who}${why} (lock ${path})`,
		{ sessionId, pid: holder.pid, path, isAsked },
	);
}

function lockedBySomething(path: string, sessionId: string): Failure {
	return new Failure('SessionLocked', `session ${JSON.stringify(sessionId)} is locked by ${path}`, {
		sessionId,
		path,
	});
}
