import { createHash, randomBytes } from 'node:crypto';
import { Failure } from '../../core/failure.ts';
import { isWithin } from '../../core/transcript/reading/locations.ts';
import { type ArchiveRow, openPrivateDatabase, type PrivateDatabase } from './database.ts';
import { EntryStore } from './entryStore.ts';
import type {
	ArchiveListener,
	RecordedEntry,
	Recording,
	RecordingFilter,
	RecordingInfo,
	RecordingUpdate,
} from './recording.ts';
import { recordingColumns as columns, recordingOfRow } from './recordingRow.ts';
import { archiveSchema } from './schema.ts';
import { scrubPages } from './scrubPages.ts';

/** Pages that are given back to the disk at a time. */
const vacuumPages = 256;

/**
 * The recordings of transcripts, in a file that only the daemon of the state folder opens.
 *
 * All calls block, so the archive is used in a thread of its own. Each change is a transaction: a crash leaves it complete
 * or without effect.
 */
export class Archive {
	readonly #file: string;
	#database: PrivateDatabase;
	#entries: EntryStore;
	readonly #listeners = new Set<ArchiveListener>();
	/** The first new seq of each recording that the open transaction changed. */
	#added: Map<string, number> | undefined;

	/** Opens or creates the archive. */
	constructor(file: string) {
		this.#file = file;
		this.#database = openPrivateDatabase(file, archiveSchema);
		// The first archives had no sub-agents.
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

	/** Informs the listener after each commit, in this thread, until the returned function is called. */
	listen(listener: ArchiveListener): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	/** Number of recordings. */
	get count(): number {
		return Number(this.#database.get('select count(*) as n from recordings where erasing = 0')?.n);
	}

	/** Recordings, those changed last first. */
	recordings(filter: RecordingFilter = {}): Recording[] {
		const { agent = null, folder, since = Number.MIN_SAFE_INTEGER, parent, limit = -1 } = filter;
		const rows = this.#database.all(
			`select ${columns} from recordings where erasing = 0 and (?1 is null or agent = ?1) and updatedAt >= ?2
			 and (?3 = 0 or parent is ?4) order by updatedAt desc, id desc limit ?5`,
			[agent, since, Number(parent !== undefined), parent ?? null, folder === undefined ? limit : -1],
		);
		const found = rows.map(recordingOfRow);
		if (folder === undefined) return found;
		const inside = found.filter((one) => isWithin(one.folder ?? '', folder));
		return limit < 0 ? inside : inside.slice(0, limit);
	}

	/**
	 * The recording of a name: its id or a unique beginning of that, the agent's id of the session, or the path of the
	 * transcript. The newest one if several have the session or path; undefined if none has.
	 * Fails with `InvalidParams` if a beginning matches several.
	 */
	recording(name: string): Recording | undefined {
		const exact = this.#database.get(
			`select ${columns} from recordings where erasing = 0 and (recordingId = ?1 or sessionId = ?1 or path = ?1)
			 order by recordingId = ?1 desc, updatedAt desc limit 1`,
			[name],
		);
		if (exact !== undefined) return recordingOfRow(exact);
		if (name === '') return undefined;
		const rows = this.#database.all(
			`select ${columns} from recordings where erasing = 0
			 and (substr(recordingId, 1, ?1) = ?2 or substr(sessionId, 1, ?1) = ?2) limit 4`,
			[name.length, name],
		);
		const [found, ...others] = rows.map(recordingOfRow);
		if (found === undefined || others.length === 0) return found;
		const ids = [found, ...others].map(({ recordingId }) => recordingId).join(', ');
		throw new Failure('InvalidParams', `"${name}" is the beginning of several recordings: ${ids}`, {
			name,
		});
	}

	/** The newest recording of the transcript at a path. */
	recordingAt(path: string): Recording | undefined {
		return this.#newestWith('path', path);
	}

	/** The recording whose transcript began with this text, for transcripts that were moved; the newest of several. */
	recordingByStart(firstText: string): Recording | undefined {
		return this.#newestWith('firstDigest', sha256(firstText));
	}

	/** The newest recording of an agent's session. */
	recordingOfSession(agent: string, sessionId: string): Recording | undefined {
		return this.#newestWith('sessionId', sessionId, agent);
	}

	/** Where the follower continues in the transcript of a recording. */
	positionOf(recordingId: string): string | undefined {
		const { position } = this.#rowOf(recordingId, 'position');
		return typeof position === 'string' ? position : undefined;
	}

	/** The position at which the follower continues in a transcript; undefined if the transcript is not recorded. */
	positionAt(path: string): string | undefined {
		const row = this.#database.get(
			'select position from recordings where erasing = 0 and path = ? order by updatedAt desc limit 1',
			[path],
		);
		return typeof row?.position === 'string' ? row.position : undefined;
	}

	/** Creates an empty recording, which is pinned if that of its parent is. */
	create({ agent, label, path, startedAt, ...info }: RecordingInfo): Recording {
		const { sessionId = null, parent = null, title = null, folder = null } = info;
		const recordingId = randomBytes(5).toString('hex');
		const isPinned = parent !== null && this.recordingOfSession(agent, parent)?.pinned === true;
		this.#database.run(
			`insert into recordings
			 (recordingId, agent, label, path, sessionId, parent, title, folder, startedAt, updatedAt, pinned)
			 values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			[
				...[recordingId, agent, label, path, sessionId, parent, title, folder],
				...[startedAt ?? null, startedAt ?? 0, Number(isPinned)],
			],
		);
		return recordingOfRow(this.#rowOf(recordingId, columns));
	}

	/** Changes the description of a recording; absent members stay unchanged. */
	updateInfo(recordingId: string, info: Partial<RecordingInfo>): void {
		const { agent, label, path, sessionId, parent, title, folder, startedAt } = info;
		const named = { agent, label, path, sessionId, parent, title, folder, startedAt };
		const changes = Object.entries(named).flatMap(([name, value]) =>
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
	 * Adds entries after all others, or remembers a position. Returns the number of new entries.
	 *
	 * Once a transcript has started over, entries that the recording already has are not added again.
	 */
	append(recordingId: string, { entries, startsOver, position }: RecordingUpdate): number {
		return this.transaction(() => {
			const row = this.#rowOf(recordingId, 'id, generation, nextSeq, firstDigest');
			const recording = Number(row.id);
			const generation = Number(row.generation) + (startsOver ? 1 : 0);
			const fromSeq = Number(row.nextSeq);
			const added = this.#entries.append({ recording, generation, fromSeq }, entries);
			const [first] = entries;
			const isFirst = first !== undefined && (row.firstDigest === null || startsOver);
			this.#database.run(
				`update recordings set generation = ?, nextSeq = ?, entries = entries + ?, bytes = bytes + ?,
				 updatedAt = max(updatedAt, ?), position = coalesce(?, position), firstDigest = coalesce(?, firstDigest)
				 where id = ?`,
				[
					generation,
					fromSeq + added.count,
					added.count,
					added.bytes,
					added.newestAt,
					position ?? null,
					isFirst ? sha256(first.text) : null,
					recording,
				],
			);
			if (added.count > 0 && this.#added && !this.#added.has(recordingId))
				this.#added.set(recordingId, fromSeq);
			return added.count;
		});
	}

	/** The entries of a recording in order, from a seq on. Only the current block of them is in memory. */
	*entries(recordingId: string, fromSeq = 0): Generator<RecordedEntry> {
		yield* this.#entries.read(Number(this.#rowOf(recordingId, 'id').id), fromSeq);
	}

	/** Pins or unpins a recording. */
	pin(recordingId: string, pinned: boolean): void {
		this.#database.run('update recordings set pinned = ? where recordingId = ?', [
			Number(pinned),
			recordingId,
		]);
	}

	/**
	 * Erases a recording, with all bodies that no other recording uses. Its transcript is not recorded again.
	 * No byte of it remains in the file.
	 */
	forget(recordingId: string): void {
		this.#erase(recordingId, null);
		this.scrub();
	}

	/**
	 * Removes a recording to save space, in steps that need little free space themselves.
	 * Its transcript is recorded again only if it grows beyond `knownBytes`.
	 */
	evict(recordingId: string, knownBytes: number): void {
		this.#erase(recordingId, knownBytes);
	}

	/**
	 * Erases single entries. They are not recorded again if their transcript is rewritten. Bytes of them remain in the file
	 * until `scrub`.
	 */
	forgetEntries(recordingId: string, seqs: readonly number[]): void {
		const recording = Number(this.#rowOf(recordingId, 'id').id);
		this.transaction(() => {
			const { count, bytes } = this.#entries.erase(recording, new Set(seqs));
			this.#database.run('update recordings set entries = entries - ?, bytes = bytes - ? where id = ?', [
				count,
				bytes,
				recording,
			]);
		});
		this.#vacuum();
		for (const listener of this.#listeners) listener.forgotten(recordingId, seqs);
	}

	/**
	 * Stores which recordings are too old, in place of the stored list. Returns since when each of them has been on the list:
	 * the time of the call that added it, at most `now`.
	 */
	updateOverdue(recordingIds: readonly string[], now: number): Map<string, number> {
		return this.transaction(() => {
			const rows = this.#database.all('select recordingId, since from overdue');
			const known = new Map(rows.map(({ recordingId, since }) => [String(recordingId), Number(since)]));
			const overdue = new Map(recordingIds.map((id) => [id, Math.min(known.get(id) ?? now, now)]));
			this.#database.run('delete from overdue');
			for (const entry of overdue) this.#database.run('insert into overdue values (?, ?)', [...entry]);
			return overdue;
		});
	}

	/** Overwrites what SQLite leaves behind. The database is closed meanwhile, since it would restore cached pages. */
	scrub(): void {
		this.#database.close();
		scrubPages(this.#file);
		this.#database = openPrivateDatabase(this.#file, archiveSchema);
		this.#entries = new EntryStore(this.#database);
	}

	/** Whether a transcript of this size was dropped, by its path or its first text. */
	isDropped(path: string, firstText: string, size: number): boolean {
		const row = this.#database.get(
			'select 1 from dropped where digest in (?, ?) and (size is null or size >= ?) limit 1',
			[sha256(path), sha256(firstText), size],
		);
		return row !== undefined;
	}

	/** Whether a session was forgotten, so that its sub-agents are not recorded either. */
	isForgotten(agent: string, sessionId: string): boolean {
		const digest = sessionDigest(agent, sessionId);
		return this.#database.get('select 1 from dropped where digest = ?', [digest]) !== undefined;
	}

	/** Records a transcript only if it grows beyond `knownBytes`. */
	drop(path: string, knownBytes: number): void {
		this.#database.run('insert or replace into dropped (digest, size) values (?, ?)', [
			sha256(path),
			knownBytes,
		]);
	}

	/** Records no sub-agents of a session. */
	dropSession(agent: string, sessionId: string): void {
		this.#database.run('insert or ignore into dropped (digest) values (?)', [
			sessionDigest(agent, sessionId),
		]);
	}

	/** Bytes of the archive on the disk, without those that are free in it. */
	usedBytes(): number {
		const number = (name: string): number =>
			Number(Object.values(this.#database.get(`pragma ${name}`) ?? {})[0]);
		return (number('page_count') - number('freelist_count')) * number('page_size');
	}

	/** Runs work as one transaction: all of it is committed, or nothing. Nested calls join the outer one. */
	transaction<T>(work: () => T): T {
		if (this.#added !== undefined) return work();
		const added = new Map<string, number>();
		this.#added = added;
		let result: T;
		try {
			this.#database.exec('begin immediate');
			result = work();
			this.#database.exec('commit');
		} catch (error) {
			this.#entries.reset();
			if (this.#database.inTransaction) this.#database.exec('rollback');
			throw error;
		} finally {
			this.#added = undefined;
		}
		for (const [recordingId, fromSeq] of added) {
			for (const listener of this.#listeners) listener.added(recordingId, fromSeq);
		}
		return result;
	}

	#erase(recordingId: string, unlessLarger: number | null): void {
		const row = this.#rowOf(recordingId, 'path, firstDigest, agent, sessionId');
		const { path, firstDigest, agent, sessionId } = row;
		const digests = [sha256(String(path)), firstDigest];
		if (unlessLarger === null && typeof sessionId === 'string')
			digests.push(sessionDigest(String(agent), sessionId));
		this.transaction(() => {
			this.#database.run('update recordings set erasing = 1 where recordingId = ?', [recordingId]);
			for (const digest of digests) {
				if (!(digest instanceof Uint8Array)) continue;
				this.#database.run('insert or replace into dropped (digest, size) values (?, ?)', [
					digest,
					unlessLarger,
				]);
			}
		});
		this.#eraseMarked();
		for (const listener of this.#listeners) listener.forgotten(recordingId);
	}

	/** Erases all marked recordings, including those that an earlier process left unfinished. */
	#eraseMarked(): void {
		const rows = this.#database.all('select id from recordings where erasing = 1');
		for (const { id } of rows) {
			while (this.transaction(() => this.#entries.eraseSome(Number(id)))) this.#vacuum();
			this.#database.run('delete from recordings where id = ?', [Number(id)]);
			this.#vacuum();
		}
	}

	/** Gives free pages back to the disk. */
	#vacuum(): void {
		const free = (): number => Number(this.#database.get('pragma freelist_count')?.freelist_count);
		for (let left = free(); left > 0; left = free()) {
			this.#database.exec(`pragma incremental_vacuum(${vacuumPages})`);
			if (free() >= left) break;
		}
	}

	/** Some columns of a recording. Each column that is read takes time. */
	#rowOf(recordingId: string, names: string): ArchiveRow {
		const sql = `select ${names} from recordings where recordingId = ? and erasing = 0`;
		const row = this.#database.get(sql, [recordingId]);
		if (row === undefined)
			throw new Failure('SessionNotFound', `no recording "${recordingId}"`, { recordingId });
		return row;
	}

	#newestWith(
		column: string,
		value: string | Uint8Array,
		agent: string | null = null,
	): Recording | undefined {
		const row = this.#database.get(
			`select ${columns} from recordings where erasing = 0 and ${column} = ?1 and (?2 is null or agent = ?2)
			 order by updatedAt desc limit 1`,
			[value, agent],
		);
		return row && recordingOfRow(row);
	}
}

function sessionDigest(agent: string, sessionId: string): Buffer {
	return sha256(`${agent}\n${sessionId}`);
}

function sha256(text: string): Buffer {
	return createHash('sha256').update(text).digest();
}
