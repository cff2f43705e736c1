/** Journals of sessions as files in the state folder. */

import { crc32 } from 'node:zlib';
import type { BodyRef, Journal, JournalStore, Logger, Salvaged } from '../../session/ports.ts';
import { readBodies, readRange } from './bodies.ts';
import { storageFailure } from './failure.ts';
import {
	exists,
	journalPath,
	modifiedAt,
	type OpenFile,
	openFileOnDisk,
	openForReading,
	openForWriting,
	placeFile,
	prepareFolder,
	sessionsFolder,
	syncFolder,
} from './folder.ts';
import { encodeFormatLine } from './format.ts';
import { GroupWriter } from './groupWriter.ts';
import { HeldBytes, maxHeldBytes } from './heldBytes.ts';
import { checkedFile, type OpenedFile, sessionNotFound } from './journalFile.ts';
import { listJournals } from './listing.ts';
import { journalPlaceOf } from './place.ts';
import { readOnlyJournal } from './readOnly.ts';
import { removeJournal } from './removal.ts';
import { replay } from './replay.ts';
import { settleEnd } from './settle.ts';

/** What the store of journals is given. */
export interface FileJournalStoreOptions {
	/** The state folder; created with the first journal. */
	directory: string;
	logger: Logger;
	/** Opens a file; by default on the disk. */
	openFile?: OpenFile;
	/** Whether this process still owns the state folder; by default it always does. */
	isOwner?(): Promise<boolean>;
}

/**
 * The journals of a state folder, one append-only file a session. They take no locks: one process owns the folder, and
 * opens each journal for writing at most once at a time.
 */
export function fileJournalStore(options: FileJournalStoreOptions): JournalStore {
	const { directory, logger, openFile = openFileOnDisk, isOwner = async () => true } = options;
	const openJournals = new Map<string, Journal>();

	/** A journal that writes to a file which was just opened. */
	async function openedJournal(file: OpenedFile & { salvaged?: Salvaged }): Promise<Journal> {
		const { sessionId } = file;
		const held = await newestBytes(file);
		const place = journalPlaceOf(file, held, { openFile, logger, isOwner });
		const journal = fileJournal(file, held, new GroupWriter(file, held, place, logger), () => {
			if (openJournals.get(sessionId) === journal) openJournals.delete(sessionId);
		});
		openJournals.set(sessionId, journal);
		return journal;
	}

	async function openToRead(sessionId: string): Promise<OpenedFile> {
		const path = journalPath(directory, sessionId);
		return checkedFile(await openForReading(openFile, path), path, sessionId);
	}

	async function openToWrite(sessionId: string): Promise<OpenedFile> {
		const path = journalPath(directory, sessionId);
		if (openJournals.has(sessionId)) throw storageFailure('open', path, new Error('it is open already'));
		return checkedFile(await openForWriting(openFile, path), path, sessionId);
	}

	return {
		has: (sessionId) => exists(journalPath(directory, sessionId)),

		modifiedAt: (sessionId) => modifiedAt(journalPath(directory, sessionId)),

		async create(sessionId) {
			const path = journalPath(directory, sessionId);
			if (await exists(path)) {
				throw storageFailure('create', path, new Error('there is such a file already'));
			}
			await prepareFolder(directory);
			await placeFile(openFile, path, encodeFormatLine(sessionId));
			await syncFolder(sessionsFolder(directory));
			const file = await openToWrite(sessionId);
			return closingOnFailure(file, () => openedJournal(file));
		},

		async open(sessionId, each) {
			if (!(await exists(journalPath(directory, sessionId)))) throw sessionNotFound(sessionId);
			await prepareFolder(directory);
			const file = await openToWrite(sessionId);
			return closingOnFailure(file, async () => {
				const end = await replay(file, file.start, file.size, each);
				return openedJournal(Object.assign(file, await settleEnd(file, end, { openFile, logger })));
			});
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
			await openJournals.get(sessionId)?.close();
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

/** A journal over an open file and its writer; calls `closed` once it is closed. */
function fileJournal(
	file: OpenedFile & { salvaged?: Salvaged },
	held: HeldBytes,
	writer: GroupWriter,
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
			closing ??= writer
				.finish()
				.then(() => file.handle.close())
				.finally(closed);
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
