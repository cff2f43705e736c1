/** Whether a journal that is being written still lies where it was opened, whole; and putting it back there. */

import { type BigIntStats, fstatSync, lstatSync, readSync } from 'node:fs';
import { type FileHandle, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode, Failure } from '../../core/failure.ts';
import type { Logger } from '../../session/ports.ts';
import type { JournalFile } from './bodies.ts';
import { moveAside } from './copies.ts';
import { copyStretch } from './copyStretch.ts';
import { storageFailure } from './failure.ts';
import { type OpenFile, openDraft, prepareSessions, syncFolder } from './folder.ts';
import type { Lock } from './lock.ts';

/** A journal's place in its folder. */
export interface JournalPlace {
	/**
	 * Called before each write. Fails with `StorageFailed` where the file is not as long as this process left it, in
	 * bytes, or another process holds the session now; `data.isOutdated` says then that nothing was written yet.
	 */
	expectSize(size: number): Promise<void>;
	/**
	 * Sees to it that the journal's name leads to what this process wrote, `size` bytes, the last of them from `from`
	 * on: a file that was deleted, renamed or replaced is written anew from the one that is open. Fails with
	 * `StorageFailed` where it was cut, or where another process holds the session now.
	 */
	ensure(from: number, size: number): Promise<void>;
}

/** What a journal's place is judged with. */
export interface PlaceOptions {
	openFile: OpenFile;
	lock: Lock;
	logger: Logger;
}

const newline = 0x0a;

// What is asked of the open file here is asked at once, around a write that is waited for: what the system knows of it
// already is told in a tenth of the time that it takes to be asked from another thread.

/** The place of an open journal. `file.handle` becomes another one where the file is written anew. */
export async function journalPlaceOf(
	file: JournalFile,
	{ openFile, lock, logger }: PlaceOptions,
): Promise<JournalPlace> {
	const { path } = file;
	let own = await identityOf(file.handle);
	// Some file systems number a file anew each time that it is asked for.
	const isNumbered = isSame(own, namedBy(path));

	async function putBack(size: number, stranger: BigIntStats | undefined): Promise<void> {
		await prepareSessions(dirname(path));
		if ((await lock.check()) === 'lost') throw notOurs(path, file.sessionId);
		const aside = stranger && (await moveAside(path));
		const draft = `${path}.new`;
		const handle = await openDraft(openFile, draft);
		try {
			await copyStretch(file.handle, handle, { from: 0, to: size });
			await handle.datasync();
			await rename(draft, path);
			await syncFolder(dirname(path));
			own = await identityOf(handle);
		} catch (error) {
			await handle.close();
			throw storageFailure('write anew', path, error);
		}
		const left = file.handle;
		file.handle = handle;
		await left.close();
		logger.warn(
			aside === undefined
				? `${path} was deleted or moved while it was open: it was written anew`
				: `${path} was replaced while it was open: it was written anew, and what stood there is kept as ${aside}`,
		);
	}

	return {
		async expectSize(size) {
			const held = await lock.check();
			const found = sizeOf(file);
			// Where the lock was gone, another holder may have been there, and have left its own file behind.
			const named = held === 'taken anew' ? namedBy(path) : undefined;
			const isReplaced = named !== undefined && isNumbered && !isSame(own, named);
			if (held === 'lost' || isReplaced) throw outdated(path, file.sessionId);
			if (found !== size) throw changed(path, found - size);
		},
		async ensure(from, size) {
			if (byteAt(file, from - 1) !== newline) throw changed(path, -1);
			const named = namedBy(path);
			if (named !== undefined && (!isNumbered || isSame(own, named))) return;
			await putBack(size, named);
		},
	};
}

function sizeOf({ handle, path }: JournalFile): number {
	try {
		return fstatSync(handle.fd).size;
	} catch (error) {
		throw storageFailure('look at', path, error);
	}
}

const oneByte = Buffer.alloc(1);

/** A byte of a file; undefined behind its end. */
function byteAt({ handle, path }: JournalFile, offset: number): number | undefined {
	try {
		return readSync(handle.fd, oneByte, 0, 1, offset) === 1 ? oneByte[0] : undefined;
	} catch (error) {
		throw storageFailure('read', path, error);
	}
}

function identityOf(handle: FileHandle): Promise<BigIntStats> {
	return handle.stat({ bigint: true });
}

function namedBy(path: string): BigIntStats | undefined {
	try {
		return lstatSync(path, { bigint: true, throwIfNoEntry: false });
	} catch (error) {
		if (errorCode(error) === 'ENOTDIR') return undefined;
		throw storageFailure('look at', path, error);
	}
}

function isSame(one: BigIntStats, other: BigIntStats | undefined): boolean {
	return other !== undefined && one.dev === other.dev && one.ino === other.ino;
}

function changed(path: string, by: number): Failure {
	const how = by < 0 ? 'cut' : 'written to by somebody else';
	return new Failure('StorageFailed', `${path} was ${how} while it was open`, { path });
}

function outdated(path: string, sessionId: string): Failure {
	const reason = `another process holds ${path} now, which took this one for dead`;
	return new Failure('StorageFailed', reason, { path, sessionId, isOutdated: true });
}

function notOurs(path: string, sessionId: string): Failure {
	return new Failure('StorageFailed', `${path} is gone, and another process holds the session`, {
		path,
		sessionId,
	});
}
