import { createHash } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { ifThere, isMissing, missing } from '../../core/failure.ts';
import { bytesBetween } from './readBytes.ts';

/** What a file was when it was looked at. */
export interface FileState {
	/** Device, file number, bytes and time of change: equal stamps mean that nothing was written. */
	stamp: string;
	/** Which file lies at the path: another one after a rename over it. */
	identity: string;
	/** SHA-256 of the bytes; the stamp where the file is larger than is worth hashing. */
	content: string;
	isEmpty: boolean;
}

const largestHashedBytes = 8 << 20;

/** A file that is being written is read again so often before what was read is taken. */
const mostTries = 3;

/**
 * The state of a regular file; `undefined` when there is none. `before` saves the reading where its stamp
 * still holds. Errors other than absence are thrown.
 */
export async function fileState(path: string, before?: FileState): Promise<FileState | undefined> {
	try {
		let stats = await stat(path, { bigint: true });
		for (let tries = 1; ; tries += 1) {
			if (!stats.isFile()) return undefined;
			const stamp = stampOf(stats);
			if (before?.stamp === stamp) return before;
			const isHashed = stats.size <= largestHashedBytes;
			const content = isHashed ? await hashOf(path, Number(stats.size)) : stamp;
			stats = await stat(path, { bigint: true });
			if (stampOf(stats) !== stamp && tries < mostTries) continue;
			return { stamp, identity: identityOf(stats), content, isEmpty: stats.size === 0n };
		}
	} catch (error) {
		if (isMissing(error)) return undefined;
		throw error;
	}
}

function identityOf(stats: BigIntStats): string {
	return `${stats.dev}:${stats.ino}`;
}

function stampOf(stats: BigIntStats): string {
	return `${identityOf(stats)}:${stats.size}:${stats.mtimeNs}`;
}

/** What a folder was when it was looked at. */
export interface FolderState {
	/** Which folder lies at the path. */
	identity: string;
	/** When something in it was last made, removed or renamed. */
	entriesChangedAt: bigint;
}

/** The state of a folder; `undefined` when there is none. */
export async function folderState(path: string): Promise<FolderState | undefined> {
	const stats = await ifThere(stat(path, { bigint: true }), missing);
	return stats && { identity: identityOf(stats), entriesChangedAt: stats.mtimeNs };
}

async function hashOf(path: string, size: number): Promise<string> {
	const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
	try {
		const hash = createHash('sha256');
		for await (const piece of bytesBetween(handle, 0, size)) hash.update(piece);
		return hash.digest('hex');
	} finally {
		await handle.close();
	}
}
