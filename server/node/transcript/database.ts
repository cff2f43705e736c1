import { errorCode } from './unreadable.ts';
import { openWasmDatabase } from './wasmDatabase.ts';

/** A row by the names of its columns. */
export type DatabaseRow = Record<string, unknown>;

/** A SQLite database that is read, as it was when it was opened or later. */
export interface ReadDatabase {
	all(sql: string, ...values: string[]): DatabaseRow[];
	close(): void;
}

/** The little of `node:sqlite` that reading needs. */
interface SqliteModule {
	DatabaseSync: new (
		path: string,
		options: { readOnly: boolean; timeout: number },
	) => {
		prepare(sql: string): { all(...values: string[]): DatabaseRow[] };
		close(): void;
	};
}

/** Node's own SQLite; undefined where this version of Node has none. */
async function sqlite(): Promise<SqliteModule | undefined> {
	try {
		// The name is put together so that a bundler leaves it to Node.
		const name = ['node', 'sqlite'].join(':');
		return (await import(name)) as SqliteModule;
	} catch (error) {
		if (errorCode(error) === 'ERR_UNKNOWN_BUILTIN_MODULE') return undefined;
		throw error;
	}
}

/** Milliseconds for which its agent may keep a database locked; where Node knows no such limit, it may not. */
const lockedMs = 1000;

/** Opens a database for reading alone; by WebAssembly, where this version of Node has no SQLite of its own. */
export async function openDatabase(file: string): Promise<ReadDatabase> {
	const module = await sqlite();
	if (!module) return openWasmDatabase(file);
	const database = new module.DatabaseSync(file, { readOnly: true, timeout: lockedMs });
	return {
		all: (sql, ...values) => database.prepare(sql).all(...values),
		close: () => database.close(),
	};
}

/** The rows of one query. */
export async function queryDatabase(file: string, sql: string, ...values: string[]): Promise<DatabaseRow[]> {
	const database = await openDatabase(file);
	try {
		return database.all(sql, ...values);
	} finally {
		database.close();
	}
}
