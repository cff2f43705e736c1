import { LRUCache } from 'lru-cache';
import { getOrInsert } from '../../core/getOrInsert.ts';
import type { ReadEntry } from '../../protocol/recorder.ts';
import {
	decodeBlock,
	decodeDigests,
	digestEntry,
	encodeBlock,
	encodeDigests,
	maxBlockChars,
	type StoredEntry,
} from './blocks.ts';
import { BodyStore } from './bodyStore.ts';
import type { ArchiveRow, PrivateDatabase } from './database.ts';
import { extractLongStrings, insertLongStrings } from './longStrings.ts';

/** The recording that gets new entries, and the seq of the first new entry. */
export interface AppendPoint {
	/** Id of the recording's row in the database. */
	recording: number;
	generation: number;
	fromSeq: number;
}

interface AppendedEntries {
	count: number;
	/** UTF-8 bytes of all texts. */
	bytes: number;
	/** Time of the newest entry; 0 if there is none. */
	newestAt: number;
}

/** A block that new entries are added to. */
interface OpenBlock {
	/** Id of the block's row in the database; undefined if the block is new. */
	id?: number;
	/** Seq of the first entry. */
	firstSeq: number;
	chars: number;
	entries: (StoredEntry | null)[];
	digests: string[];
}

/** Maximum recordings whose digests are cached. */
const maxCachedRecordings = 8;
/** Maximum blocks that one transaction erases. */
const maxErasedBlocks = 16;
/** Maximum bodies that one transaction releases. */
const maxReleasedBodies = 16;

/** Stores the entries of all recordings in blocks. Must be called within a transaction of the archive. */
export class EntryStore {
	readonly #database: PrivateDatabase;
	readonly #bodies: BodyStore;
	/** Digests of all entries, by recording; only for recordings whose transcript has started over. */
	readonly #digests = new LRUCache<number, Set<string>>({ max: maxCachedRecordings });

	constructor(database: PrivateDatabase) {
		this.#database = database;
		this.#bodies = new BodyStore(database);
	}

	/** Clears the cache; call this after a transaction that was not committed. */
	reset(): void {
		this.#digests.clear();
	}

	append(
		{ recording, generation, fromSeq }: AppendPoint,
		entries: readonly Omit<ReadEntry, 'seq'>[],
	): AppendedEntries {
		const appended: AppendedEntries = { count: 0, bytes: 0, newestAt: 0 };
		if (entries.length === 0) return appended;
		const knownDigests = generation > 1 ? this.#readDigests(recording) : undefined;
		let block: OpenBlock | undefined;
		for (const { at, text } of entries) {
			const digest = digestEntry(text);
			if (knownDigests?.has(digest)) continue;
			knownDigests?.add(digest);
			block ??= this.#openLastBlock(recording, fromSeq);
			this.#addTo(block, recording, at, text);
			block.digests.push(digest);
			appended.count++;
			appended.bytes += Buffer.byteLength(text);
			appended.newestAt = Math.max(appended.newestAt, at);
			if (block.chars < maxBlockChars) continue;
			this.#write(recording, block);
			block = createBlock(block.firstSeq + block.entries.length);
		}
		if (block && block.entries.length > 0) this.#write(recording, block);
		return appended;
	}

	*read(recording: number, fromSeq: number): Generator<ReadEntry> {
		const before = this.#database.get(
			'select first from blocks where recording = ? and first <= ? order by first desc limit 1',
			[recording, fromSeq],
		);
		for (let from = Number(before?.first ?? 0); ; ) {
			const block = this.#readBlockFrom(recording, from);
			if (block === undefined) return;
			for (const [index, storedEntry] of block.entries.entries()) {
				const seq = block.firstSeq + index;
				if (seq >= fromSeq && storedEntry !== null)
					yield { seq, at: storedEntry[0], text: this.#restoreText(storedEntry) };
			}
			from = block.firstSeq + block.entries.length;
		}
	}

