import { stat } from 'node:fs/promises';
import { Failure, ifExists } from '../../core/failure.ts';
import { type Agent, agents, type DatabaseHome } from '../../core/transcript/index.ts';
import { type DatabaseRow, openDatabase, queryDatabase } from './database.ts';
import type { RecordBatch, RecordSource } from './source.ts';
import { decompressBytes, startsLikeZstd } from './zstd.ts';

/** Splits a path such as `…/opencode.db#ses_1` into database and session; undefined for other paths. */
export function splitDatabasePath(path: string): { file: string; sessionId: string } | undefined {
	const [, file, sessionId] = /^(.+\.(?:db|sqlite))#([^#/\\]+)$/.exec(path) ?? [];
	return file === undefined || sessionId === undefined ? undefined : { file, sessionId };
}

/** Returns the path of a session in a database. */
export function formatDatabasePath(file: string, sessionId: string): string {
	return `${file}#${sessionId}`;
}

/** Detects the agent of a database by its tables. Fails with `UnsupportedFormat` if the database is not an agent's. */
async function detectDatabaseAgent(file: string): Promise<{ agent: Agent; home: DatabaseHome }> {
	const rows = await queryDatabase(file, `select name from sqlite_master where type = 'table'`);
	const tables = new Set(rows.map(({ name }) => name));
	for (const agent of agents) {
		const home = agent.databases?.find(({ table }) => tables.has(table));
		if (home) return { agent, home };
	}
	throw new Failure('UnsupportedFormat', `${file} contains no sessions of a known agent`, { path: file });
}

/** Number of the newest sessions that an error names. */
const maxNamedSessions = 3;

/** Creates the failure for the path of a database without a session. It names the newest sessions. */
export async function createNoSessionFailure(file: string): Promise<Failure> {
	const { sessionsSql } = (await detectDatabaseAgent(file)).home;
	const rows = await queryDatabase(file, `select id from (${sessionsSql}) limit ${maxNamedSessions}`);
	const newest = rows.map(({ id }) => formatDatabasePath(file, String(id)));
	const words = newest.length === 0 ? 'it contains none' : `the newest are ${newest.join(', ')}`;
	return new Failure('UnsupportedFormat', `${file} is a database: expected a session of it; ${words}`, {
		path: file,
	});
}

/** Creates the source of a session in an agent's database. After a change, it returns all records again. */
export async function createDatabaseSource(file: string, sessionId: string): Promise<RecordSource> {
	const {
		agent,
		home: { records },
	} = await detectDatabaseAgent(file);
	let seenState: string | undefined;
	return {
		agent,
		listWatchedPaths: () => [file, `${file}-wal`],
		close: async () => undefined,
		async next() {
			const state = await readState(file);
			const newState = `${state} ${await readState(`${file}-wal`)}`;
			const isGone = state === '' && seenState !== undefined;
			if (isGone || newState === seenState) return undefined;
			const batch: RecordBatch = {
				records: [],
				badLineCount: 0,
				isRestart: seenState !== undefined,
				bytes: 0,
			};
			const database = await openDatabase(file);
			try {
				for (const { sql, createRecord } of records) {
					for (const row of database.all(sql, sessionId))
						addRow(batch, row, createRecord(await decompressRow(row)));
				}
			} finally {
				database.close();
			}
			if (batch.records.length === 0)
				throw new Failure('FileUnreadable', `${file} contains no session "${sessionId}"`, { path: file });
			seenState = newState;
			return batch;
		},
	};
}

/** Decompresses the compressed texts of a row. */
async function decompressRow(row: DatabaseRow): Promise<DatabaseRow> {
	const decompressed: DatabaseRow = { ...row };
	for (const [name, value] of Object.entries(row)) {
		if (!(value instanceof Uint8Array) || !startsLikeZstd(value)) continue;
		decompressed[name] = Buffer.from(await decompressBytes(value)).toString('utf8');
	}
	return decompressed;
}

function addRow(batch: RecordBatch, row: DatabaseRow, record: unknown): void {
	if (record === undefined) batch.badLineCount++;
	else batch.records.push(record);
	batch.bytes += countRowBytes(row);
}

/** Returns the approximate bytes of a row's texts. */
function countRowBytes(row: DatabaseRow): number {
	return Object.values(row).reduce<number>(
		(sum, value) => sum + (typeof value === 'string' || value instanceof Uint8Array ? value.length : 0),
		0,
	);
}

async function readState(file: string): Promise<string> {
	const stats = await ifExists(stat(file));
	return stats ? `${stats.size}:${stats.mtimeMs}` : '';
}
