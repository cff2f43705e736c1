import { type FileHandle, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFileJournals } from '../../server/node/journal/fileJournalStore.ts';
import type { JournalStore } from '../../server/session/ports.ts';
import { listeningLogger } from '../support/logger.ts';

let directory: string;
let store: JournalStore;
let logger: ReturnType<typeof listeningLogger>;
let failing: { call: 'write' | 'datasync'; code: string } | undefined;
let calls: string[];

function failNow(call: string): void {
	calls.push(call);
	if (failing?.call !== call) return;
	throw Object.assign(new Error(`${failing.code}: ${call}`), { code: failing.code });
}

type WriteBytes = (bytes: Buffer, offset: number, length: number, position: number) => Promise<unknown>;

async function openFailing(path: string, flags: number, mode: number): Promise<FileHandle> {
	const handle = await open(path, flags, mode);
	const write = handle.write.bind(handle) as WriteBytes;
	const datasync = handle.datasync.bind(handle);
	return Object.assign(handle, {
		async write(bytes: Buffer, offset: number, length: number, position: number) {
			// A full disk often takes a part of the bytes first.
			if (failing?.call === 'write') await write(bytes, offset, Math.floor(length / 2), position);
			failNow('write');
			return write(bytes, offset, length, position);
		},
		async datasync() {
			failNow('datasync');
			return datasync();
		},
	});
}

beforeEach(async () => {
	directory = await mkdtemp(join(tmpdir(), 'journal-'));
	logger = listeningLogger();
	failing = undefined;
	calls = [];
	store = createFileJournals({ directory, logger, openFile: openFailing });
});

afterEach(() => rm(directory, { recursive: true, force: true }));

describe('a journal', () => {
	it('a journal writes all appends of one turn with one write and one sync, and later appends with another', async () => {
		const journal = await store.create('s');
		calls = [];
		const first = [1, 2, 3].map((i) => journal.append({ i }, ['"x"']).durable);
		await new Promise(setImmediate);
		const second = [4, 5].map((i) => journal.append({ i }, ['"x"']).durable);
		await Promise.all([...first, ...second]);
		expect(calls).toEqual(['write', 'datasync', 'write', 'datasync']);
		await journal.close();
	});

	it('a journal writes on until all bytes are written', async () => {
		const short = createFileJournals({
			directory,
			logger,
			openFile: async (path, flags, mode) => {
				const handle = await open(path, flags, mode);
				const write = handle.write.bind(handle) as WriteBytes;
				const part: WriteBytes = (bytes, offset, length, position) =>
					write(bytes, offset, Math.min(length, 7), position);
				return Object.assign(handle, { write: part });
			},
		});
		const journal = await short.create('s');
		const { bodies, durable } = journal.append({ i: 1 }, ['"some body"']);
		await durable;
		expect(await journal.read(bodies)).toEqual(['"some body"']);
		await journal.close();
		const values: unknown[] = [];
		await store.scan('s', (record) => values.push(record.value));
		expect(values).toEqual([{ i: 1 }]);
	});

	it.each([
		['write', 'ENOSPC'],
		['write', 'EPERM'],
		['datasync', 'EIO'],
	] as const)(
		'a journal whose %s fails with %s fails the whole group, refuses appends and stays readable',
		async (call, code) => {
			const journal = await store.create('s');
			const answered = journal.append({ i: 1 }, ['"kept"']);
			await answered.durable;
			failing = { call, code };
			const lost = [journal.append({ i: 2 }, ['"lost"']), journal.append({ i: 3 }, [])];
			for (const { durable } of lost) {
				await expect(durable).rejects.toMatchObject({ kind: 'StorageFailed', data: { code } });
			}
			failing = undefined;
			expect(() => journal.append({ i: 4 }, [])).toThrow(expect.objectContaining({ kind: 'StorageFailed' }));
			expect(await journal.read(answered.bodies)).toEqual(['"kept"']);
			expect(await journal.read(lost[0]!.bodies)).toEqual([undefined]);
			expect(logger.lines[0]).toContain(code);
			expect(journal.size).toBe((await readFile(join(directory, 'sessions', 's.jsonl'))).length);
			await journal.close();

			const values: unknown[] = [];
			const again = await store.open('s', (record) => values.push(record.value));
			expect(values).toEqual([{ i: 1 }]);
			await again.append({ i: 5 }, []).durable;
			await again.close();
		},
	);

	it('a journal that could not be created can be created later', async () => {
		const full = createFileJournals({
			directory,
			logger,
			openFile: async () => {
				throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
			},
		});
		await expect(full.create('s')).rejects.toMatchObject({ kind: 'StorageFailed', data: { code: 'ENOSPC' } });
		await (await store.create('s')).close();
	});
});
