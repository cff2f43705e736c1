import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openWasmDatabase } from '../../server/node/transcript/database.ts';
import { applyWriteAheadLog } from '../../server/node/transcript/writeAheadLog.ts';
import { databaseOf, logBetween } from '../support/sqlite.ts';

const made = ['create table t(id, text)', `insert into t values (1, 'one')`];
const rows = Array.from({ length: 400 }, (_, id) => `insert into t values (${id + 2}, '${'x'.repeat(200)}')`);
let folder: string;
let before: Buffer;
let after: Buffer;
let log: Buffer;

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), 'contextd-test-'));
	before = await databaseOf(made);
	after = await databaseOf([...made, ...rows]);
	log = logBetween(before, after);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function countIn(database: Buffer, written: Buffer): Promise<unknown> {
	const file = join(folder, 'a.db');
	// These bytes mark a database that is written through a log.
	const marked = Buffer.from(database);
	marked.fill(2, 18, 20);
	writeFileSync(file, marked);
	writeFileSync(`${file}-wal`, written);
	const opened = await openWasmDatabase(file);
	const [row] = opened.all('select count(*) as rows from t where text <> ?', '');
	opened.close();
	return row?.rows;
}

describe('a database with a write-ahead log', () => {
	it('a database is read with the commits in its write-ahead log', async () => {
		expect(await countIn(before, log)).toBe(401);
	});

	it('a database is read without a write-ahead log', async () => {
		expect(await countIn(after, Buffer.alloc(0))).toBe(401);
	});

	it('a database is read without a commit that is incomplete or damaged', async () => {
		expect(await countIn(before, log.subarray(0, log.length - 1))).toBe(1);
		const spoiled = Buffer.from(log);
		spoiled.writeUInt8(spoiled.readUInt8(log.length - 40) ^ 1, log.length - 40);
		expect(await countIn(before, spoiled)).toBe(1);
	});

	it('a database is read without old frames behind the newest commit of the log', async () => {
		const old = logBetween(before, after, [1, 2]).subarray(32);
		expect(
			await countIn(
				before,
				Buffer.concat([logBetween(before, await databaseOf([...made, ...rows.slice(0, 9)])), old]),
			),
		).toBe(10);
	});

	it('a database read while its agent writes is always in the state after some commit, and never goes back', async () => {
		const file = join(folder, 'busy.db');
		const commits = 12;
		const states = await Promise.all(
			Array.from({ length: commits + 1 }, (_, count) => databaseOf([...made, ...rows.slice(0, 30 * count)])),
		);
		const marked = states.map((state) => Buffer.from(state).fill(2, 18, 20));
		writeFileSync(file, marked[0] as Buffer);
		writeFileSync(`${file}-wal`, logBetween(before, before));
		const [main, written] = [await open(file, 'r+'), await open(`${file}-wal`, 'r+')];
		let isDone = false;
		const write = async (): Promise<void> => {
			for (let commit = 1; commit <= commits; commit++) {
				const [from, to] = [marked[commit - 1], marked[commit]] as [Buffer, Buffer];
				const frames = logBetween(from, to, [commit, 7 * commit]);
				// Each commit overwrites the log of the previous commit piece by piece, and is then copied to the database.
				for (let done = 0; done < frames.length; done += 5000) {
					await written.write(frames, done, Math.min(5000, frames.length - done), done);
				}
				for (let done = 0; done < to.length; done += 4096) await main.write(to, done, 4096, done);
			}
			isDone = true;
		};
		const seen: number[] = [];
		const read = async (): Promise<void> => {
			while (!isDone || seen.at(-1) !== 30 * commits + 1) {
				const opened = await openWasmDatabase(file);
				seen.push(Number(opened.all('select count(*) as rows from t')[0]?.rows));
				expect(opened.all('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
				opened.close();
			}
		};
		await Promise.all([write(), read()]);
		await Promise.all([main.close(), written.close()]);
		expect(seen).toEqual(seen.toSorted((one, other) => one - other));
		expect(seen.every((count) => count % 30 === 1)).toBe(true);
	});

	it('leaves no copy of a database behind, whether it can be read or not', async () => {
		const temporary = join(folder, 'temporary');
		mkdirSync(temporary);
		vi.stubEnv('TMPDIR', temporary);
		onTestFinished(() => void vi.unstubAllEnvs());
		expect(await countIn(after, Buffer.alloc(0))).toBe(401);
		await expect(countIn(Buffer.from('no database'.repeat(99)), Buffer.alloc(0))).rejects.toThrow();
		expect(readdirSync(temporary)).toEqual([]);
	});

	it('applyWriteAheadLog never throws on any log, and does not change the database', () => {
		const given = Buffer.from(before);
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(log.length), (noise, cut) => {
				applyWriteAheadLog(before, Buffer.from(noise));
				applyWriteAheadLog(before, Buffer.concat([log.subarray(0, cut), noise]));
			}),
			{ numRuns: 50 },
		);
		expect(before.equals(given)).toBe(true);
	});
});
