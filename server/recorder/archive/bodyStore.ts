import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { splitText } from '../../core/output/textSize.ts';
import type { PrivateDatabase } from './database.ts';

/** Maximum characters of a body; a longer string is stored as several bodies. */
const maxBodyChars = 1 << 20;

/**
 * Stores long strings compressed as bodies. A body is stored once for all recordings, and erased when no recording uses it.
 */
export class BodyStore {
	readonly #database: PrivateDatabase;

	constructor(database: PrivateDatabase) {
		this.#database = database;
	}

	/** Stores a string for a recording; returns the ids of the bodies that contain its pieces, in order. */
	add(recording: number, content: string): number[] {
		return Array.from(splitText(content, maxBodyChars), (piece) => {
			const id = this.#storePiece(piece);
			this.#database.run('insert or ignore into uses (recording, body) values (?, ?)', [recording, id]);
			return id;
		});
	}

	/** Returns the string that was stored as these bodies. */
	read(ids: readonly number[]): string {
		return ids.map((id) => this.#readPiece(id)).join('');
	}

	/** Releases all bodies of a recording except those in `stillUsed`. */
	release(recording: number, stillUsed: ReadonlySet<number>): void {
		const rows = this.#database.all('select body from uses where recording = ?', [recording]);
		for (const body of rows.map((row) => Number(row.body)))
			if (!stillUsed.has(body)) this.#releaseOne(recording, body);
	}

	/** Releases up to `count` bodies of a recording; returns false if the recording had none left. */
	releaseSome(recording: number, count: number): boolean {
		const rows = this.#database.all('select body from uses where recording = ? limit ?', [recording, count]);
		for (const { body } of rows) this.#releaseOne(recording, Number(body));
		return rows.length > 0;
	}

	/** Records that a recording no longer uses a body, and erases the body if no other recording uses it. */
	#releaseOne(recording: number, body: number): void {
		this.#database.run('delete from uses where recording = ? and body = ?', [recording, body]);
		const otherUse = this.#database.get('select 1 from uses where body = ? limit 1', [body]);
		if (otherUse === undefined) this.#database.run('delete from bodies where id = ?', [body]);
	}

	#storePiece(piece: string): number {
		const bytes = Buffer.from(piece);
		const digest = createHash('sha256').update(bytes).digest();
		const existing = this.#database.get('select id from bodies where digest = ?', [digest]);
		if (existing !== undefined) return Number(existing.id);
		const { lastInsertRowid } = this.#database.run('insert into bodies (digest, content) values (?, ?)', [
			digest,
			deflateRawSync(bytes),
		]);
		return Number(lastInsertRowid);
	}

	#readPiece(id: number): string {
		const row = this.#database.get('select content from bodies where id = ?', [id]);
		if (!(row?.content instanceof Uint8Array)) throw new Error(`the archive has lost body ${id}`);
		return inflateRawSync(row.content).toString('utf8');
	}
}
