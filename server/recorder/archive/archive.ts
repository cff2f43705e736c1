import { createHash, randomBytes } from 'node:crypto';
import { Failure } from '../../core/failure.ts';
import { isWithin } from '../../core/transcript/index.ts';
import type { ReadEntry } from '../../protocol/recorder.ts';
import { type ArchiveRow, openPrivateDatabase, type PrivateDatabase } from './database.ts';
import { EntryStore } from './entryStore.ts';
import {
	type ArchiveListener,
	recordingColumns as columns,
	type Recording,
	type RecordingFilter,
	type RecordingInfo,
	type RecordingUpdate,
	rowToRecording,
} from './recording.ts';
import { archiveSchema } from './schema.ts';
import { scrubPages } from './scrubPages.ts';

/** Pages that one step of a vacuum returns to the disk. */
const vacuumStepPages = 256;

/**
 * Stores the recordings of transcripts, in a file that only the daemon of the state folder opens.
 *
 * All calls block, so the archive has its own thread. Each change is a transaction: after a crash, it is complete or has no
 * effect.
 */
export class Archive {
	readonly #file: string;
	#database: PrivateDatabase;
	#entries: EntryStore;
	readonly #listeners = new Set<ArchiveListener>();
	/** The first new seq of each recording that the open transaction changed; undefined outside of transactions. */
	#addedFrom: Map<string, number> | undefined;

	/** Opens or creates the archive. */
	constructor(file: string) {
		this.#file = file;
		this.#database = openPrivateDatabase(file, archiveSchema);
		// Archives of the first version lack this column.
		if (
			this.#database.get(`select 1 from pragma_table_info('recordings') where name = 'parent'`) === undefined
		)
			this.#database.exec('alter table recordings add column parent text');
		this.#entries = new EntryStore(this.#database);
		this.#eraseMarked();
	}

	close(): void {
		this.#database.close();
	}

	/** Calls the listener after each commit, in this thread. Returns a function that removes the listener. */
	listen(listener: ArchiveListener): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	get recordingCount(): number {
		return Number(this.#database.get('select count(*) as n from recordings where erasing = 0')?.n);
	}

	/** Returns the recordings that match a filter, the last changed one first. */
	listRecordings(filter: RecordingFilter = {}): Recording[] {
		const { agent = null, folder, since = Number.MIN_SAFE_INTEGER, parent, limit = -1 } = filter;
		const rows = this.#database.all(
			`select ${columns} from recordings where erasing = 0 and (?1 is null or agent = ?1) and updatedAt >= ?2
			 and (?3 = 0 or parent is ?4) order by updatedAt desc, id desc limit ?5`,
			[agent, since, Number(parent !== undefined), parent ?? null, folder === undefined ? limit : -1],
		);
		const recordings = rows.map(rowToRecording);
		if (folder === undefined) return recordings;
		const inside = recordings.filter((one) => isWithin(one.folder ?? '', folder));
		return limit < 0 ? inside : inside.slice(0, limit);
	}

