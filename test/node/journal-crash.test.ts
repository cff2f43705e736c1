import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFileJournals } from '../../server/node/journal/fileJournalStore.ts';
import type { JournalStore, StoredRecord } from '../../server/session/ports.ts';
import { bundleProgram, runProgram } from '../support/childProgram.ts';
import { silentLogger } from '../support/logger.ts';
import { soakFactor } from '../support/soak.ts';

let directory: string;
let program: string;
let store: JournalStore;

beforeAll(async () => {
	directory = await mkdtemp(join(tmpdir(), 'journal-'));
	program = join(directory, 'child.mjs');
	store = createFileJournals({ directory, logger: silentLogger });
	await bundleProgram(new URL('../support/journalChild.ts', import.meta.url), program);
});

afterAll(() => rm(directory, { recursive: true, force: true }));

/** Kills a process while it appends; returns the numbers of the records that it reported as durable. */
async function killedAfter(milliseconds: number): Promise<number[]> {
	const { child, lines, said, ended } = runProgram(program, [directory, 'crash']);
	await said(2);
	await new Promise((resolve) => setTimeout(resolve, milliseconds));
	child.kill('SIGKILL');
	await ended;
	expect(lines[0]).toBe('open');
	return lines.slice(1).map(Number);
}

it(
	'a journal keeps every acknowledged record, whole and in order, when its process is killed at any moment',
	async () => {
		await (await store.create('crash')).close();
		let before = 0;
		for (let round = 0; round < 4 * soakFactor; round++) {
			const answered = await killedAfter((round * 37) % 60);
			const records: StoredRecord[] = [];
			const journal = await store.open('crash', (record) => records.push(record));
			expect(journal.salvaged).toBeUndefined();
			expect(records.map(({ value }) => value)).toEqual(records.map((_, number) => ({ number })));
			expect(records.length).toBeGreaterThan(Math.max(...answered));
			for (const [number, record] of records.entries()) {
				if (number < before) continue;
				const [body, end] = await journal.read(record.bodies);
				expect(JSON.parse(body!).number).toBe(number);
				expect(end).toBe('"end"');
			}
			before = records.length;
			await journal.close();
		}
	},
	120_000 * soakFactor,
);

it(
	'a journal loads its durable records after a power failure that kept any part of the last group',
	async () => {
		const path = join(directory, 'sessions', 'power.jsonl');
		const journal = await store.create('power');
		await journal.append({ i: 0 }, ['"durable"', '"second"']).durable;
		const { size } = journal;
		const group = [1, 2, 3].map((i) => journal.append({ i }, [`"body ${i}"`, '"more"']).durable);
		await Promise.all(group);
		await journal.close();
		const whole = await readFile(path);
		const arrived = fc.array(fc.boolean(), { minLength: 8, maxLength: 40 });
		await fc.assert(
			fc.asyncProperty(arrived, fc.nat(whole.length - size), async (blocks, cut) => {
				const bytes = Buffer.from(whole.subarray(0, whole.length - cut));
				const blockBytes = Math.ceil((whole.length - size) / blocks.length);
				for (const [index, isWritten] of blocks.entries()) {
					const from = size + index * blockBytes;
					if (!isWritten) bytes.subarray(from, from + blockBytes).fill(0);
				}
				await writeFile(path, bytes);
				const records: StoredRecord[] = [];
				const opened = await store.open('power', (record) => records.push(record));
				expect(records.map(({ value }) => value)).toEqual(
					[0, 1, 2, 3].slice(0, records.length).map((i) => ({ i })),
				);
				expect(records.length).toBeGreaterThan(0);
				for (const { bodies } of records) expect(await opened.read(bodies)).not.toContain(undefined);
				await opened.close();
				if (opened.salvaged) await rm(opened.salvaged.copy);
			}),
			{ numRuns: 100 * soakFactor },
		);
	},
	120_000 * soakFactor,
);
