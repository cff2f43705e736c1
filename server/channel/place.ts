/** Where a channel is: a socket that only its user reaches, and a file with the secret. */

import { randomBytes } from 'node:crypto';
import { lstat, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { errorCode, ifThere } from '../core/failure.ts';
import { maxSocketPathBytes, PlaceRefused, requireOwnFolder } from '../node/ownFolder.ts';
import { channelFolder, clearDeadMarks, isAlive } from './answered.ts';

const secretBytes = 32;
const socketSuffix = '.sock';

/** A place that is ready to be listened at. */
export interface ChannelPlace {
	socket: string;
	/** The file that holds the secret, in hexadecimal digits. */
	keyFile: string;
	secret: Buffer;
	/** Removes both. */
	clear(): Promise<void>;
}

/** Removes a socket that nobody listens at; refuses anything else that bears the name. */
async function requireFree(socket: string): Promise<void> {
	const found = await ifThere(lstat(socket));
	if (!found) return;
	if (!found.isSocket()) throw new PlaceRefused(`${socket} is there, and no socket`);
	if (await isAlive(socket)) throw new PlaceRefused(`another process listens at ${socket}`);
	await rm(socket, { force: true });
}

function keyFileOf(keys: string, socket: string): string {
	return join(keys, `${basename(socket, socketSuffix)}.key`);
}

/** Whether a socket is there; one that another daemon takes away meanwhile is not. */
async function isSocket(path: string): Promise<boolean> {
	return (await ifThere(lstat(path)))?.isSocket() ?? false;
}

/** Removes the sockets of a folder at which nobody listens, with their secrets: their daemons were killed. */
async function clearDead(folder: string, keys: string): Promise<void> {
	for (const name of await readdir(folder)) {
		const socket = join(folder, name);
		if (!name.endsWith(socketSuffix) || !(await isSocket(socket)) || (await isAlive(socket))) continue;
		await rm(socket, { force: true });
		await rm(keyFileOf(keys, socket), { force: true });
	}
}

/**
 * Makes a place ready: the socket's folder, 0700 and ours, and a new secret below the state folder, 0600. Rejects with
 * `PlaceRefused` where that cannot be.
 * @param socket an absolute path, of 100 bytes at most
 */
export async function makePlace(socket: string, stateFolder: string): Promise<ChannelPlace> {
	if (process.platform === 'win32') throw new PlaceRefused('there are no such sockets on Windows');
	if (!isAbsolute(socket)) throw new PlaceRefused(`expected an absolute path, got ${socket}`);
	if (Buffer.byteLength(socket) > maxSocketPathBytes)
		throw new PlaceRefused(`a path of ${maxSocketPathBytes} bytes at most is needed, ${socket} is longer`);
	const keys = channelFolder(stateFolder);
	const secret = randomBytes(secretBytes);
	const keyFile = keyFileOf(keys, socket);
	try {
		await requireOwnFolder(dirname(socket));
		await requireOwnFolder(keys);
		await requireFree(socket);
		await clearDead(dirname(socket), keys);
		await clearDeadMarks(keys);
		await rm(keyFile, { force: true });
		await writeFile(keyFile, `${secret.toString('hex')}\n`, { flag: 'wx', mode: 0o600 });
	} catch (error) {
		throw errorCode(error) === '' ? error : new PlaceRefused(String(error));
	}
	return {
		socket,
		keyFile,
		secret,
		async clear() {
			await rm(socket, { force: true });
			await rm(keyFile, { force: true });
		},
	};
}
