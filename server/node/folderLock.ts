/**
 * The lock of a state folder: only the process that holds it writes sessions there.
 *
 * The lock is a folder with one file, whose name identifies the holder. A process takes the lock by renaming a prepared folder
 * to the lock's path, which the system refuses while a lock with a file is there. A process takes the lock over from a dead
 * holder by renaming the holder's file: only one of several processes succeeds, and a new holder's file has another name.
 */

import {
	lstat,
	mkdir,
	open,
	readdir,
	readFile,
	rename,
	rm,
	rmdir,
	stat,
	unlink,
	writeFile,
} from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { diskFullCodes, ifExists, isMissingFileError, missingFileCodes } from '../core/failure.ts';
import {
	formatIdentity,
	hasEnded,
	type ProcessIdentity,
	parseIdentity,
	readOwnIdentity,
} from './processIdentity.ts';

/** Milliseconds between two heartbeats of the holder, which update the time of its file. */
const heartbeatMs = 5_000;
/** A holder on another machine or in another container is considered dead after this many milliseconds without a heartbeat. */
const maxSilenceMs = 30_000;
/** Maximum attempts to take the lock while other processes change it. */
const maxAttempts = 20;
const occupiedCodes = ['ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'EPERM', 'EACCES', 'EBUSY'];

/** How a process uses its state folder: a daemon serves all clients, any other process only its own. */
export type HolderRole = 'daemon' | 'alone';

/** The process that holds a state folder. */
export interface FolderHolder {
	pid: number;
	host: string;
	/** Undefined if the role cannot be read, or was not written because the disk was full. */
	role: HolderRole | undefined;
	/** Whether the holder runs on another machine or in another container, so that its pid has no meaning here. */
	isElsewhere: boolean;
}

/** Thrown when a living process holds the state folder; the message names that process. */
export class FolderHeldError extends Error {
	readonly holder: FolderHolder;

	constructor(stateFolder: string, holder: FolderHolder) {
		const location = holder.isElsewhere ? ` on ${holder.host} (another machine or container)` : '';
		super(`${stateFolder} is used by process ${holder.pid}${location}`);
		this.holder = holder;
	}
}

export interface FolderLock {
	/**
	 * Returns whether this process still holds the lock. Takes the lock again if its file was removed and no other process has
	 * it. Returns true if the state folder is missing, because then no other process can hold the lock.
	 */
	check(): Promise<boolean>;
	release(): Promise<void>;
}

function getLockPath(stateFolder: string): string {
	return join(stateFolder, 'daemon.lock');
}

/** Returns the living process that holds a state folder; undefined if there is none. */
export async function findHolder(stateFolder: string): Promise<FolderHolder | undefined> {
	const path = getLockPath(stateFolder);
	const owner = findIdentity(await listNames(path));
	if (owner === undefined) return undefined;
	const self = await readOwnIdentity();
	const file = join(path, formatIdentity(owner));
	const status = await ifExists(stat(file));
	if (status === undefined) return undefined;
	return (await isDead(owner, self, Date.now() - status.mtimeMs)) ? undefined : readHolder(file, owner, self);
}

/**
 * Takes the lock of a state folder if it is free or its holder is dead.
 * @throws FolderHeldError if a living process holds it
 * @throws ENOENT if the state folder does not exist
 */
export async function takeFolderLock(stateFolder: string, role: HolderRole): Promise<FolderLock> {
	const self = await readOwnIdentity();
	const ownFile = join(getLockPath(stateFolder), formatIdentity(self));
	const description = `${hostname()}\n${role}\n`;
	await acquire(stateFolder, self, description);
	const heartbeat = setInterval(() => {
		// `check` notices a missing file, and the next heartbeat tries again after other errors.
		touch(ownFile, description).catch(() => undefined);
	}, heartbeatMs);
	heartbeat.unref();
	return {
		async check() {
			if ((await ifExists(stat(ownFile), missingFileCodes)) !== undefined) return true;
			try {
				await acquire(stateFolder, self, description);
				return true;
			} catch (error) {
				if (error instanceof FolderHeldError) return false;
				if (isMissingFileError(error)) return true;
				throw error;
			}
		},
		async release() {
			clearInterval(heartbeat);
			await ifExists(unlink(ownFile), missingFileCodes);
			await removeIfEmpty(getLockPath(stateFolder));
		},
	};
}

/**
 * Updates the time of a file by the clock of its file system, without needing free disk space.
 * @param description the first two lines of the file; later lines may be those of an earlier holder
 */
async function touch(file: string, description: string): Promise<void> {
	const handle = await open(file, 'r+');
	try {
		const now = new Date();
		if ((await ifExists(handle.write(description, 0), diskFullCodes)) === undefined)
			await handle.utimes(now, now);
	} finally {
		await handle.close();
	}
}

async function acquire(stateFolder: string, self: ProcessIdentity, description: string): Promise<void> {
	const path = getLockPath(stateFolder);
	const draft = `${path}-${self.nonce}`;
	try {
		await ifExists(mkdir(draft, { mode: 0o700 }), ['EEXIST']);
		// On a full disk the file stays empty, which suffices: its name identifies the holder.
		await ifExists(writeFile(join(draft, formatIdentity(self)), description, { mode: 0o600 }), diskFullCodes);
		await takeOver(stateFolder, draft, self, description);
	} finally {
		await rm(draft, { recursive: true, force: true });
	}
}

async function takeOver(
	stateFolder: string,
	draft: string,
	self: ProcessIdentity,
	description: string,
): Promise<void> {
	const path = getLockPath(stateFolder);
	const ownName = formatIdentity(self);
	for (let attempt = 1; attempt <= maxAttempts; attempt++) {
		if (await tryRename(draft, path)) return;
		const names = await listNames(path);
		const owner = findIdentity(names);
		if (owner === undefined) {
			await clearLock(path, names);
			continue;
		}
		const file = join(path, formatIdentity(owner));
		const silenceMs = await measureAge(file, join(draft, ownName));
		if (silenceMs === undefined) continue;
		if (!(await isDead(owner, self, silenceMs)))
			throw new FolderHeldError(stateFolder, await readHolder(file, owner, self));
		// Updates the time before the rename, so that the file never has the new name and the old time.
		if ((await ifExists(touch(file, description).then(() => true))) === undefined) continue;
		if (await tryRename(file, join(path, ownName), ['ENOENT'])) return;
	}
	throw new Error(`could not take ${path}: it changed ${maxAttempts} times meanwhile`);
}

async function isDead(other: ProcessIdentity, self: ProcessIdentity, silenceMs: number): Promise<boolean> {
	return other.scope === self.scope ? hasEnded(other, self) : silenceMs > maxSilenceMs;
}

async function readHolder(
	file: string,
	identity: ProcessIdentity,
	self: ProcessIdentity,
): Promise<FolderHolder> {
	const text = (await ifExists(readFile(file, 'utf8'), [...missingFileCodes, 'EACCES'])) ?? '';
	const [host = '', role] = text.split('\n');
	return {
		pid: identity.pid,
		host: host.slice(0, 255),
		role: role === 'daemon' || role === 'alone' ? role : undefined,
		isElsewhere: identity.scope !== self.scope,
	};
}

function findIdentity(names: readonly string[]): ProcessIdentity | undefined {
	for (const name of names) {
		const identity = parseIdentity(name);
		if (identity !== undefined) return identity;
	}
	return undefined;
}

/** Removes files of other programs, such as a file browser, from a lock without a holder. */
async function clearLock(path: string, names: readonly string[]): Promise<void> {
	for (const name of names) await rm(join(path, name), { recursive: true, force: true });
	// Windows cannot rename onto an empty folder.
	await removeIfEmpty(path);
	const stats = await ifExists(lstat(path));
	if (stats && !stats.isDirectory()) await ifExists(unlink(path));
}

async function tryRename(from: string, to: string, refusals = occupiedCodes): Promise<boolean> {
	return (
		(await ifExists(
			rename(from, to).then(() => true),
			refusals,
		)) ?? false
	);
}

async function listNames(path: string): Promise<string[]> {
	return (await ifExists(readdir(path), missingFileCodes)) ?? [];
}

/** Returns how much older a file is than a new file, in milliseconds by the clock of their file system. */
async function measureAge(file: string, fresh: string): Promise<number | undefined> {
	const stats = await ifExists(Promise.all([stat(file), stat(fresh)]));
	return stats && stats[1].mtimeMs - stats[0].mtimeMs;
}

async function removeIfEmpty(path: string): Promise<void> {
	await ifExists(rmdir(path), ['ENOENT', ...occupiedCodes]);
}
