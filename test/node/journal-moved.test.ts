import {
	appendFile,
	copyFile,
	lstat,
	mkdir,
	mkdtemp,
	open,
	readdir,
	readFile,
	rename,
	rm,
	symlink,
	truncate,
	writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFileJournals } from '../../server/node/journal/fileJournalStore.ts';
import type { BodyRef, Journal, JournalStore } from '../../server/session/ports.ts';
import { listeningLogger } from '../support/logger.ts';
import { needsPosix } from '../support/needs.ts';

let directory: string;
let sessions: string;
let path: string;
let store: JournalStore;
let logger: ReturnType<typeof listeningLogger>;
let journal: Journal;
let refs: BodyRef[];

beforeEach(async () => {
	directory = await mkdtemp(join(tmpdir(), 'journal-'));
	sessions = join(directory, 'sessions');
	path = join(sessions, 's.jsonl');
	logger = listeningLogger();
	store = createFileJournals({ directory, logger });
	journal = await store.create('s');
	refs = [];
	await add(0);
	await add(1);
});

afterEach(async () => {
	await journal.close();
	await rm(directory, { recursive: true, force: true });
});

async function add(i: number): Promise<void> {
	const { bodies, durable } = journal.append({ i }, [`"body ${i} ${'x'.repeat(100)}"`]);
	refs.push(...bodies);
	await durable;
}

async function onDisk(): Promise<unknown[]> {
	const values: unknown[] = [];
	await store.scan('s', ({ value }) => values.push(value));
	return values;
}

