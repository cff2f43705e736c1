import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileJournalStore } from '../../server/node/journal/fileJournalStore.ts';
import type { JournalStore, StoredRecord } from '../../server/session/ports.ts';
import { bundleProgram, runProgram } from '../support/childProgram.ts';
import { silentLogger } from '../support/logger.ts';

let directory: string;
let program: string;
let store: JournalStore;

beforeAll(async () => {
	directory = await mkdtemp(join(tmpdir(), 'journal-'));
	program = join(directory, 'child.mjs');
	store = fileJournalStore({ directory, logger: silentLogger });
	await bundleProgram(new URL('../support/journalChild.ts', import.meta.url), program);
});

afterAll(() => rm(directory, { recursive: true, force: true }));

describe('a process killed while it appends', () => {
	it('leaves all that it had answered, whole and in order, and its lock to the next', async () => {
		await (await store.create('crash')).close();
		for (let round = 0; round < 4; round++) {
			const { child, lines, said, ended } = runProgram(program, [directory, 'crash', 'append']);
			await said(2);
			await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
			child.kill('SIGKILL');
			await ended;
			expect(lines[0]).toBe('held');
			const answered = lines.slice(1).map(Number);

			const records: StoredRecord[] = [];
			const journal = await store.open('crash', (record) => records.push(record));
			expect(records.map(({ value }) => value)).toEqual(records.map((_, number) => ({ number })));
			expect(records.length).toBeGreaterThan(Math.max(...answered));
			for (const [number, record] of records.entries()) {
				const [body, end] = await journal.read(record.bodies);
				expect(JSON.parse(body!).number).toBe(number);
				expect(end).toBe('"end"');
			}
			await journal.close();
		}
	});
});

describe('the lock of a process that was killed', () => {
	it('goes to exactly one of many processes that want it at once', async () => {
		await (await store.create('lock')).close();
		const first = runProgram(program, [directory, 'lock', 'hold']);
		await first.said(1);
		await expect(store.open('lock', () => undefined)).rejects.toMatchObject({
			kind: 'SessionLocked',
			message: expect.stringContaining(String(first.child.pid)),
		});
		await expect(store.delete('lock')).rejects.toMatchObject({ kind: 'SessionLocked' });
		let holder = first;
		for (let round = 0; round < 2; round++) {
			holder.child.kill('SIGKILL');
			await holder.ended;
			const takers = [1, 2, 3, 4, 5, 6].map(() => runProgram(program, [directory, 'lock', 'hold']));
			await Promise.all(takers.map(({ said }) => said(1)));
			const winners = takers.filter(({ lines }) => lines[0] === 'held');
			expect(takers.map(({ lines }) => lines[0]).sort()).toEqual(['held', ...Array(5).fill('locked')]);
			holder = winners[0]!;
		}
		holder.child.kill('SIGKILL');
		await holder.ended;
		await (await store.open('lock', () => undefined)).close();
	});
});
