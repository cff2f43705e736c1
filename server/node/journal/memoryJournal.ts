/** Journals that live in memory alone, for sessions that are not to outlive the daemon. */

import { Failure } from '../../core/failure.ts';
import type { BodyRef, FollowEnd, Journal, JournalStore, StoredRecord } from '../../session/ports.ts';

interface Follower {
	each: (record: StoredRecord) => void;
	ended: (reason: FollowEnd) => void;
}

/** Keeps bodies by where they would stand in a file. */
export interface BodyShelf {
	set(offset: number, body: string): unknown;
	get(offset: number): string | undefined;
}

interface MemoryFile {
	/** As JSON, so that nobody shares an object with the journal, and what JSON drops is dropped here too. */
	records: { json: string; bodies: BodyRef[] }[];
	bodies: BodyShelf;
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
 * @param shelf where the bodies of one session are kept; in memory where absent
 */
export function memoryJournalStore(
	now: () => number = Date.now,
	shelf: () => BodyShelf = () => new Map(),
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
				bodies: shelf(),
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

function stored(file: MemoryFile, value: unknown, bodies: readonly string[]): MemoryFile['records'][number] {
	const json = JSON.stringify(value);
	if (json === undefined) throw new TypeError('a record must be a value that JSON can hold');
	const lineEnd = bodies.findIndex((body) => body.includes('\n'));
	if (lineEnd !== -1) throw new TypeError(`body ${lineEnd} of a record holds a line end`);
	let offset = file.size + json.length + 1;
	const refs = bodies.map((text) => {
		// Memory needs no checksum, and no count of bytes.
		const ref = { offset, length: text.length, crc: 0 };
		file.bodies.set(offset, text);
		offset += text.length + 1;
		return ref;
	});
	file.size = offset;
	const record = { json, bodies: refs };
	file.records.push(record);
	return record;
}

async function handOver(file: MemoryFile, record: MemoryFile['records'][number]): Promise<void> {
	// Followers joined before this record; one who joins in this turn was given it already.
	const followers = [...file.followers];
	await Promise.resolve();
	for (const follower of followers) {
		if (file.followers.has(follower))
			follower.each({ value: JSON.parse(record.json), bodies: record.bodies });
	}
}

function replay(file: MemoryFile, each: (record: StoredRecord) => void): void {
	for (const { json, bodies } of file.records) each({ value: JSON.parse(json), bodies });
}

function readBodies(file: MemoryFile, refs: readonly BodyRef[]): (string | undefined)[] {
	return refs.map(({ offset }) => file.bodies.get(offset));
}

function alreadyThere(sessionId: string): Failure {
	return new Failure('StorageFailed', `there is a session ${JSON.stringify(sessionId)} already`, {
		sessionId,
	});
}

function locked(sessionId: string): Failure {
	return new Failure('SessionLocked', `session ${JSON.stringify(sessionId)} is open already`, { sessionId });
}
