/** Stores journals of sessions as files in the state folder. */

import type { BigIntStats } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText, ifExists } from '../../core/failure.ts';
import type {
	BodyRef,
	Journal,
	JournalEntry,
	JournalStore,
	Logger,
	ReadOnlyJournal,
	StoredRecord,
} from '../../session/ports.ts';
import {
	accessDisk,
	createStorageFailure,
	type OpenFile,
	openFileOnDisk,
	syncFolder,
	writeFileAtomically,
} from '../disk/durableFile.ts';
import { mapInBatches } from '../disk/mapInBatches.ts';
import { readBodies, readRange } from './bodies.ts';
import { journalSuffix } from './fileName.ts';
import {
	getJournalPath,
	getOldLockPath,
	getSessionsFolder,
	openForReading,
	openForWriting,
	pathExists,
	prepareFolder,
	readModifiedAt,
} from './folder.ts';
import { encodeFormatLine } from './format.ts';
import { GroupWriter } from './groupWriter.ts';
import { checkJournalFile, createNotFoundFailure, type OpenedFile } from './journalFile.ts';
import { JournalFileCheck } from './journalFileCheck.ts';
import { JournalTail, maxJournalTailBytes } from './journalTail.ts';
import { replayRecords } from './replay.ts';
import { settleJournalEnd } from './settle.ts';

export interface FileJournalStoreOptions {
	/** The state folder, which is created with the first journal. */
	directory: string;
	logger: Logger;
	/** Opens files; by default on the real disk. */
	openFile?: OpenFile;
	/** Whether this process still owns the state folder; by default always true. */
	isOwner?(): Promise<boolean>;
}

/** What a journal that is open for writing consists of. */
interface WrittenJournal {
	file: OpenedFile;
	tail: JournalTail;
	writer: GroupWriter;
	salvaged?: Journal['salvaged'];
	/** Called once, after the file was closed or could not be closed. */
	onEnd(): void;
}

/** A journal that is open for writing. All calls of `close` return the promise of the first call. */
class FileJournal implements Journal {
	readonly salvaged?: Journal['salvaged'];
	readonly #parts: WrittenJournal;
	#closing: Promise<void> | undefined;

	constructor(parts: WrittenJournal) {
		this.#parts = parts;
		if (parts.salvaged) this.salvaged = parts.salvaged;
	}

	get size(): number {
		return this.#parts.tail.end;
	}

	append(value: unknown, bodies: readonly string[]): ReturnType<Journal['append']> {
		return this.#parts.writer.append(value, bodies);
	}

