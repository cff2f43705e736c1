/** Journals in memory, for sessions that end with the process. */

import { Failure } from '../../core/failure.ts';
import type { BodyRef, Journal, JournalStore, StoredRecord } from '../../session/ports.ts';

/** Stores lines by their offset in a file that does not exist. */
export interface LineShelf {
	set(offset: number, line: string): unknown;
	get(offset: number): string | undefined;
}

/** A record, by the offset of its line. */
interface MemoryRecord {
	offset: number;
	bodies: BodyRef[];
}

interface MemoryFile {
	records: MemoryRecord[];
	/** Records as JSON, so that the caller shares no object with the journal, and what JSON drops is dropped here too. */
	lines: LineShelf;
	/** UTF-16 units. */
	size: number;
	modifiedAt: number;
	isOpen: boolean;
}

/**
 * A store that behaves as the one on disk, and is gone with the process.
 *
 * @param now milliseconds since the epoch.
 * @param shelf creates what stores the lines of one session; by default in memory
 */
export function memoryJournalStore(
	now: () => number = Date.now,
	shelf: () => LineShelf = () => new Map(),
): JournalStore {
	const files = new Map<string, MemoryFile>();

	function fileOf(sessionId: string): MemoryFile {
		const file = files.get(sessionId);
		if (file !== undefined) return file;
		throw new Failure('SessionNotFound', `there is no session ${JSON.stringify(sessionId)}`, { sessionId });
	}

	return {
		has: async (sessionId) => files.has(sessionId),
		modifiedAt: async (sessionId) => files.get(sessionId)?.modifiedAt,
		async create(sessionId) {
			if (files.has(sessionId)) throw refused(sessionId, 'exists already');
			const file: MemoryFile = {
				records: [],
				lines: shelf(),
				size: 0,
				modifiedAt: now(),
				isOpen: true,
			};
			files.set(sessionId, file);
			return memoryJournal(sessionId, file, now);
		},
		async open(sessionId, each) {
			const file = fileOf(sessionId);
			if (file.isOpen) throw refused(sessionId, 'is open already');
			replay(file, each);
			file.isOpen = true;
			return memoryJournal(sessionId, file, now);
		},
		async readOnly(sessionId, each) {
			const file = fileOf(sessionId);
			const { size } = file;
			replay(file, each);
			return {
				read: async (refs) => readBodies(file, refs),
				isOutdated: async () => files.get(sessionId) !== file || file.size !== size,
				close: async () => undefined,
			};
		},
		async scan(sessionId, each) {
			replay(fileOf(sessionId), each);
		},
		async list() {
			return [...files].map(([sessionId, { size, modifiedAt }]) => ({ sessionId, size, modifiedAt }));
		},
		async delete(sessionId) {
			const file = fileOf(sessionId);
			files.delete(sessionId);
			file.isOpen = false;
		},
	};
}

function memoryJournal(sessionId: string, file: MemoryFile, now: () => number): Journal {
	let closed = false;
	return {
		append(value, bodies) {
			if (closed || !file.isOpen) throw refused(sessionId, 'is closed');
			const record = stored(file, value, bodies);
			file.modifiedAt = now();
			return { bodies: record.bodies, durable: Promise.resolve() };
		},
		read: async (refs) => readBodies(file, refs),
		get size() {
			return file.size;
		},
		async close() {
			if (!closed) file.isOpen = false;
			closed = true;
		},
	};
}

function stored(file: MemoryFile, value: unknown, bodies: readonly string[]): MemoryRecord {
	const json = JSON.stringify(value);
	if (json === undefined) throw new TypeError('a record must be a value that JSON can hold');
	const lineEnd = bodies.findIndex((body) => body.includes('\n'));
	if (lineEnd !== -1) throw new TypeError(`body ${lineEnd} of a record holds a line end`);
	const record: MemoryRecord = { offset: file.size, bodies: [] };
	file.lines.set(record.offset, json);
	let offset = file.size + json.length + 1;
	record.bodies = bodies.map((text) => {
		// Memory needs no checksum, and no count of bytes.
		const ref = { offset, length: text.length, crc: 0 };
		file.lines.set(offset, text);
		offset += text.length + 1;
		return ref;
	});
	file.size = offset;
	file.records.push(record);
	return record;
}

function recordOf({ lines }: MemoryFile, { offset }: MemoryRecord): unknown {
	const line = lines.get(offset);
	if (line === undefined) throw new RangeError(`there is no record at ${offset}`);
	return JSON.parse(line);
}

function replay(file: MemoryFile, each: (record: StoredRecord) => void): void {
	for (const record of file.records) each({ value: recordOf(file, record), bodies: record.bodies });
}

function readBodies(file: MemoryFile, refs: readonly BodyRef[]): (string | undefined)[] {
	return refs.map(({ offset }) => file.lines.get(offset));
}

function refused(sessionId: string, why: string): Failure {
	return new Failure('StorageFailed', `the journal of session ${JSON.stringify(sessionId)} ${why}`, {
		sessionId,
	});
}
