/**
 * The address of a state folder's daemon. The daemon listens at `daemon.sock` in that folder, unless the path is too
 * long for a socket, other users have access to the folder, or the folder's file system has no sockets. Then it
 * listens in a private temporary folder, and `daemon.address` contains the path.
 *
 * On Windows the daemon listens at a named pipe, and `daemon.address` contains its name and a secret. Untested.
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
import { errorCode, errorText, ifExists, missingFileCodes } from '../core/failure.ts';
import { isFields, tryParseJson } from '../core/shape.ts';
import { LocationRefusedError, maxSocketPathBytes, requireOwnFolder } from '../node/ownFolder.ts';

const isWindows = process.platform === 'win32';
const socketName = 'daemon.sock';
const addressName = 'daemon.address';

export interface SocketAddress {
	/** The path of a Unix socket, or the name of a pipe. */
	path: string;
	/** The secret that a client's hello must contain; on Windows only. */
	secret?: string;
}

/** An address at which a daemon may listen. */
export interface ListenAddress extends SocketAddress {
	/** Returns whether the socket is still there. */
	exists(): Promise<boolean>;
	/** Removes the socket and its files. */
	clear(): Promise<void>;
}

/** Values that determine the address, apart from the state folder. */
export interface SocketOptions {
	/** Value of `XDG_RUNTIME_DIR`. */
	runtimeFolder?: string;
	/** The user that must own the folders; by default the user of this process. */
	uid?: number;
	/** Whether the file system of the state folder has no sockets. */
	isSocketUnsupported?: boolean;
}

/**
 * Returns the address at which the daemon of a state folder listens if it runs; undefined if none can be running.
 * Only connecting shows whether the daemon runs.
 * @throws LocationRefusedError if the folder cannot be read, or if other users own or can open the socket's folder:
 * clients may send keys there
 */
export async function findSocket(
	stateFolder: string,
	uid = process.getuid?.(),
): Promise<SocketAddress | undefined> {
	try {
		const folder = await ifExists(realpath(stateFolder), missingFileCodes);
		if (folder === undefined) return undefined;
		return (await readAddress(folder, uid)) ?? (await findDirectSocket(folder, uid));
	} catch (error) {
		throw errorCode(error) === ''
			? error
			: new LocationRefusedError(`no socket can be used: ${errorText(error)}`);
	}
}

async function readAddress(folder: string, uid: number | undefined): Promise<SocketAddress | undefined> {
	const file = join(folder, addressName);
	// Relays call this often while a daemon starts. Checking first saves the memory of an error for each call.
	const text = existsSync(file) ? await ifExists(readFile(file, 'utf8'), missingFileCodes) : undefined;
	const address = text === undefined ? undefined : tryParseJson(text)?.value;
	if (!isFields(address) || typeof address.path !== 'string') return undefined;
	const { path, secret } = address;
	if (typeof secret === 'string') return { path, secret };
	if (isWindows || (await ifExists(lstat(dirname(path)), missingFileCodes)) === undefined) return undefined;
	await requireOwnFolder(dirname(path), uid);
	return (await ifExists(lstat(path), missingFileCodes)) && { path };
}

async function findDirectSocket(folder: string, uid: number | undefined): Promise<SocketAddress | undefined> {
	const path = join(folder, socketName);
	if (isWindows || !fitsSocket(path) || !existsSync(path)) return undefined;
	return isPrivate(await stat(folder), uid) ? { path } : undefined;
}

/** Creates a state folder with access for its user only, unless the folder exists. @throws LocationRefusedError */
export async function createStateFolder(stateFolder: string): Promise<void> {
	try {
		await mkdir(stateFolder, { recursive: true, mode: 0o700 });
	} catch (error) {
		throw new LocationRefusedError(`no socket can be used: ${errorText(error)}`);
	}
}

/**
 * Returns the path at which a daemon of this state folder would listen; creates a private folder if that path needs
 * one.
 * @throws LocationRefusedError if the daemon could not listen: the state folder is gone, belongs to another user or is
 * read-only, or every path is too long
 */