	/**
	 * Returns the recording that a user names: by its id or a unique prefix of its id, by the agent's id of the session, or
	 * by the transcript's path. If several have that session or path, returns the newest; undefined if none has.
	 * Fails with `InvalidParams` if several ids begin with the name.
	 */
	findRecording(name: string): Recording | undefined {
		const exactMatch = this.#database.get(
			`select ${columns} from recordings where erasing = 0 and (recordingId = ?1 or sessionId = ?1 or path = ?1)
			 order by recordingId = ?1 desc, updatedAt desc limit 1`,
			[name],
		);
		if (exactMatch !== undefined) return rowToRecording(exactMatch);
		if (name === '') return undefined;
		const rows = this.#database.all(
			`select ${columns} from recordings where erasing = 0
			 and (substr(recordingId, 1, ?1) = ?2 or substr(sessionId, 1, ?1) = ?2) limit 4`,
			[name.length, name],
		);
		const [firstMatch, ...otherMatches] = rows.map(rowToRecording);
		if (firstMatch === undefined || otherMatches.length === 0) return firstMatch;
		const ids = [firstMatch, ...otherMatches].map(({ recordingId }) => recordingId).join(', ');
		throw new Failure('InvalidParams', `the ids of several recordings begin with "${name}": ${ids}`, {
			name,
		});
	}

	/** Returns the newest recording of the transcript at a path; undefined if there is none. */
	findByPath(path: string): Recording | undefined {
		return this.#findNewest('path', path);
	}

	/** Finds moved transcripts: returns the newest recording whose transcript began with this text; undefined if there is none. */
	findByFirstText(firstText: string): Recording | undefined {
		return this.#findNewest('firstDigest', sha256(firstText));
	}

	/** Returns the newest recording of an agent's session; undefined if there is none. */
	findBySession(agent: string, sessionId: string): Recording | undefined {
		return this.#findNewest('sessionId', sessionId, agent);
	}

	/** Returns the follower's position in the transcript of a recording; undefined if none is stored. */
	readPosition(recordingId: string): string | undefined {
		const { position } = this.#readRow(recordingId, 'position');
		return typeof position === 'string' ? position : undefined;
	}

	/** Returns the follower's position in the transcript at a path; undefined if the transcript is not recorded. */
	readPositionAt(path: string): string | undefined {
		const row = this.#database.get(
			'select position from recordings where erasing = 0 and path = ? order by updatedAt desc limit 1',
			[path],
		);
		return typeof row?.position === 'string' ? row.position : undefined;
	}

	/** Creates an empty recording. It is pinned if the recording of its parent session is pinned. */
	create({ agent, label, path, startedAt, ...info }: RecordingInfo): Recording {
		const { sessionId = null, parent = null, title = null, folder = null } = info;
		const recordingId = randomBytes(5).toString('hex');
		const isPinned = parent !== null && this.findBySession(agent, parent)?.pinned === true;
		this.#database.run(
			`insert into recordings
			 (recordingId, agent, label, path, sessionId, parent, title, folder, startedAt, updatedAt, pinned)
			 values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			[
				...[recordingId, agent, label, path, sessionId, parent, title, folder],
				...[startedAt ?? null, startedAt ?? 0, Number(isPinned)],
			],
		);
		return rowToRecording(this.#readRow(recordingId, columns));
	}

	/** Changes the description of a recording; absent members stay unchanged. */
	updateInfo(recordingId: string, info: Partial<RecordingInfo>): void {
		const { agent, label, path, sessionId, parent, title, folder, startedAt } = info;
		const fields = { agent, label, path, sessionId, parent, title, folder, startedAt };
		const changes = Object.entries(fields).flatMap(([name, value]) =>
			value === undefined ? [] : [{ name, value }],
		);
		if (changes.length === 0) return;
		const assignments = changes.map(({ name }) => `${name} = ?`).join(', ');
		this.#database.run(`update recordings set ${assignments} where recordingId = ?`, [
			...changes.map(({ value }) => value),
			recordingId,
		]);
	}

	/**
	 * Appends entries and stores a position. Returns the number of new entries.
	 *
	 * Once a transcript has started over, entries that the recording already has are skipped.
	 */
	append(recordingId: string, { entries, isRestart, position }: RecordingUpdate): number {
		return this.transaction(() => {
			const row = this.#readRow(recordingId, 'id, generation, nextSeq, firstDigest');
			const recording = Number(row.id);
			const generation = Number(row.generation) + (isRestart ? 1 : 0);
			const fromSeq = Number(row.nextSeq);
			const appended = this.#entries.append({ recording, generation, fromSeq }, entries);
			const [first] = entries;
			const isFirst = first !== undefined && (row.firstDigest === null || isRestart);
			this.#database.run(
				`update recordings set generation = ?, nextSeq = ?, entries = entries + ?, bytes = bytes + ?,
				 updatedAt = max(updatedAt, ?), position = coalesce(?, position), firstDigest = coalesce(?, firstDigest)
				 where id = ?`,
				[
					generation,
					fromSeq + appended.count,
					appended.count,
					appended.bytes,
					appended.newestAt,
					position ?? null,
					isFirst ? sha256(first.text) : null,
					recording,
				],
			);
			if (appended.count > 0 && this.#addedFrom && !this.#addedFrom.has(recordingId))
				this.#addedFrom.set(recordingId, fromSeq);
			return appended.count;
		});
	}

	/** Yields the entries of a recording in order, from a seq on. Holds one block of entries in memory. */
	*readEntries(recordingId: string, fromSeq = 0): Generator<ReadEntry> {
		yield* this.#entries.read(Number(this.#readRow(recordingId, 'id').id), fromSeq);
	}

	pin(recordingId: string, pinned: boolean): void {
		this.#database.run('update recordings set pinned = ? where recordingId = ?', [
			Number(pinned),
			recordingId,
		]);
	}

	/**
	 * Erases a recording with all bodies that no other recording uses. No byte of the recording remains in the file, and its
	 * transcript is not recorded again.
	 */
	forget(recordingId: string): void {
		this.#erase(recordingId, null);
		this.scrub();
	}

	/**
	 * Removes a recording to free space, in steps that need little free space. Its transcript is recorded again only if it
	 * grows beyond `knownBytes`.
	 */
	evict(recordingId: string, knownBytes: number): void {
		this.#erase(recordingId, knownBytes);
	}

	/**
	 * Erases single entries, which are not recorded again even if their transcript is rewritten. Some of their bytes remain in
	 * the file until `scrub`.
	 */
	forgetEntries(recordingId: string, seqs: readonly number[]): void {
		const recording = Number(this.#readRow(recordingId, 'id').id);
		this.transaction(() => {
			const { count, bytes } = this.#entries.erase(recording, new Set(seqs));
			this.#database.run('update recordings set entries = entries - ?, bytes = bytes - ? where id = ?', [
				count,
				bytes,
				recording,
			]);
		});
		this.#vacuum();
		for (const listener of this.#listeners) listener.onForgotten(recordingId, seqs);
	}

	/**
	 * Replaces the stored list of recordings that are too old. Returns when each was added to the list, in milliseconds since
	 * the epoch; never later than `now`.
	 */
	updateOverdue(recordingIds: readonly string[], now: number): Map<string, number> {
		return this.transaction(() => {
			const rows = this.#database.all('select recordingId, since from overdue');
			const knownSince = new Map(rows.map(({ recordingId, since }) => [String(recordingId), Number(since)]));
			const overdue = new Map(recordingIds.map((id) => [id, Math.min(knownSince.get(id) ?? now, now)]));
			this.#database.run('delete from overdue');
			for (const entry of overdue) this.#database.run('insert into overdue values (?, ?)', [...entry]);
			return overdue;
		});
	}

	/** Overwrites erased bytes that SQLite leaves in the file. Closes the database first, because SQLite would restore cached pages. */
	scrub(): void {
		this.#database.close();
		scrubPages(this.#file);
		this.#database = openPrivateDatabase(this.#file, archiveSchema);
		this.#entries = new EntryStore(this.#database);
	}

	/** Whether a transcript with this path or first text was dropped, and has not grown beyond its known size. */
	isDropped(path: string, firstText: string, size: number): boolean {
		const row = this.#database.get(
			'select 1 from dropped where digest in (?, ?) and (size is null or size >= ?) limit 1',
			[sha256(path), sha256(firstText), size],
		);
		return row !== undefined;
	}

	/** Whether a session was forgotten, so that its sub-agents are not recorded either. */
	isForgotten(agent: string, sessionId: string): boolean {
		const digest = digestSession(agent, sessionId);
		return this.#database.get('select 1 from dropped where digest = ?', [digest]) !== undefined;
	}

	/** Prevents a transcript from being recorded until it grows beyond `knownBytes`. */
	drop(path: string, knownBytes: number): void {
		this.#database.run('insert or replace into dropped (digest, size) values (?, ?)', [
			sha256(path),
			knownBytes,
		]);
	}

	/** Prevents the sub-agents of a session from being recorded. */
	dropSession(agent: string, sessionId: string): void {
		this.#database.run('insert or ignore into dropped (digest) values (?)', [
			digestSession(agent, sessionId),
		]);
	}

	/** Returns the bytes of the archive that are in use, without free pages in its file. */
	countUsedBytes(): number {
		const number = (name: string): number =>
			Number(Object.values(this.#database.get(`pragma ${name}`) ?? {})[0]);
		return (number('page_count') - number('freelist_count')) * number('page_size');
	}

	/** Runs a task as one transaction: all of its changes are committed, or none. A nested call joins the outer transaction. */
	transaction<T>(task: () => T): T {
		if (this.#addedFrom !== undefined) return task();
		const added = new Map<string, number>();
		this.#addedFrom = added;
		let result: T;
		try {
			this.#database.exec('begin immediate');
			result = task();
			this.#database.exec('commit');
		} catch (error) {
			this.#entries.reset();
			if (this.#database.isInTransaction) this.#database.exec('rollback');
			throw error;
		} finally {
			this.#addedFrom = undefined;
		}
		for (const [recordingId, fromSeq] of added) {
			for (const listener of this.#listeners) listener.onAdded(recordingId, fromSeq);
		}
		return result;
	}

	#erase(recordingId: string, knownBytes: number | null): void {
		const row = this.#readRow(recordingId, 'path, firstDigest, agent, sessionId');
		const { path, firstDigest, agent, sessionId } = row;
		const digests = [sha256(String(path)), firstDigest];
		if (knownBytes === null && typeof sessionId === 'string')
			digests.push(digestSession(String(agent), sessionId));
		this.transaction(() => {
			this.#database.run('update recordings set erasing = 1 where recordingId = ?', [recordingId]);
			for (const digest of digests) {
				if (!(digest instanceof Uint8Array)) continue;
				this.#database.run('insert or replace into dropped (digest, size) values (?, ?)', [
					digest,
					knownBytes,
				]);
			}
		});
		this.#eraseMarked();
		for (const listener of this.#listeners) listener.onForgotten(recordingId);
	}

	/** Erases all recordings that are marked as erasing, including those that a killed process left behind. */
	#eraseMarked(): void {
		const rows = this.#database.all('select id from recordings where erasing = 1');
		for (const { id } of rows) {
			while (this.transaction(() => this.#entries.eraseSome(Number(id)))) this.#vacuum();
			this.#database.run('delete from recordings where id = ?', [Number(id)]);
			this.#vacuum();
		}
	}

	/** Returns free pages of the file to the disk. */
	#vacuum(): void {
		const countFreePages = (): number => Number(this.#database.get('pragma freelist_count')?.freelist_count);
		for (let freePages = countFreePages(); freePages > 0; freePages = countFreePages()) {
			this.#database.exec(`pragma incremental_vacuum(${vacuumStepPages})`);
			if (countFreePages() >= freePages) break;
		}
	}

	/** Reads some columns of a recording; only those that are needed, because each costs time. */
	#readRow(recordingId: string, columnNames: string): ArchiveRow {
		const sql = `select ${columnNames} from recordings where recordingId = ? and erasing = 0`;
		const row = this.#database.get(sql, [recordingId]);
		if (row === undefined)
			throw new Failure('SessionNotFound', `no recording "${recordingId}"`, { recordingId });
		return row;
	}

	#findNewest(
		column: string,
		value: string | Uint8Array,
		agent: string | null = null,
	): Recording | undefined {
		const row = this.#database.get(
			`select ${columns} from recordings where erasing = 0 and ${column} = ?1 and (?2 is null or agent = ?2)
			 order by updatedAt desc limit 1`,
			[value, agent],
		);
		return row && rowToRecording(row);
	}
}

function digestSession(agent: string, sessionId: string): Buffer {
	return sha256(`${agent}\n${sessionId}`);
}

function sha256(text: string): Buffer {
	return createHash('sha256').update(text).digest();
}
