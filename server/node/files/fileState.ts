import { createHash } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { ifExists, isMissingFileError, missingFileCodes } from '../../core/failure.ts';
import { readByteChunks } from '../disk/readBytes.ts';

/** The state of a file at one moment. */
export interface FileState {
	/** Device, inode number, size and modification time as text. Does not change unless the file is written or replaced. */
	stamp: string;
	/** Device and inode number: changes if another file is renamed over the path. */
	identity: string;
	/** SHA-256 of the bytes; the stamp if the file is too large to hash. */
	contentHash: string;
	isEmpty: boolean;
}

const maxHashedBytes = 8 << 20;

/** Maximum reads of a file that keeps changing; the last read is used. */
const maxTries = 3;

/**
 * Reads the state of a regular file; `undefined` if there is none at the path.
 *
 * Returns `before` without reading the file if its stamp still applies. Throws every error except that of a missing file.
 */
export async function readFileState(path: string, before?: FileState): Promise<FileState | undefined> {
	try {
		let stats = await stat(path, { bigint: true });
		for (let attempt = 1; ; attempt += 1) {
			if (!stats.isFile()) return undefined;
			const stamp = formatStamp(stats);
			if (before?.stamp === stamp) return before;
			const isHashed = stats.size <= maxHashedBytes;
			const contentHash = isHashed ? await hashFile(path, Number(stats.size)) : stamp;
			stats = await stat(path, { bigint: true });
			if (formatStamp(stats) !== stamp && attempt < maxTries) continue;
			return { stamp, identity: formatIdentity(stats), contentHash, isEmpty: stats.size === 0n };
		}
	} catch (error) {
		if (isMissingFileError(error)) return undefined;
		throw error;
	}
}

function formatIdentity(stats: BigIntStats): string {
	return `${stats.dev}:${stats.ino}`;
}

function formatStamp(stats: BigIntStats): string {
	return `${formatIdentity(stats)}:${stats.size}:${stats.mtimeNs}`;
}

/** The state of a folder at one moment. */
export interface FolderState {
	/** Device and inode number: changes if the folder is replaced. */
	identity: string;
	/** When an entry was last created, removed or renamed. */
	entriesChangedAt: bigint;
}

/** Reads the state of a folder; `undefined` if there is no folder. */
export async function readFolderState(path: string): Promise<FolderState | undefined> {
	const stats = await ifExists(stat(path, { bigint: true }), missingFileCodes);
	return stats && { identity: formatIdentity(stats), entriesChangedAt: stats.mtimeNs };
}

async function hashFile(path: string, size: number): Promise<string> {
	const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
	try {
		const hash = createHash('sha256');
		for await (const piece of readByteChunks(handle, 0, size)) hash.update(piece);
		return hash.digest('hex');
	} finally {
		await handle.close();
	}
}
