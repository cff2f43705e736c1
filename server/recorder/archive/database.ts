/** Opens a SQLite database that only this process uses. */

import { chmodSync, closeSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { Database } from 'node-sqlite3-wasm';
import { rollBackJournal } from './hotJournal.ts';

/** Values of a row, by the names of its columns. */
export type ArchiveRow = Record<string, number | bigint | string | Uint8Array | null>;

/**
 * Opens or creates a database that only its owner can read. Erased content is overwritten.
 *
 * The caller must own the folder: what a killed process left behind, a lock and half a transaction, is removed.
 * @param schema statements that create what is missing
 */
export function openOwnDatabase(file: string, schema: string): Database {
	mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
	chmodSync(dirname(file), 0o700);
	rmSync(`${file}.lock`, { recursive: true, force: true });
	rollBackJournal(file);
	closeSync(openSync(file, 'a', 0o600));
	chmodSync(file, 0o600);
	const database = new Database(file);
	try {
		database.exec(`
			pragma auto_vacuum = incremental;
			pragma secure_delete = on;
			pragma journal_mode = truncate;
			-- Each lock and unlock creates and removes a folder.
			pragma locking_mode = exclusive;
			pragma temp_store = memory;
			${schema}
		`);
		return database;
	} catch (error) {
		database.close();
		throw error;
	}
}
