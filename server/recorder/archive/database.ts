/** Opens a SQLite database that only this process uses. */

import { chmodSync, closeSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { Database, type RunResult, type Statement } from 'node-sqlite3-wasm';
import { rollBackJournal } from './hotJournal.ts';

/** Values of a row, by the names of its columns. */
export type ArchiveRow = Record<string, number | bigint | string | Uint8Array | null>;

/** Values for the placeholders of a statement. */
type BoundValues = readonly (number | string | Uint8Array | null)[];

/** An open database. Prepares each statement once, because preparing takes longer than most runs. All calls block. */
export class PrivateDatabase {
	readonly #database: Database;
	readonly #statements = new Map<string, Statement>();

	constructor(database: Database) {
		this.#database = database;
	}

	get isInTransaction(): boolean {
		return this.#database.inTransaction;
	}

	/** Runs statements that have no placeholders, such as a schema. */
	exec(sql: string): void {
		this.#database.exec(sql);
	}

	all(sql: string, values: BoundValues = []): ArchiveRow[] {
		return this.#use(sql, (statement) => statement.all([...values]) as ArchiveRow[]);
	}

	/** Returns the first row of a query. Reads all rows, because an unfinished statement would keep its lock. */
	get(sql: string, values: BoundValues = []): ArchiveRow | undefined {
		return this.all(sql, values)[0];
	}

	/** Runs a statement that changes rows. */
	run(sql: string, values: BoundValues = []): RunResult {
		return this.#use(sql, (statement) => statement.run([...values]));
	}

	close(): void {
		for (const statement of this.#statements.values()) statement.finalize();
		this.#statements.clear();
		this.#database.close();
	}

	#use<Result>(sql: string, task: (statement: Statement) => Result): Result {
		const statement = this.#statements.get(sql) ?? this.#database.prepare(sql);
		// A failed statement is prepared again, because it would repeat its error.
		this.#statements.delete(sql);
		try {
			const result = task(statement);
			this.#statements.set(sql, statement);
			return result;
		} finally {
			if (!this.#statements.has(sql)) statement.finalize();
		}
	}
}

/**
 * Opens or creates a database that only the user can read and that overwrites erased content.
 *
 * No other process may use the folder: the lock and the unfinished transaction of a killed process are removed.
 * @param schema statements that create missing tables
 */
export function openPrivateDatabase(file: string, schema: string): PrivateDatabase {
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
			-- Avoids locks per transaction, because each creates and removes a folder.
			pragma locking_mode = exclusive;
			pragma temp_store = memory;
			${schema}
		`);
		return new PrivateDatabase(database);
	} catch (error) {
		database.close();
		throw error;
	}
}
