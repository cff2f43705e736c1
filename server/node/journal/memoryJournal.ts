/** Stores journals in memory, for sessions that end with the process. */

import { Failure } from '../../core/failure.ts';
import { findPluginAgent } from '../../core/transcript/index.ts';
import type { BodyRef, Journal, JournalStore, StoredRecord } from '../../session/ports.ts';

/** Stores lines by their offset, as if they were in a file. */
export interface LineStorage {
	set(offset: number, line: string): unknown;
	get(offset: number): string | undefined;
}

interface MemoryFile {
	/** Offsets of the records' lines, and references to their bodies. */
	records: { offset: number; bodies: BodyRef[] }[];
	/** Records as JSON, so that the caller shares no objects with the journal, and gets the same values as from disk. */
	lines: LineStorage;
	/** Size of all lines in UTF-16 units. */
	size: number;
	/** When a record was last appended, in milliseconds since the epoch. */
	modifiedAt: number;
	isOpen: boolean;
}

/**
 * Creates a store that behaves like the store on disk, but ends with the process.
 *
 * @param now returns the current time in milliseconds since the epoch
 * @param createLineStorage creates the storage for the lines of a session; by default in memory
 */
export function createMemoryJournals(
	now: () => number = Date.now,
	createLineStorage: () => LineStorage = () => new Map(),
): JournalStore {
	const files = new Map<string, MemoryFile>();

	function requireFile(sessionId: string): MemoryFile {
		const file = files.get(sessionId);
		if (file !== undefined) return file;
		throw new Failure('SessionNotFound', `there is no session ${JSON.stringify(sessionId)}`, { sessionId });
	}

	function openFile(sessionId: string, file: MemoryFile): Journal {
		if (file.isOpen) throw createStorageRefusal(sessionId, 'is already open');
		file.isOpen = true;
		let isClosed = false;
		return {
			append(value, bodies) {
				if (isClosed || !file.isOpen) throw createStorageRefusal(sessionId, 'is closed');
				file.modifiedAt = now();
				return { bodies: appendRecord(file, value, bodies), durable: Promise.resolve() };
			},
			read: async (refs) => readBodies(file, refs),
			get size() {
				return file.size;
			},
			async close() {
				if (!isClosed) file.isOpen = false;
				isClosed = true;
			},
		};
	}

	return {
		has: async (sessionId) => files.has(sessionId),
		readModifiedAt: async (sessionId) => files.get(sessionId)?.modifiedAt,
		async create(sessionId) {
			if (files.has(sessionId)) throw createStorageRefusal(sessionId, 'already exists');
			const file = { records: [], lines: createLineStorage(), size: 0, modifiedAt: now(), isOpen: false };
			files.set(sessionId, file);
			return openFile(sessionId, file);
		},
		async open(sessionId, visit) {
			const file = requireFile(sessionId);
			const journal = openFile(sessionId, file);
			replay(file, visit);
			return journal;
		},
		async openReadOnly(sessionId, visit) {
			const file = requireFile(sessionId);
			const { size } = file;
			replay(file, visit);
			return {
				read: async (refs) => readBodies(file, refs),
				isOutdated: async () => files.get(sessionId) !== file || file.size !== size,
				close: async () => undefined,
			};
		},
		scan: async (sessionId, visit) => replay(requireFile(sessionId), visit),
		list: async () =>
			[...files].map(([sessionId, { size, modifiedAt }]) => ({ sessionId, size, modifiedAt })),
		async delete(sessionId) {
			requireFile(sessionId).isOpen = false;
			files.delete(sessionId);
		},
	};
}

function appendRecord(file: MemoryFile, value: unknown, bodies: readonly string[]): BodyRef[] {
	const json = JSON.stringify(value);
	if (json === undefined) throw new TypeError('a record must be a JSON value');
	const lineEnd = bodies.findIndex((body) => body.includes('\n'));
	if (lineEnd !== -1) throw new TypeError(`body ${lineEnd} of a record contains a line end`);
	const [{ offset }, ...refs] = [json, ...bodies].map((line) => {
		// Memory needs neither a checksum nor a byte count.
		const ref = { offset: file.size, length: line.length, crc: 0 };
		file.lines.set(file.size, line);
		file.size += line.length + 1;
		return ref;
	}) as [BodyRef, ...BodyRef[]];
	file.records.push({ offset, bodies: refs });
	return refs;
}

function replay({ records, lines }: MemoryFile, visit: (record: StoredRecord) => void): void {
	for (const { offset, bodies } of records) {
		const line = lines.get(offset);
		if (line === undefined) throw new RangeError(`there is no record at ${offset}`);
		visit({ value: JSON.parse(line), bodies });
	}
}

function readBodies(file: MemoryFile, refs: readonly BodyRef[]): (string | undefined)[] {
	return refs.map(({ offset }) => file.lines.get(offset));
}

function createStorageRefusal(sessionId: string, problem: string): Failure {
	const reason = `the journal of session ${JSON.stringify(sessionId)} ${problem}`;
	return new Failure('StorageFailed', reason, { sessionId });
}

/**
 * Combines two stores: sessions of plugins are in `pluginJournals`, all others in `ownJournals`. Other sessions in
 * `pluginJournals` can be listed and scanned, but not opened.
 * @param pluginJournals a daemon's store, to which plugins feed their sessions
 */
export function addPluginSessions(ownJournals: JournalStore, pluginJournals: JournalStore): JournalStore {
	const chooseStore = (sessionId: string): JournalStore =>
		findPluginAgent(sessionId) === undefined ? ownJournals : pluginJournals;
	return {
		has: (sessionId) => chooseStore(sessionId).has(sessionId),
		readModifiedAt: (sessionId) => chooseStore(sessionId).readModifiedAt(sessionId),
		create: (sessionId) => chooseStore(sessionId).create(sessionId),
		open: (sessionId, visit) => chooseStore(sessionId).open(sessionId, visit),
		openReadOnly: (sessionId, visit) => chooseStore(sessionId).openReadOnly(sessionId, visit),
		async scan(sessionId, visit) {
			return ((await ownJournals.has(sessionId)) ? ownJournals : pluginJournals).scan(sessionId, visit);
		},
		delete: (sessionId) => chooseStore(sessionId).delete(sessionId),
		list: async () => [...(await ownJournals.list()), ...(await pluginJournals.list())],
	};
}
