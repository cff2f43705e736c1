import { rmSync } from 'node:fs';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { addSpacesToScripts, splitPassages } from '../../core/recall/passages.ts';
import { type ArchiveRow, openPrivateDatabase, type PrivateDatabase } from '../archive/database.ts';
import { scrubPages } from '../archive/scrubPages.ts';
import type { IndexedMessage } from './recordingReader.ts';

/** Version of the tables and their content; an index of another version is rebuilt. */
const indexVersion = 2;

/**
 * Tables of the index.
 *
 * The table `words` stores no texts. Its column `scope` has words for the agent and the folders of a passage, so that a search
 * in one folder is as fast as a search in all folders.
 */
const indexSchema = `
create table if not exists recordings (
	id integer primary key, recordingId text not null unique, nextSeq integer not null default 0);
create table if not exists scopes (id integer primary key, terms text not null unique);
create table if not exists passages (
	id integer primary key, recording integer not null, seq integer not null, messageId text not null,
	key integer not null, digest integer, role text not null, isGenerated integer not null, tool text, path text,
	at integer not null, scope integer not null, content blob not null);
create index if not exists passagesByMessage on passages (recording, key);
create index if not exists passagesInOrder on passages (recording, seq);
create virtual table if not exists words using fts5 (
	text, scope, content = '', columnsize = 0, tokenize = 'porter unicode61 remove_diacritics 2');
`;

/** Statements for a new index, which make SQLite erase removed words at once and not at a later merge. */
const indexSettings = `
insert into words (words, rank) values ('secure-delete', 1);
pragma user_version = ${indexVersion};
`;

/** Size of SQLite's page cache, in KiB. */
const cacheKiB = 8 << 10;
/**
 * Base-2 logarithm of the compression window. Window and level favour speed, because the strongest compression would make
 * the short passages only 5% smaller.
 */
const windowBits = 12;
const zlibOptions = { level: 1, windowBits, memLevel: 6 };

export interface IndexedRecording {
	id: number;
	/** Seq of the first entry that is not in the index. */
	nextSeq: number;
}

/**
 * Reads and writes the file of the index. The index can be derived again from the archive, so a damaged file is deleted. All
 * calls block.
 */
export class IndexStore {
	readonly #file: string;
	#database: PrivateDatabase;

	/** Opens the index. Replaces a damaged file, or a file of another version, with an empty one. */
	constructor(file: string) {
		this.#file = file;
		this.#database = openIndex(file);
	}

	close(): void {
		this.#database.close();
	}

