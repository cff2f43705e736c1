import { errorCode } from './unreadable.ts';

/** The little of `node:sqlite` that reading needs. */
interface Database {
	prepare(sql: string): { all(...values: string[]): Record<string, unknown>[] };
	close(): void;
}

interface SqliteModule {
	DatabaseSync: new (path: string, options: { readOnly: boolean }) => Database;
}

/** A row by the names of its columns. */
export type DatabaseRow = Record<string, unknown>;

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

/** Reads rows of a database that is opened for reading alone; undefined where Node has no SQLite. */
export async function queryDatabase(
	file: string,
	sql: string,
	...values: string[]
): Promise<DatabaseRow[] | undefined> {
	const module = await sqlite();
	if (!module) return undefined;
	const database = new module.DatabaseSync(file, { readOnly: true });
	try {
		return database.prepare(sql).all(...values);
	} finally {
		database.close();
	}
}
