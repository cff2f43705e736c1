/** SQLite databases where Node has no SQLite: read into memory, with what stands in their write-ahead log. */

import { stat } from 'node:fs/promises';
import { Failure } from '../../core/failure.ts';
import type { ReadDatabase } from './database.ts';
import { readWhole } from './openFile.ts';
import { errorCode } from './unreadable.ts';
import { withWriteAheadLog } from './writeAheadLog.ts';

/** Bytes of a database that is read: it is held in memory as a whole. */
const largest = 1 << 30;
/** How often files are read again that change while they are read. */
const attempts = 5;

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

/** The database with its log, both of one moment. */
async function contentOf(file: string): Promise<Buffer> {
	const log = `${file}-wal`;
	for (let attempt = 0; attempt < attempts; attempt++) {
		const before = await statesOf(file, log);
		const main = await readWhole(file, largest);
		const written = await readLog(log);
		if (main.length >= largest) throw unreadable(file, 'it is larger than 1 GiB');
		if ((await statesOf(file, log)) === before) return withWriteAheadLog(main, written);
	}
	throw unreadable(file, 'it changes all the time');
}

async function readLog(path: string): Promise<Buffer> {
	try {
		return await readWhole(path, largest);
	} catch (error) {
		if (errorCode(error) === 'ENOENT') return Buffer.alloc(0);
		throw error;
	}
}

async function statesOf(...paths: string[]): Promise<string> {
	const states = await Promise.all(
		paths.map(async (path) => {
			const stats = await stat(path).catch(() => undefined);
			return stats ? `${stats.size}:${stats.mtimeMs}` : '';
		}),
	);
	return states.join(' ');
}

function unreadable(path: string, why: string): Failure {
	return new Failure('FileUnreadable', `${path} cannot be read: ${why}`, { path });
}
