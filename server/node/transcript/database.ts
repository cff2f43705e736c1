import { stat } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { Failure, ifThere } from '../../core/failure.ts';
import { readWhole } from './openFile.ts';
import { logHeaderBytes, withWriteAheadLog } from './writeAheadLog.ts';

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
function sqlite(): SqliteModule | undefined {
	return process.getBuiltinModule?.('node:sqlite') as SqliteModule | undefined;
}

/** Milliseconds for which its agent may keep a database locked; where Node knows no such limit, it may not. */
const lockedMs = 1000;

/** Opens a database for reading alone; by WebAssembly, where this version of Node has no SQLite of its own. */
export async function openDatabase(file: string): Promise<ReadDatabase> {
	const module = sqlite();
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

/** Bytes of a database that is read: it is held in memory as a whole. */
const largest = 1 << 30;
/** How often files are read again that were exchanged while they were read, and milliseconds between. */
const again = { attempts: 8, pauseMs: 25 };

/** Opens a database as it is now. Fails with `FileUnreadable` where it is too large, or never stands still. */
export async function openWasmDatabase(file: string): Promise<ReadDatabase> {
	const bytes = await contentOf(file);
	const { default: initSqlJs } = await import('sql.js');
	const { Database } = await initSqlJs();
	const database = new Database(bytes);
	return {
		all(sql, ...values) {
			const statement = database.prepare(sql);
			try {
				statement.bind(values);
				const rows = [];
				while (statement.step()) rows.push(statement.getAsObject());
				return rows;
			} finally {
				statement.free();
			}
		},
		close: () => database.close(),
	};
}

/**
 * The database with its log, both of one moment. While a log is in use only copies of what stands in it are written to
 * the database, so that the log as it is after the database was read makes up for them, however much it grew; it must
 * only not have been begun anew. Without a log, the database must stand still.
 */
async function contentOf(file: string): Promise<Buffer> {
	const log = `${file}-wal`;
	for (let attempt = 0; attempt < again.attempts; attempt++) {
		if (attempt > 0) await setTimeout(again.pauseMs);
		const [before, use] = [await stateOf(file), useOfLog(await readLog(log, logHeaderBytes))];
		const main = await readWhole(file, largest);
		const written = await readLog(log, largest);
		if (main.length >= largest) throw unreadable(file, 'it is larger than 1 GiB');
		const isOneMoment = useOfLog(written) === use && (use !== '' || (await stateOf(file)) === before);
		if (isOneMoment) return withWriteAheadLog(main, written);
	}
	throw unreadable(file, 'it changes all the time');
}

/** What tells one use of a log from the next: its header; empty where there is no log. */
function useOfLog(log: Buffer): string {
	return log.length < logHeaderBytes ? '' : log.toString('latin1', 0, logHeaderBytes);
}

async function readLog(path: string, most: number): Promise<Buffer> {
	return (await ifThere(readWhole(path, most))) ?? Buffer.alloc(0);
}

async function stateOf(path: string): Promise<string> {
	const { size, mtimeMs } = await stat(path);
	return `${size}:${mtimeMs}`;
}

function unreadable(path: string, why: string): Failure {
	return new Failure('FileUnreadable', `${path} cannot be read: ${why}`, { path });
}
