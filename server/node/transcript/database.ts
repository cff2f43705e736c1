import { rmSync } from 'node:fs';
import { mkdtemp, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Database } from 'node-sqlite3-wasm';
import { Failure, ifExists } from '../../core/failure.ts';
import { readWholeFile } from './openFile.ts';
import { applyWriteAheadLog, logHeaderBytes } from './writeAheadLog.ts';

/** The values of a row, by column name. */
export type DatabaseRow = Record<string, unknown>;

/** A SQLite database that is open for reading. Later queries may see later content. */
export interface ReadDatabase {
	all(sql: string, ...values: string[]): DatabaseRow[];
	close(): void;
}

/** The part of `node:sqlite` that is used for reading. */
interface SqliteModule {
	DatabaseSync: new (
		path: string,
		options: { readOnly: boolean; timeout: number },
	) => {
		prepare(sql: string): { all(...values: string[]): DatabaseRow[] };
		close(): void;
	};
}

/** Returns Node's own SQLite; undefined if this version of Node has none. */
function loadSqlite(): SqliteModule | undefined {
	return process.getBuiltinModule?.('node:sqlite') as SqliteModule | undefined;
}

/** Milliseconds to wait for a database that its agent has locked. Versions of Node without this option do not wait. */
const lockTimeoutMs = 1000;

/** Opens a database read-only. Uses SQLite in WebAssembly if this version of Node has no SQLite. */
export async function openDatabase(file: string): Promise<ReadDatabase> {
	const module = loadSqlite();
	if (!module) return openWasmDatabase(file);
	const database = new module.DatabaseSync(file, { readOnly: true, timeout: lockTimeoutMs });
	return {
		all: (sql, ...values) => database.prepare(sql).all(...values),
		close: () => database.close(),
	};
}

/** Opens a database, runs a query, and returns its rows. */
export async function queryDatabase(file: string, sql: string, ...values: string[]): Promise<DatabaseRow[]> {
	const database = await openDatabase(file);
	try {
		return database.all(sql, ...values);
	} finally {
		database.close();
	}
}

/** Maximum bytes of a database that is copied and read with WebAssembly. */
const maxDatabaseBytes = 1 << 30;
/** Attempts to read files that change during the read, and the pause before each further attempt. */
const retries = { attempts: 8, pauseMs: 25 };

/**
 * Opens a copy of a database as it is now. Only this process can read the copy; `close` removes it. Fails with
 * `FileUnreadable` if the database is too large or keeps changing.
 */
export async function openWasmDatabase(file: string): Promise<ReadDatabase> {
	const bytes = await readMergedContent(file);
	const sqlite3 = await import('node-sqlite3-wasm');
	const folder = await mkdtemp(join(tmpdir(), 'contextd-'));
	const removeCopy = (): void => rmSync(folder, { recursive: true, force: true });
	let database: Database | undefined;
	const close = (): void => {
		database?.close();
		removeCopy();
	};
	try {
		const copy = join(folder, 'copy.sqlite');
		await writeFile(copy, bytes, { mode: 0o600 });
		const opened = new sqlite3.Database(copy, { readOnly: true });
		// The first read takes an exclusive lock for good, so SQLite never needs the file's name again.
		database = opened;
		opened.exec('pragma locking_mode = exclusive; select count(*) from sqlite_master');
		if (process.platform !== 'win32') removeCopy();
		return { all: (sql, ...values) => opened.all(sql, values), close };
	} catch (error) {
		close();
		throw error;
	}
}

/**
 * Reads a database and its write-ahead log as they were at one moment, and merges them.
 *
 * While a log is in use, SQLite writes only content of the log to the database. A log that is read after the database thus has
 * all changes, unless it was restarted in between. Without a log, the database must not change during the read.
 */
async function readMergedContent(file: string): Promise<Buffer> {
	const log = `${file}-wal`;
	for (let attempt = 0; attempt < retries.attempts; attempt++) {
		if (attempt > 0) await setTimeout(retries.pauseMs);
		const [before, logId] = [await readState(file), readLogId(await readLog(log, logHeaderBytes))];
		const mainBytes = await readWholeFile(file, maxDatabaseBytes);
		const logBytes = await readLog(log, maxDatabaseBytes);
		if (mainBytes.length >= maxDatabaseBytes) throw createUnreadableFailure(file, 'it is larger than 1 GiB');
		const isOneMoment = readLogId(logBytes) === logId && (logId !== '' || (await readState(file)) === before);
		if (isOneMoment) return applyWriteAheadLog(mainBytes, logBytes);
	}
	throw createUnreadableFailure(file, 'it keeps changing');
}

/** Returns the header of a log, which differs after each restart of the log; empty if there is no log. */
function readLogId(log: Buffer): string {
	return log.length < logHeaderBytes ? '' : log.toString('latin1', 0, logHeaderBytes);
}

async function readLog(path: string, maxBytes: number): Promise<Buffer> {
	return (await ifExists(readWholeFile(path, maxBytes))) ?? Buffer.alloc(0);
}

async function readState(path: string): Promise<string> {
	const { size, mtimeMs } = await stat(path);
	return `${size}:${mtimeMs}`;
}

function createUnreadableFailure(path: string, reason: string): Failure {
	return new Failure('FileUnreadable', `cannot read ${path}: ${reason}`, { path });
}
