/**
 * Where the daemon of a state folder listens: at `daemon.sock` in that folder. If the path is too long for a socket, others
 * may enter the folder, or its file system has no sockets, then in a private folder for temporary files, and
 * `daemon.address` names it.
 *
 * On Windows the daemon listens at a named pipe, and `daemon.address` holds its name and a secret. Untested.
 */

import { constants, existsSync } from 'node:fs';
import {
	access,
	lstat,
	mkdir,
	readFile,
	realpath,
	rename,
	rm,
	rmdir,
	stat,
	writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { errorCode, errorText, ifThere, missing } from '../core/failure.ts';
import { isFields, parsedJson } from '../core/shape.ts';
import { maxSocketPathBytes, PlaceRefused, requireOwnFolder } from '../node/ownFolder.ts';

const isWindows = process.platform === 'win32';
const socketName = 'daemon.sock';
const addressName = 'daemon.address';

/** How a daemon is reached. */
export interface SocketAddress {
	/** The path of a Unix socket, or the name of a pipe. */
	path: string;
	/** Windows only: what a hello must contain. */
	secret?: string;
}

/** A place at which a daemon may listen. */
export interface SocketPlace extends SocketAddress {
	/** Returns whether the socket is still there. */
	isThere(): Promise<boolean>;
	/** Removes the socket and what belongs to it. */
	clear(): Promise<void>;
}

/** What decides about a place, apart from the state folder. */
export interface PlaceSurroundings {
	/** `XDG_RUNTIME_DIR`. */
	runtimeFolder?: string;
	/** The user that must own the folders; by default the one of this process. */
	uid?: number;
	/** Whether the file system of the state folder has no sockets. */
	isUnfit?: boolean;
}

/**
 * Returns where the daemon of a state folder listens if one runs; undefined if none can run. Whether one answers, only
 * connecting shows.
 * @throws PlaceRefused if the folder cannot be read, or the socket's folder belongs to another user or is open to others:
 * what a client sends there may contain keys
 */
export async function findSocket(
	stateFolder: string,
	uid = process.getuid?.(),
): Promise<SocketAddress | undefined> {
	try {
		const folder = await ifThere(realpath(stateFolder), missing);
		if (folder === undefined) return undefined;
		return (await readAddress(folder, uid)) ?? (await directSocket(folder, uid));
	} catch (error) {
		throw errorCode(error) === '' ? error : new PlaceRefused(`no socket is possible: ${errorText(error)}`);
	}
}

async function readAddress(folder: string, uid: number | undefined): Promise<SocketAddress | undefined> {
	const file = join(folder, addressName);
	// A relay looks many times a second while a daemon starts: an error each time would cost memory.
	const text = existsSync(file) ? await ifThere(readFile(file, 'utf8'), missing) : undefined;
	const address = text === undefined ? undefined : parsedJson(text)?.value;
	if (!isFields(address) || typeof address.path !== 'string') return undefined;
	const { path, secret } = address;
	if (typeof secret === 'string') return { path, secret };
	if (isWindows || (await ifThere(lstat(dirname(path)), missing)) === undefined) return undefined;
	await requireOwnFolder(dirname(path), uid);
	return (await ifThere(lstat(path), missing)) && { path };
}

async function directSocket(folder: string, uid: number | undefined): Promise<SocketAddress | undefined> {
	const path = join(folder, socketName);
	if (isWindows || !fits(path) || !existsSync(path)) return undefined;
	return isPrivate(await stat(folder), uid) ? { path } : undefined;
}

/** Creates a state folder for its user alone, unless it exists. @throws PlaceRefused */
export async function createStateFolder(stateFolder: string): Promise<void> {
	try {
		await mkdir(stateFolder, { recursive: true, mode: 0o700 });
	} catch (error) {
		throw new PlaceRefused(`no socket is possible: ${errorText(error)}`);
	}
}

/**
 * Returns the path at which a daemon of this state folder would listen, and creates a private folder if it needs one.
 * @throws PlaceRefused if it could not listen: the state folder is gone, belongs to another user, is read-only, or every
 * path is too long
 */
export async function planSocketPath(
	stateFolder: string,
	{ runtimeFolder, uid = process.getuid?.(), isUnfit = false }: PlaceSurroundings = {},
): Promise<string> {
	try {
		// Of several paths to the folder, all must lead to one daemon.
		const folder = await realpath(stateFolder);
		await access(folder, constants.W_OK);
		if (isWindows) return `\\\\.\\pipe\\contextd-${await digestOf(folder)}-${await randomHex(8)}`;
		const status = await stat(folder);
		if (status.uid !== uid) throw new PlaceRefused(`${folder} belongs to another user`);
		const direct = join(folder, socketName);
		if (isPrivate(status, uid) && fits(direct) && !isUnfit) return direct;
		const name = `contextd-${await digestOf(folder)}`;
		const elsewhere = join(await temporaryFolder(runtimeFolder), name, socketName);
		if (!fits(elsewhere)) throw new PlaceRefused(`${elsewhere} is too long for a socket`);
		await requireOwnFolder(dirname(elsewhere), uid);
		return elsewhere;
	} catch (error) {
		throw errorCode(error) === '' ? error : new PlaceRefused(`no socket is possible: ${errorText(error)}`);
	}
}

/**
 * Prepares a place to listen at. The caller holds the lock of the state folder: a socket that is there was left behind.
 * @throws PlaceRefused
 */
export async function makeSocketPlace(
	stateFolder: string,
	surroundings?: PlaceSurroundings,
): Promise<SocketPlace> {
	const path = await planSocketPath(stateFolder, surroundings);
	const addressFile = join(stateFolder, addressName);
	const isElsewhere = dirname(path) !== (await realpath(stateFolder));
	const secret = isWindows ? await randomHex(32) : undefined;
	const found = isWindows ? undefined : await ifThere(lstat(path));
	if (found && !found.isSocket()) throw new PlaceRefused(`${path} is in the way: it is not a socket`);
	await rm(path, { force: true });
	if (isElsewhere) await writeWhole(addressFile, JSON.stringify({ path, secret }));
	else await rm(addressFile, { force: true });
	return {
		path,
		...(secret !== undefined && { secret }),
		async isThere() {
			if (isElsewhere && (await ifThere(lstat(addressFile))) === undefined) return false;
			return isWindows || ((await ifThere(lstat(path)))?.isSocket() ?? false);
		},
		async clear() {
			await rm(addressFile, { force: true });
			if (isWindows) return;
			await rm(path, { force: true });
			if (isElsewhere) await ifThere(rmdir(dirname(path)), ['ENOENT', 'ENOTEMPTY', 'EEXIST']);
		},
	};
}

function isPrivate({ uid, mode }: { uid: number; mode: number }, user: number | undefined): boolean {
	return uid === user && (mode & 0o077) === 0;
}

function fits(path: string): boolean {
	return Buffer.byteLength(path) <= maxSocketPathBytes;
}

async function temporaryFolder(runtimeFolder: string | undefined): Promise<string> {
	if (runtimeFolder === undefined || !isAbsolute(runtimeFolder)) return tmpdir();
	return (await ifThere(stat(runtimeFolder)))?.isDirectory() ? runtimeFolder : tmpdir();
}

/** Replaces a file at once, so that nobody reads half of it. */
async function writeWhole(path: string, text: string): Promise<void> {
	const draft = `${path}-${await randomHex(8)}`;
	await writeFile(draft, text, { flag: 'wx', mode: 0o600 });
	await rename(draft, path);
}

// `node:crypto` takes about 1 MB of memory, which a relay saves unless it needs one of these.

async function digestOf(folder: string): Promise<string> {
	const { createHash } = await import('node:crypto');
	return createHash('sha256').update(folder).digest('hex').slice(0, 16);
}

async function randomHex(bytes: number): Promise<string> {
	const { randomBytes } = await import('node:crypto');
	return randomBytes(bytes).toString('hex');
}
