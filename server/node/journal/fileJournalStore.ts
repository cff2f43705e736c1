/** Journals of sessions as files in the state folder. */

import { rm } from 'node:fs/promises';
import type { BodyRef, Journal, JournalStore, Logger, Salvaged } from '../../session/ports.ts';
import {
	type OpenFile,
	onStorage,
	openFileOnDisk,
	placeFile,
	storageFailure,
	syncFolder,
} from '../durableFile.ts';
import { readBodies, readRange } from './bodies.ts';
import {
	exists,
	journalPath,
	modifiedAt,
	type OpenFile,
	oldLockPath,
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
import { JournalPlace } from './place.ts';
import { readOnlyJournal } from './readOnly.ts';
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
		const place = new JournalPlace(file, held, { openFile, logger, isOwner });
		const journal = fileJournal(file, held, new GroupWriter(file, held, place, logger), () => {
			if (openJournals.get(sessionId) === journal) openJournals.delete(sessionId);
		});
		openJournals.set(sessionId, journal);
		return journal;
	}

	async function opened(sessionId: string, how: typeof openForReading): Promise<OpenedFile> {
		const path = journalPath(directory, sessionId);
		const handle = await how(openFile, path);
		if (handle === undefined) throw sessionNotFound(sessionId);
		return checkedFile(handle, path, sessionId);
	}

	async function openToWrite(sessionId: string): Promise<OpenedFile> {
		const path = journalPath(directory, sessionId);
		if (openJournals.has(sessionId)) throw storageFailure('open', path, new Error('it is open already'));
		return opened(sessionId, openForWriting);
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
			return readOnlyJournal(await opened(sessionId, openForReading), each, logger);
		},

		async scan(sessionId, each) {
			const journal = await readOnlyJournal(await opened(sessionId, openForReading), each, logger);
			await journal.close();
		},

		list: () => listJournals(directory, openFile, logger),

		async delete(sessionId) {
			await openJournals.get(sessionId)?.close();
			const path = journalPath(directory, sessionId);
			if (!(await exists(path))) throw sessionNotFound(sessionId);
			await onStorage('remove', path, async () => {
				await rm(path);
				await rm(oldLockPath(directory, sessionId), { recursive: true, force: true });
				await syncFolder(sessionsFolder(directory));
			});
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
	const texts = refs.map((ref) => held.text(ref));
	const missing = [...texts.keys()].filter((index) => texts[index] === undefined);
	const stored = await readBodies(
		file,
		missing.map((index) => refs[index]!),
	);
	for (const [place, index] of missing.entries()) texts[index] = stored[place];
	return texts;
}
