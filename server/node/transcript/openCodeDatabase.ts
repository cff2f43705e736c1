import { stat } from 'node:fs/promises';
import { Failure } from '../../core/failure.ts';
import { isFields } from '../../core/format/wire/shape.ts';
import { parsedDocument } from './documentFile.ts';
import type { RecordBatch, RecordSource } from './source.ts';
import { errorCode } from './unreadable.ts';

/** The little of `node:sqlite` that reading needs. */
interface Database {
	prepare(sql: string): { all(...values: string[]): Record<string, unknown>[] };
	close(): void;
}

interface SqliteModule {
	DatabaseSync: new (path: string, options: { readOnly: boolean }) => Database;
}

/** The database and the session that a path such as `…/opencode.db#ses_1` names. */
export function splitDatabasePath(path: string): { file: string; sessionId: string } | undefined {
	const [, file, sessionId] = /^(.+\.db)#([^#/\\]+)$/.exec(path) ?? [];
	return file === undefined || sessionId === undefined ? undefined : { file, sessionId };
}

/** The path that names one session of a database. */
export function databasePath(file: string, sessionId: string): string {
	return `${file}#${sessionId}`;
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

/** Reads rows of a database that is opened for reading alone; undefined where Node has no SQLite. */
export async function queryDatabase(
	file: string,
	sql: string,
	...values: string[]
): Promise<Record<string, unknown>[] | undefined> {
	const module = await sqlite();
	if (!module) return undefined;
	const database = new module.DatabaseSync(file, { readOnly: true });
	try {
		return database.prepare(sql).all(...values);
	} finally {
		database.close();
	}
}

async function rowsOf(file: string, sql: string, sessionId: string): Promise<Record<string, unknown>[]> {
	const rows = await queryDatabase(file, sql, sessionId);
	if (rows) return rows;
	throw new Failure(
		'UnsupportedFormat',
		`${file} is a SQLite database, which Node.js reads from version 22.5 on; this is ${process.version}`,
		{ path: file },
	);
}

/** The records of one session of OpenCode's database; all of them again after it changed. */
export async function openCodeDatabase(file: string, sessionId: string): Promise<RecordSource> {
	let seen: string | undefined;
	return {
		watched: () => [file, `${file}-wal`],
		close: async () => undefined,
		async next() {
			const now = `${await stateOf(file)} ${await stateOf(`${file}-wal`)}`;
			if (now === seen) return undefined;
			const sessions = await rowsOf(file, 'select * from session where id = ?', sessionId);
			const session = sessions[0];
			if (!session)
				throw new Failure('FileUnreadable', `${file} holds no session "${sessionId}"`, { path: file });
			const parts = await rowsOf(file, 'select * from part where session_id = ? order by id', sessionId);
			const messages = await rowsOf(
				file,
				'select * from message where session_id = ? order by id',
				sessionId,
			);
			const batch: RecordBatch = { records: [], badLines: 0, startsOver: seen !== undefined, bytes: 0 };
			batch.records.push(sessionRecord(session));
			for (const row of [...parts, ...messages]) {
				const record = rowRecord(row);
				if (record === undefined) batch.badLines++;
				else batch.records.push(record);
				batch.bytes += String(row.data).length;
			}
			seen = now;
			return batch;
		},
	};
}

async function stateOf(file: string): Promise<string> {
	try {
		const { size, mtimeMs } = await stat(file);
		return `${size}:${mtimeMs}`;
	} catch (error) {
		if (errorCode(error) === 'ENOENT') return '';
		throw error;
	}
}

function sessionRecord({ id, project_id, directory, title }: Record<string, unknown>): unknown {
	return { id, projectID: project_id, directory, title };
}

function rowRecord(row: Record<string, unknown>): unknown {
	const value = typeof row.data === 'string' ? parsedDocument(row.data)?.value : undefined;
	if (!isFields(value)) return undefined;
	const owner = typeof row.message_id === 'string' ? { messageID: row.message_id } : {};
	return { ...value, id: row.id, sessionID: row.session_id, ...owner };
}
