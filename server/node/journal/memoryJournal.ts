/** Journals that live in memory alone, for sessions that are not to outlive the daemon. */

import { Failure } from '../../core/failure.ts';
import type { BodyRef, FollowEnd, Journal, JournalStore, StoredRecord } from '../../session/ports.ts';

interface Follower {
	each: (record: StoredRecord) => void;
	ended: (reason: FollowEnd) => void;
}

/** Keeps lines by where they would stand in a file. */
export interface LineShelf {
	set(offset: number, line: string): unknown;
	get(offset: number): string | undefined;
}

/** A record by where its line stands. */
interface MemoryRecord {
	offset: number;
	bodies: BodyRef[];
}

interface MemoryFile {
	records: MemoryRecord[];
	/** Records as JSON, so that nobody shares an object with the journal, and what JSON drops is dropped here too. */
	lines: LineShelf;
	/** UTF-16 units. */
	size: number;
	modifiedAt: number;
	held: boolean;
	followers: Set<Follower>;
}

/**
 * A store that behaves as the one on disk does, but forgets all with the process.
 *
 * @param now milliseconds since the epoch.
 * @param shelf where the lines of one session are kept; in memory where absent
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
			const there = files.get(sessionId);
			if (there !== undefined) throw there.held ? locked(sessionId) : alreadyThere(sessionId);
			const file: MemoryFile = {
				records: [],
				lines: shelf(),
				size: 0,
				modifiedAt: now(),
				held: true,
				followers: new Set(),
			};
			files.set(sessionId, file);
			return memoryJournal(sessionId, file, now);
		},
		async open(sessionId, each) {
			const file = fileOf(sessionId);
			if (file.held) throw locked(sessionId);
			replay(file, each);
			file.held = true;
			return memoryJournal(sessionId, file, now);
		},
		async follow(sessionId, each, ended = () => undefined) {
			const file = fileOf(sessionId);
			replay(file, each);
			const follower = { each, ended };
			file.followers.add(follower);
			return {
				read: async (refs) => readBodies(file, refs),
				catchUp: () => Promise.resolve(),
				close: async () => {
					file.followers.delete(follower);
				},
			};
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
			file.held = false;
			for (const follower of file.followers) follower.ended('deleted');
			file.followers.clear();
		},
	};
}

function memoryJournal(sessionId: string, file: MemoryFile, now: () => number): Journal {
	let closed = false;
	return {
		append(value, bodies) {
			if (closed || !file.held) {
				throw new Failure('StorageFailed', `the journal of session ${JSON.stringify(sessionId)} is closed`);
			}
			const record = stored(file, value, bodies);
			file.modifiedAt = now();
			return { bodies: record.bodies, durable: handOver(file, record) };
		},
		read: async (refs) => readBodies(file, refs),
		get size() {
			return file.size;
		},
		async close() {
			if (!closed) file.held = false;
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
	if (line === undefined) throw new RangeError(`no record stands at ${offset}`);
	return JSON.parse(line);
}

async function handOver(file: MemoryFile, record: MemoryRecord): Promise<void> {
	// Followers joined before this record; one who joins in this turn was given it already.
	const followers = [...file.followers];
	await Promise.resolve();
	for (const follower of followers) {
		if (file.followers.has(follower)) follower.each({ value: recordOf(file, record), bodies: record.bodies });
	}
}

function replay(file: MemoryFile, each: (record: StoredRecord) => void): void {
	for (const record of file.records) each({ value: recordOf(file, record), bodies: record.bodies });
}

function readBodies(file: MemoryFile, refs: readonly BodyRef[]): (string | undefined)[] {
	return refs.map(({ offset }) => file.lines.get(offset));
}

function alreadyThere(sessionId: string): Failure {
	return new Failure('StorageFailed', `there is a session ${JSON.stringify(sessionId)} already`, {
		sessionId,
	});
}

function locked(sessionId: string): Failure {
	return new Failure('SessionLocked', `session ${JSON.stringify(sessionId)} is open already`, { sessionId });
}