	read(refs: readonly BodyRef[]): Promise<(string | undefined)[]> {
		return readFromMemoryOrFile(this.#parts.file, this.#parts.tail, refs);
	}

	close(): Promise<void> {
		const { file, writer, onEnd } = this.#parts;
		this.#closing ??= writer
			.finish()
			.then(() => file.handle.close())
			.finally(onEnd);
		return this.#closing;
	}
}

/**
 * Creates the store of the journals in a state folder, with an append-only file for each session.
 *
 * Journals are not locked: one process owns the folder, and has each journal open for writing at most once.
 */
export function createFileJournals(options: FileJournalStoreOptions): JournalStore {
	const { directory, logger, openFile = openFileOnDisk, isOwner = async () => true } = options;
	const openJournals = new Map<string, Journal>();

	/** Creates the journal of an intact file that was just opened. */
	async function createJournal(file: OpenedFile, salvaged?: Journal['salvaged']): Promise<Journal> {
		const from = Math.max(0, file.size - maxJournalTailBytes);
		const tail = new JournalTail(from, await readRange(file, from, file.size - from));
		const check = new JournalFileCheck(file, tail, { openFile, logger, isOwner });
		const writer = new GroupWriter(file, tail, check, logger);
		const onEnd = (): void => void openJournals.delete(file.sessionId);
		const journal = new FileJournal({ file, tail, writer, onEnd, ...(salvaged && { salvaged }) });
		openJournals.set(file.sessionId, journal);
		return journal;
	}

	async function openJournalFile(sessionId: string, openHandle: typeof openForReading): Promise<OpenedFile> {
		const path = getJournalPath(directory, sessionId);
		const handle = await openHandle(openFile, path);
		if (handle === undefined) throw createNotFoundFailure(sessionId);
		return checkJournalFile(handle, path, sessionId);
	}

	async function load(sessionId: string, visit: (record: StoredRecord) => void): Promise<ReadOnlyJournal> {
		const file = await openJournalFile(sessionId, openForReading);
		return closeOnFailure(file, () => readJournal(file, visit, logger));
	}

	return {
		has: (sessionId) => pathExists(getJournalPath(directory, sessionId)),
		readModifiedAt: (sessionId) => readModifiedAt(getJournalPath(directory, sessionId)),
		async create(sessionId) {
			const path = getJournalPath(directory, sessionId);
			if (await pathExists(path)) throw createStorageFailure('create', path, new Error('it already exists'));
			await prepareFolder(directory);
			await writeFileAtomically(openFile, path, encodeFormatLine(sessionId));
			await syncFolder(getSessionsFolder(directory));
			const file = await openJournalFile(sessionId, openForWriting);
			return closeOnFailure(file, () => createJournal(file));
		},
		async open(sessionId, visit) {
			const path = getJournalPath(directory, sessionId);
			if (!(await pathExists(path))) throw createNotFoundFailure(sessionId);
			if (openJournals.has(sessionId))
				throw createStorageFailure('open', path, new Error('it is already open'));
			await prepareFolder(directory);
			const file = await openJournalFile(sessionId, openForWriting);
			return closeOnFailure(file, async () => {
				const end = await replayRecords(file, file.start, file.size, visit);
				return createJournal(file, await settleJournalEnd(file, end, { openFile, logger }));
			});
		},
		openReadOnly: load,
		async scan(sessionId, visit) {
			const journal = await load(sessionId, visit);
			await journal.close();
		},
		list: () => listJournals(directory, openFile, logger),
		async delete(sessionId) {
			await openJournals.get(sessionId)?.close();
			const path = getJournalPath(directory, sessionId);
			if (!(await pathExists(path))) throw createNotFoundFailure(sessionId);
			await accessDisk('remove', path, async () => {
				await rm(path);
				await rm(getOldLockPath(directory, sessionId), { recursive: true, force: true });
				await syncFolder(getSessionsFolder(directory));
			});
		},
	};
}

/** Passes a file's intact records to `visit`, and returns a read-only journal for its bodies. */
async function readJournal(
	file: OpenedFile,
	visit: (record: StoredRecord) => void,
	logger: Logger,
): Promise<ReadOnlyJournal> {
	const { handle, path } = file;
	const statsBefore = await accessDisk('look at', path, () => handle.stat({ bigint: true }));
	const { offset, reason } = await replayRecords(file, file.start, Number(statsBefore.size), visit);
	if (reason === 'damaged') logger.warn(`${path} is damaged from byte ${offset} on`);
	return {
		read: (bodies) => readBodies(file, bodies),
		async isOutdated() {
			const now = await accessDisk('look at', path, () => ifExists(stat(path, { bigint: true })));
			return now === undefined || formatVersionText(now) !== formatVersionText(statsBefore);
		},
		close: () => handle.close(),
	};
}

/** Runs a task, and closes the file if the task fails. */
async function closeOnFailure<T>(file: OpenedFile, use: () => Promise<T>): Promise<T> {
	try {
		return await use();
	} catch (error) {
		await file.handle.close();
		throw error;
	}
}

/** Returns a text that changes whenever the file is written or replaced. */
function formatVersionText({ dev, ino, size, mtimeNs }: BigIntStats): string {
	return [dev, ino, size, mtimeNs].join();
}

async function readFromMemoryOrFile(
	file: OpenedFile,
	tail: JournalTail,
	refs: readonly BodyRef[],
): Promise<(string | undefined)[]> {
	// Memory first: while the file is read, texts may be written to the file and dropped from memory.
	const texts = refs.map((ref) => tail.readBody(ref));
	const missing = refs.filter((_, index) => texts[index] === undefined);
	const storedTexts = (await readBodies(file, missing)).values();
	return texts.map((text) => (text === undefined ? storedTexts.next().value : text));
}

/** Maximum files that are open at once. */
const maxOpenFiles = 32;

/**
 * Lists the journals of a state folder by their first lines.
 * Skips all other files in the folder, including copies of journals under other names.
 */
async function listJournals(directory: string, openFile: OpenFile, logger: Logger): Promise<JournalEntry[]> {
	const folder = getSessionsFolder(directory);
	const folderEntries = await accessDisk('list', folder, () =>
		ifExists(readdir(folder, { withFileTypes: true })),
	);
	const files = (folderEntries ?? []).filter((each) => each.isFile() && each.name.endsWith(journalSuffix));
	return mapInBatches(files, maxOpenFiles, ({ name }) => readEntry(join(folder, name), openFile, logger));
}

async function readEntry(path: string, open: OpenFile, logger: Logger): Promise<JournalEntry | undefined> {
	try {
		const handle = await openForReading(open, path);
		if (handle === undefined) return undefined;
		const { sessionId, size, modifiedAt } = await checkJournalFile(handle, path);
		await handle.close();
		return { sessionId, size, modifiedAt };
	} catch (error) {
		// An unreadable journal must not hide the others.
		logger.debug(`cannot list ${path}: ${errorText(error)}`);
		return undefined;
	}
}
