/** SQLite databases for tests, on any version of Node. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from 'node-sqlite3-wasm';

/** Returns the bytes of a database file after these statements. */
export async function databaseOf(statements: readonly string[]): Promise<Buffer> {
	const folder = mkdtempSync(join(tmpdir(), 'contextd-test-'));
	try {
		const file = join(folder, 'a.db');
		const database = new Database(file);
		database.exec(['begin', ...statements, 'commit'].join(';'));
		database.close();
		return readFileSync(file);
	} finally {
		rmSync(folder, { recursive: true });
	}
}

/** Returns SQLite's write-ahead log of one commit that turns a database into another one of the same page size. */
export function logBetween(before: Buffer, after: Buffer, salts: readonly [number, number] = [7, 9]): Buffer {
	const pageSize = after.readUInt16BE(16);
	const pages = after.length / pageSize;
	const changed = Array.from({ length: pages }, (_, index) => index).filter((index) => {
		const range = [index * pageSize, (index + 1) * pageSize] as const;
		return !before.subarray(...range).equals(after.subarray(...range));
	});
	let sums: [number, number] = [0, 0];
	const add = (bytes: Buffer): void => {
		for (let position = 0; position < bytes.length; position += 8) {
			const first = (sums[0] + bytes.readUInt32LE(position) + sums[1]) >>> 0;
			sums = [first, (sums[1] + bytes.readUInt32LE(position + 4) + first) >>> 0];
		}
	};
	const words = (...values: number[]): Buffer => {
		const bytes = Buffer.alloc(4 * values.length);
		for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
		return bytes;
	};
	const header = words(0x377f0682, 3_007_000, pageSize, 0, ...salts);
	add(header);
	const log = [header, words(...sums)];
	for (const [order, index] of changed.entries()) {
		const start = words(index + 1, order === changed.length - 1 ? pages : 0);
		const page = after.subarray(index * pageSize, (index + 1) * pageSize);
		add(start);
		add(page);
		log.push(start, words(...salts, ...sums), page);
	}
	return Buffer.concat(log);
}
