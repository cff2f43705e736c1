/** Prepares the location of a channel: a socket that only its user can reach, and a file with the secret. */

import { randomBytes } from 'node:crypto';
import { lstat, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { errorCode, ifExists } from '../core/failure.ts';
import { LocationRefusedError, maxSocketPathBytes, requireOwnFolder } from '../node/ownFolder.ts';
import { getChannelFolder, isSocketAlive, removeDeadMarks } from './answerMarks.ts';

const secretBytes = 32;
const socketSuffix = '.sock';

/** A channel's socket path and secret, ready for a server to listen. */
export interface ChannelLocation {
	socket: string;
	/** The file that holds the secret, in hexadecimal digits. */
	keyFile: string;
	secret: Buffer;
	/** Removes the socket and the file with the secret. */
	clear(): Promise<void>;
}

/** Removes a socket without a listener; refuses any other file at its path. */
async function requireFreeSocket(socket: string): Promise<void> {
	const stats = await ifExists(lstat(socket));
	if (!stats) return;
	if (!stats.isSocket()) throw new LocationRefusedError(`${socket} exists and is not a socket`);
	if (await isSocketAlive(socket)) throw new LocationRefusedError(`another process listens at ${socket}`);
	await rm(socket, { force: true });
}

function getKeyFile(channelFolder: string, socket: string): string {
	return join(channelFolder, `${basename(socket, socketSuffix)}.key`);
}

/** Removes the sockets of killed daemons in a folder, with their secrets. */
async function removeDeadSockets(folder: string, channelFolder: string): Promise<void> {
	for (const name of await readdir(folder)) {
		const socket = join(folder, name);
		const isSocket = name.endsWith(socketSuffix) && (await ifExists(lstat(socket)))?.isSocket();
		if (!isSocket || (await isSocketAlive(socket))) continue;
		await rm(socket, { force: true });
		await rm(getKeyFile(channelFolder, socket), { force: true });
	}
}

/**
 * Prepares a location: the socket's folder (mode 0700, owned by this user), and a new secret in the state folder (mode 0600).
 * Rejects with `LocationRefusedError` if that is not possible.
 * @param socket an absolute path of at most 100 bytes
 */
export async function prepareChannelLocation(socket: string, stateFolder: string): Promise<ChannelLocation> {
	if (process.platform === 'win32')
		throw new LocationRefusedError('such sockets are not supported on Windows');
	if (!isAbsolute(socket)) throw new LocationRefusedError(`expected an absolute path, got ${socket}`);
	if (Buffer.byteLength(socket) > maxSocketPathBytes)
		throw new LocationRefusedError(`the path may have at most ${maxSocketPathBytes} bytes: ${socket}`);
	const channelFolder = getChannelFolder(stateFolder);
	const secret = randomBytes(secretBytes);
	const keyFile = getKeyFile(channelFolder, socket);
	try {
		await requireOwnFolder(dirname(socket));
		await requireOwnFolder(channelFolder);
		await requireFreeSocket(socket);
		await removeDeadSockets(dirname(socket), channelFolder);
		await removeDeadMarks(channelFolder);
		await rm(keyFile, { force: true });
		await writeFile(keyFile, `${secret.toString('hex')}\n`, { flag: 'wx', mode: 0o600 });
	} catch (error) {
		throw errorCode(error) === '' ? error : new LocationRefusedError(String(error));
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
