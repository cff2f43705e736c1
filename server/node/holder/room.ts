/** Where a holder is asked: a folder that only its user may enter, with a socket and a secret in it. */

import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { chmod, type FileHandle, lstat, mkdir, mkdtemp, open, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { errorCode, ifThere } from '../../core/failure.ts';
import { nameOfHolder, thisHolder } from '../journal/holder.ts';
import type { HolderAddress } from '../journal/lockNote.ts';

/** Bytes of the longest path that a Unix socket may have everywhere (104 on macOS, 108 on Linux, with its end). */
const longestSocketPath = 100;
const secretBytes = 32;
/** How the names of folders begin that hold a socket alone. */
export const socketFolderPrefix = 'contextd-';

/** Such a folder, as its owner has it. */
export interface HolderRoom {
	address: HolderAddress;
	secret: Buffer;
	/**
	 * Shows that its owner lives, and makes anew what was removed of it, but for the socket. Gives whether that one
	 * stands. Rejects as the file system does, and with `RoomRefused` where something else stands in its place.
	 */
	keep(): Promise<boolean>;
	/** Removes it. */
	close(): Promise<void>;
}

/** The folder with the rooms of all holders. */
export function roomsFolder(stateDirectory: string): string {
	return join(stateDirectory, 'holders');
}

/** Makes a folder for this process, with a new secret in it; the socket is still to be made. */
export async function makeRoom(stateDirectory: string): Promise<HolderRoom> {
	const self = await thisHolder();
	const rooms = roomsFolder(stateDirectory);
	const folder = join(rooms, self.token);
	const owner = join(folder, nameOfHolder(self));
	const address = { secret: join(folder, 'secret'), ...(await socketFor(folder)) };
	const secret = randomBytes(secretBytes);
	const elsewhere = address.socketFolder;

	async function furnish(): Promise<void> {
		await mkdir(rooms, { recursive: true, mode: 0o700 });
		// A link would have the mode of another folder changed, and a secret laid there.
		requireOwn(rooms, await lstat(rooms), 'isDirectory');
		await chmod(rooms, 0o700);
		await placeFolder(folder);
		await placeFile(address.secret, secret);
		// Whoever clears up after this process finds by it what lies outside of the state folder.
		await placeFile(owner, elsewhere ?? '');
		if (elsewhere !== undefined) await placeFolder(elsewhere);
	}

	try {
		await furnish();
	} catch (error) {
		if (elsewhere !== undefined) await rm(elsewhere, { recursive: true, force: true });
		throw error;
	}
	return {
		address: { socket: address.socket, secret: address.secret },
		secret,
		async keep() {
			await furnish();
			const now = new Date();
			await utimes(owner, now, now);
			return process.platform === 'win32' || (await ifThere(lstat(address.socket))) !== undefined;
		},
		async close() {
			await rm(folder, { recursive: true, force: true });
			if (elsewhere !== undefined) await rm(elsewhere, { recursive: true, force: true });
		},
	};
}

/** Makes a folder that is closed to others, unless there is one. */
async function placeFolder(folder: string): Promise<void> {
	const made = mkdir(folder, { mode: 0o700 }).then(() => true);
	const isNew = await ifThere(made, ['EEXIST']);
	if (isNew) await chmod(folder, 0o700);
	else await requireClosed(folder, 'isDirectory');
}

/** Writes a file that is closed to others, unless it stands there whole. */
async function placeFile(path: string, content: Buffer | string): Promise<void> {
	const found = await ifThere(lstat(path));
	if (found?.size === Buffer.byteLength(content)) return;
	// A disk that was full for a while leaves a part of it.
	await rm(path, { force: true });
	await writeFile(path, content, { flag: 'wx', mode: 0o600 });
}

/** A name for the socket; `socketFolder` is the folder that had to be made for it. */
async function socketFor(folder: string): Promise<{ socket: string; socketFolder?: string }> {
	if (process.platform === 'win32') {
		return { socket: `\\\\.\\pipe\\contextd-${randomBytes(16).toString('hex')}` };
	}
	const socket = join(folder, 'socket');
	if (Buffer.byteLength(socket) <= longestSocketPath) return { socket };
	// By its nature closed to other users.
	const socketFolder = await mkdtemp(join(tmpdir(), socketFolderPrefix));
	return { socket: join(socketFolder, 'socket'), socketFolder };
}

/** What is wrong with a holder's socket, where it is not to be spoken to. */
export class RoomRefused extends Error {}

/**
 * The secret of a holder, once its socket, the folder of that and the file with the secret are known to be this user's
 * own and closed to all others. Rejects with `RoomRefused`, and with `ENOENT` where they are gone.
 */
export async function secretAt({ socket, secret }: HolderAddress): Promise<Buffer> {
	if (process.platform !== 'win32') {
		await requireClosed(dirname(socket), 'isDirectory');
		await requireClosed(socket, 'isSocket');
	} else if (!socket.startsWith('\\\\.\\pipe\\contextd-'))
		throw new RoomRefused(`${socket} is no pipe of contextd`);
	const handle = await openPlain(secret);
	try {
		requireOwn(secret, await handle.stat(), 'isFile', closedToOthers);
		const bytes = Buffer.alloc(secretBytes + 1);
		const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
		if (bytesRead !== secretBytes) throw new RoomRefused(`${secret} holds no secret`);
		return bytes.subarray(0, secretBytes);
	} finally {
		await handle.close();
	}
}

/** Neither a link that leads elsewhere nor a pipe that makes the opener wait; Windows knows neither flag. */
async function openPlain(path: string): Promise<FileHandle> {
	try {
		return await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
	} catch (error) {
		if (errorCode(error) === 'ELOOP') throw new RoomRefused(`${path} is not what it should be`);
		throw error;
	}
}

/** Bits of a mode by which others than the owner may do something. */
const closedToOthers = 0o077;

type Kind = 'isDirectory' | 'isSocket' | 'isFile';

/** Fails with `RoomRefused` where that is not this user's own, of that kind and closed to others. */
export async function requireClosed(path: string, kind: Kind): Promise<void> {
	requireOwn(path, await lstat(path), kind, closedToOthers);
}

/** Fails with `RoomRefused` where that is not this user's own, of that kind, with none of some bits of a mode. */
function requireOwn(path: string, found: Stats, kind: Kind, forbidden = 0): void {
	if (!found[kind]()) throw new RoomRefused(`${path} is not what it should be`);
	if (process.platform === 'win32') return;
	if (found.uid !== process.getuid?.()) throw new RoomRefused(`${path} belongs to another user`);
	if ((found.mode & forbidden) !== 0) throw new RoomRefused(`${path} is open to other users`);
}