describe.skipIf(process.platform === 'win32')(
	'a journal whose file changes while it is open',
	needsPosix,
	() => {
		it.each([
			['deleted', () => rm(path)],
			['moved', () => rename(path, `${path}.elsewhere`)],
			[
				'replaced by an older copy',
				async () => {
					await writeFile(`${path}.copy`, (await readFile(path)).subarray(0, -200));
					await rename(`${path}.copy`, path);
				},
			],
			[
				'replaced by something else',
				async () => {
					await writeFile(`${path}.copy`, 'something else, and longer than the journal '.repeat(100));
					await rename(`${path}.copy`, path);
				},
			],
			[
				'replaced by a link to itself',
				async () => {
					await rename(path, `${path}.elsewhere`);
					await symlink(`${path}.elsewhere`, path);
				},
			],
			[
				'replaced by a link to a copy',
				async () => {
					await copyFile(path, `${path}.copy`);
					await rm(path);
					await symlink(`${path}.copy`, path);
				},
			],
			[
				'replaced by a folder',
				async () => {
					await rm(path);
					await mkdir(path);
				},
			],
			['deleted with its folder', () => rm(sessions, { recursive: true })],
		])(
			'an open journal is rewritten before the next append is answered if its file was %s',
			async (_, act) => {
				await act();
				await add(2);
				expect(await onDisk()).toEqual([{ i: 0 }, { i: 1 }, { i: 2 }]);
				expect((await lstat(path)).isFile()).toBe(true);
				expect(logger.lines.join('\n')).toContain('it was rewritten');
				await add(3);
				expect(await journal.read(refs)).toHaveLength(4);
				expect(logger.lines).toHaveLength(1);
				await journal.close();
				expect(await onDisk()).toHaveLength(4);
				journal = await store.open('s', () => undefined);
			},
		);

		it('an open journal keeps a copy of a foreign file in its place', async () => {
			await rm(path);
			await writeFile(path, 'precious');
			await add(2);
			expect(await readFile(`${path}.damaged-1`, 'utf8')).toBe('precious');
		});

		it.each([
			['cut to nothing', () => truncate(path, 0)],
			['cut in its first line', () => truncate(path, 9)],
			['cut in a record', () => truncate(path, 150)],
			['cut by one byte', async () => truncate(path, (await readFile(path)).length - 1)],
			['appended to by somebody else', () => appendFile(path, 'somebody else')],
			['overwritten by somebody else', () => writeFile(path, 'somebody else '.repeat(100))],
		])('an open journal is rewritten if its file was %s, and the foreign content is kept', async (_, act) => {
			await act();
			const before = await readFile(path);
			await add(2);
			expect(await onDisk()).toEqual([{ i: 0 }, { i: 1 }, { i: 2 }]);
			expect(await readFile(`${path}.damaged-1`)).toEqual(before);
			await add(3);
			await journal.close();
			journal = await store.open('s', () => undefined);
			expect(journal.salvaged).toBeUndefined();
			expect(await journal.read(refs)).not.toContain(undefined);
		});

		it('a journal is rewritten if its file was cut after it was opened again', async () => {
			await journal.close();
			journal = await store.open('s', () => undefined);
			await truncate(path, 0);
			await add(2);
			expect(await onDisk()).toEqual([{ i: 0 }, { i: 1 }, { i: 2 }]);
		});

		it('a journal is rewritten if its file was cut during a write', async () => {
			await journal.close();
			let isCutting = false;
			const cutting = createFileJournals({
				directory,
				logger,
				openFile: async (file, flags, mode) => {
					const handle = await open(file, flags, mode);
					const write = handle.write.bind(handle) as (...of: unknown[]) => Promise<unknown>;
					return Object.assign(handle, {
						async write(...of: unknown[]) {
							if (isCutting) await truncate(path, 150);
							return write(...of);
						},
					});
				},
			});
			journal = await cutting.open('s', () => undefined);
			isCutting = true;
			await add(2);
			isCutting = false;
			expect(await onDisk()).toEqual([{ i: 0 }, { i: 1 }, { i: 2 }]);
		});

		describe('that is larger than the part kept in memory', () => {
			beforeEach(async () => {
				for (let i = 2; i < 6; i++) {
					const { durable } = journal.append({ i }, [JSON.stringify('x'.repeat(500_000))]);
					await durable;
				}
			});

			it('a large journal is rewritten if its file was cut within the part kept in memory', async () => {
				await truncate(path, journal.size - 700_000);
				await add(6);
				expect(await onDisk()).toHaveLength(7);
			});

			it('a large journal answers no append if more was cut, and loads the rest', async () => {
				await truncate(path, 150);
				await expect(add(6)).rejects.toMatchObject({
					kind: 'StorageFailed',
					message: expect.stringContaining('was truncated or overwritten while it was open'),
				});
				expect(() => journal.append({ i: 7 }, [])).toThrow('was truncated or overwritten');
				expect((await readFile(path)).length).toBe(150);
				await journal.close();
				journal = await store.open('s', () => undefined);
				expect(await onDisk()).toEqual([]);
			});
		});

		it('an open journal keeps a moved file if there is no space to rewrite it', async () => {
			await journal.close();
			let isFull = false;
			const full = createFileJournals({
				directory,
				logger,
				openFile: (file, flags, mode) => {
					if (isFull) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
					return open(file, flags, mode);
				},
			});
			journal = await full.open('s', () => undefined);
			await rename(path, `${path}.elsewhere`);
			isFull = true;
			await expect(add(2)).rejects.toMatchObject({ kind: 'StorageFailed', data: { code: 'ENOSPC' } });
			expect((await readdir(sessions)).sort()).toEqual(['s.jsonl.elsewhere']);
		});

		it('a journal is not touched once another process owns the folder', async () => {
			await journal.close();
			let isOwner = true;
			const owned = createFileJournals({ directory, logger, isOwner: async () => isOwner });
			journal = await owned.open('s', () => undefined);
			await add(2);
			isOwner = false;
			await rm(path);
			await writeFile(path, 'written by the new owner');
			await appendFile(path, 'x'.repeat(1000));
			const before = await readFile(path);
			vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
			try {
				await expect(add(3)).rejects.toMatchObject({ kind: 'SessionLocked' });
			} finally {
				vi.useRealTimers();
			}
			expect(await readFile(path)).toEqual(before);
			expect(await readdir(sessions)).toEqual(['s.jsonl']);
		});
	},
);