export async function planSocket(
	stateFolder: string,
	{ runtimeFolder, uid = process.getuid?.(), isSocketUnsupported = false }: SocketOptions = {},
): Promise<string> {
	try {
		// All paths to the folder must lead to the same daemon.
		const folder = await realpath(stateFolder);
		await access(folder, constants.W_OK);
		if (isWindows) return `\\\\.\\pipe\\contextd-${await hashFolder(folder)}-${await createRandomHex(8)}`;
		const status = await stat(folder);
		if (status.uid !== uid) throw new LocationRefusedError(`${folder} belongs to another user`);
		const directPath = join(folder, socketName);
		if (isPrivate(status, uid) && fitsSocket(directPath) && !isSocketUnsupported) return directPath;
		const name = `contextd-${await hashFolder(folder)}`;
		const temporaryPath = join(await chooseTemporaryFolder(runtimeFolder), name, socketName);
		if (!fitsSocket(temporaryPath))
			throw new LocationRefusedError(`${temporaryPath} is too long for a socket`);
		await requireOwnFolder(dirname(temporaryPath), uid);
		return temporaryPath;
	} catch (error) {
		throw errorCode(error) === ''
			? error
			: new LocationRefusedError(`no socket can be used: ${errorText(error)}`);
	}
}

/**
 * Prepares an address to listen at. The caller holds the lock of the state folder, so an existing socket is a
 * leftover.
 * @throws LocationRefusedError
 */
export async function prepareAddress(stateFolder: string, options?: SocketOptions): Promise<ListenAddress> {
	const path = await planSocket(stateFolder, options);
	const addressFile = join(stateFolder, addressName);
	const isElsewhere = dirname(path) !== (await realpath(stateFolder));
	const secret = isWindows ? await createRandomHex(32) : undefined;
	const stats = isWindows ? undefined : await ifExists(lstat(path));
	if (stats && !stats.isSocket()) throw new LocationRefusedError(`${path} exists and is not a socket`);
	await rm(path, { force: true });
	if (isElsewhere) await replaceAtomically(addressFile, JSON.stringify({ path, secret }));
	else await rm(addressFile, { force: true });
	return {
		path,
		...(secret !== undefined && { secret }),
		async exists() {
			if (isElsewhere && (await ifExists(lstat(addressFile))) === undefined) return false;
			return isWindows || ((await ifExists(lstat(path)))?.isSocket() ?? false);
		},
		async clear() {
			await rm(addressFile, { force: true });
			if (isWindows) return;
			await rm(path, { force: true });
			if (isElsewhere) await ifExists(rmdir(dirname(path)), ['ENOENT', 'ENOTEMPTY', 'EEXIST']);
		},
	};
}

function isPrivate({ uid, mode }: { uid: number; mode: number }, user: number | undefined): boolean {
	return uid === user && (mode & 0o077) === 0;
}

function fitsSocket(path: string): boolean {
	return Buffer.byteLength(path) <= maxSocketPathBytes;
}

async function chooseTemporaryFolder(runtimeFolder: string | undefined): Promise<string> {
	if (runtimeFolder === undefined || !isAbsolute(runtimeFolder)) return tmpdir();
	return (await ifExists(stat(runtimeFolder)))?.isDirectory() ? runtimeFolder : tmpdir();
}

/** Replaces a file atomically, so that no process reads half of it. */
async function replaceAtomically(path: string, text: string): Promise<void> {
	const draft = `${path}-${await createRandomHex(8)}`;
	await writeFile(draft, text, { flag: 'wx', mode: 0o600 });
	await rename(draft, path);
}

// The next two functions load `node:crypto` when called: it takes about 1 MB of memory, and most relays never need it.

async function hashFolder(folder: string): Promise<string> {
	const { createHash } = await import('node:crypto');
	return createHash('sha256').update(folder).digest('hex').slice(0, 16);
}

async function createRandomHex(bytes: number): Promise<string> {
	const { randomBytes } = await import('node:crypto');
	return randomBytes(bytes).toString('hex');
}