	/** Erases single entries; returns their number and the bytes of their texts. */
	erase(recording: number, seqs: ReadonlySet<number>): Pick<AppendedEntries, 'count' | 'bytes'> {
		const erased = { count: 0, bytes: 0 };
		const usedBodies = new Set<number>();
		for (let from = 0; ; ) {
			const block = this.#readBlockFrom(recording, from);
			if (block === undefined) break;
			let isChanged = false;
			for (const [index, storedEntry] of block.entries.entries()) {
				if (storedEntry === null) continue;
				if (!seqs.has(block.firstSeq + index)) {
					for (const [, ids] of storedEntry[2] ?? []) for (const id of ids) usedBodies.add(id);
					continue;
				}
				erased.count++;
				erased.bytes += Buffer.byteLength(this.#restoreText(storedEntry));
				block.entries[index] = null;
				isChanged = true;
			}
			if (isChanged) this.#write(recording, block);
			from = block.firstSeq + block.entries.length;
		}
		this.#bodies.release(recording, usedBodies);
		return erased;
	}

	/** Erases the next part of a recording; returns false if nothing was left to erase. */
	eraseSome(recording: number): boolean {
		this.#digests.delete(recording);
		const { changes } = this.#database.run(
			`delete from blocks where id in (select id from blocks where recording = ? limit ${maxErasedBlocks})`,
			[recording],
		);
		return changes > 0 || this.#bodies.releaseSome(recording, maxReleasedBodies);
	}

	#readDigests(recording: number): Set<string> {
		return getOrInsert(this.#digests, recording, () => {
			const rows = this.#database.all('select digests from blocks where recording = ?', [recording]);
			return new Set(rows.flatMap(({ digests }) => decodeDigests(digests as Uint8Array)));
		});
	}

	/** Returns the last block of a recording if that block is not full, else a new block. */
	#openLastBlock(recording: number, nextSeq: number): OpenBlock {
		const row = this.#database.get('select * from blocks where recording = ? order by first desc limit 1', [
			recording,
		]);
		return row !== undefined && Number(row.chars) < maxBlockChars ? rowToBlock(row) : createBlock(nextSeq);
	}

	#readBlockFrom(recording: number, seq: number): OpenBlock | undefined {
		const row = this.#database.get(
			'select * from blocks where recording = ? and first >= ? order by first limit 1',
			[recording, seq],
		);
		return row === undefined ? undefined : rowToBlock(row);
	}

	#addTo(block: OpenBlock, recording: number, at: number, text: string): void {
		const shortened = extractLongStrings(text);
		block.chars += shortened.text.length;
		const bodies = shortened.longStrings.map(({ offset, content }): [number, number[]] => [
			offset,
			this.#bodies.add(recording, content),
		]);
		block.entries.push(bodies.length === 0 ? [at, shortened.text] : [at, shortened.text, bodies]);
	}

	#write(recording: number, { id, firstSeq, chars, entries, digests }: OpenBlock): void {
		this.#database.run(
			`insert or replace into blocks (id, recording, first, count, chars, digests, content)
			 values (?, ?, ?, ?, ?, ?, ?)`,
			[id ?? null, recording, firstSeq, entries.length, chars, encodeDigests(digests), encodeBlock(entries)],
		);
	}

	#restoreText([, text, bodies = []]: StoredEntry): string {
		const longStrings = bodies.map(([offset, ids]) => ({ offset, content: this.#bodies.read(ids) }));
		return insertLongStrings({ text, longStrings });
	}
}

function createBlock(firstSeq: number): OpenBlock {
	return { firstSeq, chars: 0, entries: [], digests: [] };
}

function rowToBlock(row: ArchiveRow): OpenBlock {
	return {
		id: Number(row.id),
		firstSeq: Number(row.first),
		chars: Number(row.chars),
		entries: decodeBlock(row.content as Uint8Array),
		digests: decodeDigests(row.digests as Uint8Array),
	};
}
