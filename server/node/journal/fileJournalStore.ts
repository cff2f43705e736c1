/** Journals of sessions as files in the state folder. */

import { crc32 } from 'node:zlib';
import { Failure } from '../../core/failure.ts';
import type { BodyRef, Journal, JournalStore, Logger, Salvaged } from '../../session/ports.ts';
import { readBodies, readRange } from './bodies.ts';
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
import { GroupWriter } from './groupWriter.ts';
import { HeldBytes, maxHeldBytes } from './heldBytes.ts';
import { checkedFile, type OpenedFile, sessionNotFound } from './journalFile.ts';
import { listJournals } from './listing.ts';
import { type Lock, takeLock } from './lock.ts';
import type { HolderAddress } from './lockNote.ts';
import { journalPlaceOf } from './place.ts';
import { readOnlyJournal } from './readOnly.ts';
import { removeJournal } from './removal.ts';
import { replay } from './replay.ts';
import { settleEnd } from './settle.ts';

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
		prepare: (path: string, lock: Lock) => Promise<OpenedFile & { salvaged?: Salvaged }>,
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
			const held = await closingOnFailure(file, () => newestBytes(file));
			const place = journalPlaceOf(file, held, { openFile, logger, lock });
			const writer = new GroupWriter(file, held, place, logger);
			stop = (failure) => writer.stop(failure);
			const journal = fileJournal(file, writer, held, lock, () => {
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

		async open(sessionId, each) {
			if (!(await exists(journalPath(directory, sessionId)))) throw sessionNotFound(sessionId);
			return holding(sessionId, async (path, { isFromAfar }) => {
				if (isFromAfar) await writeAnew(openFile, path);
				const file = await checkedFile(await openForWriting(openFile, path), path, sessionId);
				return closingOnFailure(file, async () => {
					const end = await replay(file, file.start, file.size, each);
					return Object.assign(file, await settleEnd(file, end, { openFile, logger }));
				});
			});
		},

		async follow(sessionId, each, ended = () => undefined) {
			const file = await openToRead(sessionId);
			return closingOnFailure(file, () => followFile(file, followInterval, { each, ended, logger }));
		},

		async readOnly(sessionId, each) {
			return readOnlyJournal(await openToRead(sessionId), each, logger);
		},

		async scan(sessionId, each) {
			const journal = await readOnlyJournal(await openToRead(sessionId), each, logger);
			await journal.close();
		},

		list: () => listJournals(directory, openFile, logger),

		async delete(sessionId) {
			await openHere.get(sessionId)?.close();
			await removeJournal(directory, sessionId);
		},
	};
}

/** Closes a file if what is done with it fails. */
async function closingOnFailure<T>(file: OpenedFile, use: () => Promise<T>): Promise<T> {
	try {
		return await use();
	} catch (error) {
		await file.handle.close();
		throw error;
	}
}

/** The newest bytes of a journal, as they are held in memory while it is open. */
async function newestBytes(file: OpenedFile): Promise<HeldBytes> {
	const from = Math.max(0, file.size - maxHeldBytes);
	return new HeldBytes(from, await readRange(file, from, file.size - from));
}

/** A journal over an open file, its writer and the lock that is given back at `close`. */
function fileJournal(
	file: OpenedFile & { salvaged?: Salvaged },
	writer: GroupWriter,
	held: HeldBytes,
	lock: Lock,
	closed: () => void,
): Journal {
	let closing: Promise<void> | undefined;
	const { salvaged } = file;
	return {
		append: (value, bodies) => writer.append(value, bodies),
		read: (refs) => readHeldOrStored(file, held, refs),
		get size() {
			return held.end;
		},
		...(salvaged && { salvaged }),
		close() {
			closing ??= (async () => {
				await writer.finish();
				try {
					await file.handle.close();
				} finally {
					await lock.release();
					closed();
				}
			})();
			return closing;
		},
	};
}

async function readHeldOrStored(
	file: OpenedFile,
	held: HeldBytes,
	refs: readonly BodyRef[],
): Promise<(string | undefined)[]> {
	// All in one turn, since bytes that reach the disk meanwhile may no longer be held.
	const found = refs.map((ref) => held.body(ref));
	const stored = refs.filter((_, index) => found[index] === undefined);
	const read = await readBodies(file, stored);
	let next = 0;
	return refs.map(({ crc }, index) => {
		const bytes = found[index];
		if (bytes === undefined) return read[next++];
		return crc32(bytes) === crc ? bytes.toString('utf8') : undefined;
	});
}
