/** Journals of sessions as files in the state folder. */

import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { Failure } from '../../core/failure.ts';
import type { BodyRef, Journal, JournalStore, Logger, Salvaged } from '../../session/ports.ts';
import { type JournalFile, readBodies } from './bodies.ts';
import { storageFailure } from './failure.ts';
import {
	exists,
	journalPath,
	lockPath,
	modifiedAt,
	type OpenFile,
	openFileOnDisk,
	openForReading,
	openForWriting,
	placeFile,
	prepareFolder,
	sessionsFolder,
	syncFolder,
	writeAnew,
} from './folder.ts';
import { followFile } from './follower.ts';
import { encodeFormatLine } from './format.ts';
import { type GroupWriter, groupWriter } from './groupWriter.ts';
import { checkedFile, type OpenedFile, sessionNotFound } from './journalFile.ts';
import { listJournals } from './listing.ts';
import { type Lock, takeLock } from './lock.ts';
import type { HolderAddress } from './lockNote.ts';
import { journalPlaceOf } from './place.ts';
import { readOnlyJournal } from './readOnly.ts';
import { removeJournal } from './removal.ts';
import { replay } from './replay.ts';
import { settleTail } from './tail.ts';

/** What the store of journals is given. */
export interface FileJournalStoreOptions {
	/** The state folder; made at the first journal. */
	directory: string;
	logger: Logger;
	/** How files are opened, where not as usual. */
	openFile?: OpenFile;
	/** Milliseconds between two looks at a journal that is followed. */
	followInterval?: number;
	/** Where this process takes calls of others for the sessions that it holds; absent where it takes none. */
	address?: () => Promise<HolderAddress | undefined>;
}

/** The journals of a state folder, one append-only file a session, each held by one process at a time. */
export function fileJournalStore(options: FileJournalStoreOptions): JournalStore {
	const { directory, logger, openFile = openFileOnDisk, followInterval = 150, address } = options;
	const openHere = new Map<string, Journal>();

	/** Takes the lock of a session and gives it back should what follows fail. */
	async function holding(
		sessionId: string,
		prepare: (path: string, lock: Lock) => Promise<OpenedFile>,
	): Promise<Journal> {
		const path = journalPath(directory, sessionId);
		await prepareFolder(directory);
		let stop: (failure: Failure) => void = () => undefined;
		const lost = (): void =>
			stop(
				new Failure('StorageFailed', `another process took the lock of ${path}`, {
					path,
					sessionId,
					isLost: true,
				}),
			);
		const lock = await takeLock(lockPath(directory, sessionId), sessionId, lost, await address?.());
		try {
			const file = await prepare(path, lock);
			const place = await closingOnFailure(file, () => journalPlaceOf(file, { openFile, lock, logger }));
			const writer = groupWriter(file, place, logger, file.size);
			stop = writer.stop;
			const journal = fileJournal(file, writer, lock, () => {
				if (openHere.get(sessionId) === journal) openHere.delete(sessionId);
			});
			openHere.set(sessionId, journal);
			return journal;
		} catch (error) {
			await lock.release();
			throw error;
		}
	}

	async function openToRead(sessionId: string): Promise<OpenedFile> {
		const path = journalPath(directory, sessionId);
		return checkedFile(await openForReading(openFile, path), path, sessionId);
	}

	return {
		has: (sessionId) => exists(journalPath(directory, sessionId)),

		modifiedAt: (sessionId) => modifiedAt(journalPath(directory, sessionId)),

		create: (sessionId) =>
			holding(sessionId, async (path) => {
				if (await exists(path)) {
					throw storageFailure('create', path, new Error('there is such a file already'));
				}
				await placeFile(openFile, path, encodeFormatLine(sessionId));
				await syncFolder(sessionsFolder(directory));
				return checkedFile(await openForWriting(openFile, path), path, sessionId);
			}),

		async open(sessionId, each, mend = nothing) {
			if (!(await exists(journalPath(directory, sessionId)))) throw sessionNotFound(sessionId);
			return holding(sessionId, async (path, { isFromAfar }) => {
				if (isFromAfar) await writeAnew(openFile, path);
				const file = await checkedFile(await openForWriting(openFile, path), path, sessionId);
				return closingOnFailure(file, async () => {
					const { offset } = await replay(file, file.start, file.size, each);
					return Object.assign(
						file,
						await settleTail(file, offset, file.size, { openFile, logger, each, mend }),
					);
				});
			});
		},

		async follow(sessionId, each, ended = () => undefined, mend = nothing) {
			const file = await openToRead(sessionId);
			return closingOnFailure(file, () => followFile(file, followInterval, { each, ended, mend, logger }));
		},

		async readOnly(sessionId, each) {
			return readOnlyJournal(await openToRead(sessionId), each, logger, nothing);
		},

		async scan(sessionId, each, mend = nothing) {
			const journal = await readOnlyJournal(await openToRead(sessionId), each, logger, mend);
			await journal.close();
		},

		list: () => listJournals(directory, openFile, logger),

		async delete(sessionId) {
			await openHere.get(sessionId)?.close();
			await removeJournal(directory, sessionId);
		},
	};
}

async function closingOnFailure<T>(file: { handle: FileHandle }, use: () => Promise<T>): Promise<T> {
	try {
		return await use();
	} catch (error) {
		await file.handle.close();
		throw error;
	}
}

async function nothing(): Promise<undefined> {
	return undefined;
}

/** A journal over an open file, its writer and the lock that is given back at `close`. */
function fileJournal(
	file: JournalFile & { salvaged?: Salvaged },
	writer: GroupWriter,
	lock: Lock,
	closed: () => void,
): Journal {
	let closing: Promise<void> | undefined;

	async function finish(): Promise<void> {
		await writer.finish();
		try {
			await file.handle.close();
		} finally {
			closed();
			await lock.release();
		}
	}

	return {
		append: writer.append,
		...(file.salvaged && { salvaged: file.salvaged }),
		read: (refs) => readBuffered(file, writer, refs),
		get size() {
			return writer.size();
		},
		close() {
			closing ??= finish();
			return closing;
		},
	};
}

async function readBuffered(
	file: JournalFile,
	writer: GroupWriter,
	refs: readonly BodyRef[],
): Promise<(string | undefined)[]> {
	// All in one turn: a group that reaches the disk while the rest is read would be looked for in vain.
	const buffered = refs.map((ref) => writer.buffered(ref));
	const read = await readBodies(
		file,
		refs.filter((_, index) => buffered[index] === undefined),
	);
	let next = 0;
	return refs.map(({ crc }, index) => {
		const bytes = buffered[index];
		if (bytes === undefined) return read[next++];
		return crc32(bytes) === crc ? bytes.toString('utf8') : undefined;
	});
}
