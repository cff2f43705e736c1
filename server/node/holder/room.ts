/** Where a holder is asked: a folder that only its user may enter, with a socket and a secret in it. */

import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import {
	chmod,
	type FileHandle,
	lstat,
	mkdir,
	mkdtemp,
	open,
	readdir,
	rm,
	writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { errorCode, ifThere } from '../../core/failure.ts';
import { isGone, nameOfHolder, parseHolder, thisHolder } from '../journal/holder.ts';
import type { HolderAddress } from '../journal/lockNote.ts';

/** Bytes of the longest path that a Unix socket may have everywhere (104 on macOS, 108 on Linux, with its end). */
const longestSocketPath = 100;
const secretBytes = 32;

/** Such a folder, as its owner has it. */
export interface HolderRoom {
	address: HolderAddress;
	secret: Buffer;
	/** Removes it. */
	close(): Promise<void>;
}

function roomsFolder(stateDirectory: string): string {
	return join(stateDirectory, 'holders');
}

/** Makes a folder for this process, with a new secret in it; the socket is still to be made. */
export async function makeRoom(stateDirectory: string): Promise<HolderRoom> {
	const self = await thisHolder();
	const rooms = roomsFolder(stateDirectory);
	await mkdir(rooms, { recursive: true, mode: 0o700 });
	// A link would have the mode of another folder changed, and a secret laid there.
	requireOwn(rooms, await lstat(rooms), 'isDirectory');
	await chmod(rooms, 0o700);
	const folder = join(rooms, self.token);
	await mkdir(folder, { mode: 0o700 });
	await chmod(folder, 0o700);
	const file = join(folder, 'secret');
	const secret = randomBytes(secretBytes);
	await writeFile(file, secret, { flag: 'wx', mode: 0o600 });
	await writeFile(join(folder, nameOfHolder(self)), '', { flag: 'wx', mode: 0o600 });
	const { socket, elsewhere } = await socketIn(folder);
	return {
		address: { socket, secret: file },
		secret,
		async close() {
			await rm(folder, { recursive: true, force: true });
			if (elsewhere !== undefined) await rm(elsewhere, { recursive: true, force: true });
		},
	};
}

/** A name for the socket; `elsewhere` is the folder that had to be made for it. */
async function socketIn(folder: string): Promise<{ socket: string; elsewhere?: string }> {
	if (process.platform === 'win32') {
		return { socket: `\\\\.\\pipe\\contextd-${randomBytes(16).toString('hex')}` };
	}
	const socket = join(folder, 'socket');
	if (Buffer.byteLength(socket) <= longestSocketPath) return { socket };
	// By its nature closed to other users.
	const elsewhere = await mkdtemp(join(tmpdir(), 'contextd-'));
	return { socket: join(elsewhere, 'socket'), elsewhere };
}

/** Removes what processes that died left of their folders. */
export async function clearRooms(stateDirectory: string): Promise<void> {
	const folder = roomsFolder(stateDirectory);
	const self = await thisHolder();
	for (const token of await namesIn(folder)) {
		const room = join(folder, token);
		const owner = (await namesIn(room)).map(parseHolder).find((holder) => holder !== undefined);
		if (owner && (await isGone(owner, self, 0))) await rm(room, { recursive: true, force: true });
	}
}

async function namesIn(folder: string): Promise<string[]> {
	return (await ifThere(readdir(folder), ['ENOENT', 'ENOTDIR', 'EACCES'])) ?? [];
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

async function requireClosed(path: string, kind: Kind): Promise<void> {
	requireOwn(path, await lstat(path), kind, closedToOthers);
}

/** Fails with `RoomRefused` where that is not this user's own, of that kind, with none of some bits of a mode. */
function requireOwn(path: string, found: Stats, kind: Kind, forbidden = 0): void {
	if (!found[kind]()) throw new RoomRefused(`${path} is not what it should be`);
	if (process.platform === 'win32') return;
	if (found.uid !== process.getuid?.()) throw new RoomRefused(`${path} belongs to another user`);
	if ((found.mode & forbidden) !== 0) throw new RoomRefused(`${path} is open to other users`);
}