	/** Replaces the file with an empty one. */
	reset(): void {
		this.close();
		removeIndex(this.#file);
		this.#database = openIndex(this.#file);
	}

	/** Begins a transaction unless one is open. */
	begin(): void {
		if (!this.#database.isInTransaction) rethrowDamage(() => this.#database.exec('begin immediate'));
	}

	/** Writes all changes to the disk. */
	commit(): void {
		if (this.#database.isInTransaction) rethrowDamage(() => this.#database.exec('commit'));
	}

	/** Undoes all changes since `begin`. */
	rollback(): void {
		if (this.#database.isInTransaction) rethrowDamage(() => this.#database.exec('rollback'));
	}

	/** Reads the list of recordings in the index, by recording id. */
	readRecordings(): Map<string, IndexedRecording> {
		const rows = this.all('select id, recordingId, nextSeq from recordings');
		return new Map(
			rows.map(({ id, recordingId, nextSeq }) => [
				String(recordingId),
				{ id: Number(id), nextSeq: Number(nextSeq) },
			]),
		);
	}

	/** Returns a recording, which is added to the index if it is new. */
	addRecording(recordingId: string): IndexedRecording {
		this.run('insert or ignore into recordings (recordingId) values (?)', [recordingId]);
		const row = this.all('select id, nextSeq from recordings where recordingId = ?', [recordingId])[0];
		return { id: Number(row?.id), nextSeq: Number(row?.nextSeq) };
	}

	setNextSeq(recording: number, nextSeq: number): void {
		this.run('update recordings set nextSeq = ? where id = ?', [nextSeq, recording]);
	}

	/**
	 * Adds a message with the words of its scope. Skips a message that the index already has with the same id and text.
	 * Replaces a message whose text has grown. If the text has changed otherwise, both versions stay.
	 */
	add(recording: number, scope: string, message: IndexedMessage): void {
		const [key, digest] = [hashText(message.messageId), hashText(message.text)];
		const existingRows = this.all('select id, digest from passages where recording = ? and key = ?', [
			recording,
			key,
		]);
		if (existingRows.some((row) => Number(row.digest) === digest)) return;
		const previous = existingRows.map(({ id }) => Number(id)).sort((one, other) => one - other);
		if (previous.length > 0 && message.text.startsWith(this.#readText(previous))) this.remove(previous);
		for (const [index, text] of splitPassages(message.text).entries()) {
			const { seq, messageId, role, isGenerated, toolName, path, at } = message;
			const { lastInsertRowid } = this.run(
				`insert into passages (recording, seq, messageId, key, digest, role, isGenerated, tool, path, at, scope, content)
				 values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
				[
					...[recording, seq, messageId, key, index === 0 ? digest : null, role, Number(isGenerated)],
					...[toolName ?? null, path ?? null, at, this.#addScope(scope), deflateRawSync(text, zlibOptions)],
				],
			);
			this.run('insert into words (rowid, text, scope) values (?, ?, ?)', [
				Number(lastInsertRowid),
				addSpacesToScripts(text),
				scope,
			]);
		}
	}

	/** Removes passages and their words. */
	remove(ids: readonly number[]): void {
		for (const id of ids) {
			const row = this.all(
				'select content, terms from passages join scopes on scopes.id = scope where passages.id = ?',
				[id],
			)[0];
			if (row === undefined) continue;
			this.run(`insert into words (words, rowid, text, scope) values ('delete', ?, ?, ?)`, [
				id,
				addSpacesToScripts(decodeText(row.content as Uint8Array)),
				String(row.terms),
			]);
			this.run('delete from passages where id = ?', [id]);
		}
	}

	/** Returns the ids of up to `limit` passages of a recording. */
	listPassages(recording: number, limit: number): number[] {
		const rows = this.all('select id from passages where recording = ? limit ?', [recording, limit]);
		return rows.map(({ id }) => Number(id));
	}

	removeRecording(recording: number): void {
		this.run('delete from recordings where id = ?', [recording]);
	}

	/** Overwrites the bytes of removed passages, which SQLite leaves in the file. */
	scrub(): void {
		this.close();
		// With an exclusive lock, SQLite leaves the earlier content of pages in its journal.
		rmSync(`${this.#file}-journal`, { force: true });
		scrubPages(this.#file);
		this.#database = openIndex(this.#file);
	}

	all(sql: string, values: readonly (string | number)[] = []): ArchiveRow[] {
		return rethrowDamage(() => this.#database.all(sql, values));
	}

	run(sql: string, values: readonly (string | number | Uint8Array | null)[]) {
		return rethrowDamage(() => this.#database.run(sql, values));
	}

	#addScope(terms: string): number {
		this.run('insert or ignore into scopes (terms) values (?)', [terms]);
		return Number(this.all('select id from scopes where terms = ?', [terms])[0]?.id);
	}

	#readText(ids: readonly number[]): string {
		return ids
			.map((id) =>
				decodeText(this.all('select content from passages where id = ?', [id])[0]?.content as Uint8Array),
			)
			.join('');
	}
}

/** Decompresses the text of a stored passage. */
export function decodeText(content: Uint8Array): string {
	return inflateRawSync(content, { windowBits }).toString('utf8');
}

/** Opens the index. If that fails for any reason, replaces the file with an empty one. */
function openIndex(file: string): PrivateDatabase {
	try {
		return openIntactIndex(file);
	} catch {
		// If the file is not the cause, the second attempt reports the error.
		removeIndex(file);
		return openIntactIndex(file);
	}
}

function openIntactIndex(file: string): PrivateDatabase {
	const database = openPrivateDatabase(file, `pragma cache_size = -${cacheKiB}; pragma synchronous = normal`);
	try {
		const { user_version: version } = database.get('pragma user_version') ?? {};
		const isNew = Number(database.get('select count(*) as n from sqlite_master')?.n) === 0;
		if (!isNew && version !== indexVersion) throw new DamagedIndexError(`the index has version ${version}`);
		database.exec(indexSchema);
		if (isNew) database.exec(indexSettings);
		// Fails if the structure of the full-text index is damaged.
		database.all(`select rowid from words where words match 'a' limit 1`);
		return database;
	} catch (error) {
		database.close();
		throw error;
	}
}

/** Deletes the file of an index that is not open. */
export function removeIndex(file: string): void {
	for (const suffix of ['', '-journal', '.lock'])
		rmSync(`${file}${suffix}`, { recursive: true, force: true });
}

/** Thrown if the file of the index is damaged. */
export class DamagedIndexError extends Error {}

/** Matches SQLite's messages about a damaged file, but not those about other problems such as a full disk. */
const damagePattern =
	/vtable constructor failed|malformed|not a database|no such (?:table|column)|fts5: corrupt|database corruption/i;

function rethrowDamage<T>(task: () => T): T {
	try {
		return task();
	} catch (error) {
		if (error instanceof Error && damagePattern.test(error.message))
			throw new DamagedIndexError(error.message);
		throw error;
	}
}

/** A message of a recording, without its text. */
export interface RecordingMessage {
	messageId: string;
	/** Seq of the entry that added the message to the recording. */
	seq: number;
	role: string;
	/** Name of the tool, for a tool result. */
	toolName?: string;
	/** The file that the call read or changed, for a tool result whose call has exactly one. */
	path?: string;
	/** When the message was written, in milliseconds since the epoch; 0 if unknown. */
	at: number;
}

/** Converts a row of the table `passages`. */
export function rowToMessage({ messageId, seq, role, tool, path, at }: ArchiveRow): RecordingMessage {
	return {
		messageId: String(messageId),
		seq: Number(seq),
		role: String(role),
		...(tool != null && { toolName: String(tool) }),
		...(path != null && { path: String(path) }),
		at: Number(at),
	};
}

export function hashText(text: string): number {
	let [first, second] = [0x811c9dc5, 0x050c5d1f];
	for (let index = 0; index < text.length; index++) {
		const code = text.charCodeAt(index);
		first = Math.imul(first ^ code, 0x01000193);
		second = Math.imul(second ^ (code + index), 0x01000193);
	}
	return (first >>> 0) * (1 << 20) + (second >>> 12);
}
