import {
	chmod,
	mkdir,
	mkdtemp,
	readdir,
	readFile,
	rm,
	stat,
	symlink,
	utimes,
	writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeExpiredJournals } from '../../server/node/journal/expiry.ts';
import { createFileJournals } from '../../server/node/journal/fileJournalStore.ts';
import type { JournalStore } from '../../server/session/ports.ts';
import { silentLogger } from '../support/logger.ts';
import { needsPosix } from '../support/needs.ts';

let parent: string;
let directory: string;
let sessions: string;
let store: JournalStore;

beforeEach(async () => {
	parent = await mkdtemp(join(tmpdir(), 'journal-'));
	directory = join(parent, 'state', 'contextd');
	sessions = join(directory, 'sessions');
	store = createFileJournals({ directory, logger: silentLogger });
});

afterEach(() => rm(parent, { recursive: true, force: true }));

async function make(...ids: string[]): Promise<void> {
	for (const id of ids) await (await store.create(id)).close();
}

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

const hasModes = process.platform !== 'win32';

describe('the folder of journals', () => {
	it.runIf(hasModes)(
		'the folder of journals is created with the first journal, for its user alone',
		needsPosix,
		async () => {
			expect(await store.list()).toEqual([]);
			expect(await readdir(parent)).toEqual([]);
			await make('s');
			expect([await modeOf(directory), await modeOf(sessions)]).toEqual(['700', '700']);
			expect(await modeOf(join(sessions, 's.jsonl'))).toBe('600');
		},
	);

	it.runIf(hasModes)(
		'the folder of journals and an opened journal are closed to other users if they were open',
		needsPosix,
		async () => {
			await make('s');
			await chmod(directory, 0o777);
			await chmod(sessions, 0o755);
			await chmod(join(sessions, 's.jsonl'), 0o644);
			await (await store.open('s', () => undefined)).close();
			expect([await modeOf(directory), await modeOf(sessions)]).toEqual(['700', '700']);
			expect(await modeOf(join(sessions, 's.jsonl'))).toBe('600');
		},
	);

	it.runIf(hasModes)('a state folder that users share keeps its permissions', needsPosix, async () => {
		await mkdir(directory, { recursive: true });
		await chmod(directory, 0o1777);
		await make('s');
		expect((await stat(directory)).mode & 0o7777).toBe(0o1777);
		expect(await modeOf(sessions)).toBe('700');
	});

	it('the folder of journals lists them with size and time, and skips foreign files', async () => {
		await make('one', 'TWO');
		const foreign = {
			'notes.txt': 'hello',
			'other.jsonl': '{"a":1}\n',
			'copy of one.jsonl': '',
		};
		for (const [name, text] of Object.entries(foreign)) await writeFile(join(sessions, name), text);
		await writeFile(join(sessions, 'copy of one.jsonl'), await readFile(join(sessions, 'one.jsonl')));
		await mkdir(join(sessions, 'folder.jsonl'));
		await symlink(join(sessions, 'one.jsonl'), join(sessions, 'link.jsonl'));
		const entries = await store.list();
		expect(entries.map(({ sessionId }) => sessionId).sort()).toEqual(['TWO', 'one']);
		const { size, mtimeMs } = await stat(join(sessions, 'one.jsonl'));
		expect(entries).toContainEqual({ sessionId: 'one', size, modifiedAt: mtimeMs });
		await expect(store.open('link', () => undefined)).rejects.toMatchObject({ kind: 'StorageFailed' });
	});

	it('deleting a journal removes only its file', async () => {
		await make('one', 'two');
		await writeFile(join(sessions, 'one.txt'), 'mine');
		await store.delete('one');
		expect((await readdir(sessions)).sort()).toEqual(['one.txt', 'two.jsonl']);
		await expect(store.open('one', () => undefined)).rejects.toMatchObject({ kind: 'SessionNotFound' });
		await make('one');
	});

	it('a journal deleted while it is open refuses appends', async () => {
		const journal = await store.create('s');
		await store.delete('s');
		expect(() => journal.append({}, [])).toThrow(expect.objectContaining({ kind: 'StorageFailed' }));
		expect(await readdir(sessions)).toEqual([]);
	});

	it('a journal that is already open cannot be opened again', async () => {
		const journal = await store.create('s');
		await expect(store.open('s', () => undefined)).rejects.toMatchObject({ kind: 'StorageFailed' });
		await journal.close();
		await (await store.open('s', () => undefined)).close();
	});

	it('deleting a journal also removes a lock left by an earlier version', async () => {
		await make('s');
		await mkdir(join(sessions, 's.lock'));
		await writeFile(join(sessions, 's.lock', '1.0.0.abc.def'), '{"generation":1}');
		await (await store.open('s', () => undefined)).close();
		await store.delete('s');
		expect(await readdir(sessions)).toEqual([]);
	});
});

describe('expired journals', () => {
	const day = 24 * 60 * 60 * 1000;
	const now = Date.now();

	const removeExpired = (maxAgeDays: number) =>
		removeExpiredJournals({
			journals: store,
			directory,
			maxAgeDays,
			now,
			logger: silentLogger,
			isOpen: (sessionId) => sessionId === 'open',
		});

	async function age(name: string, days: number): Promise<void> {
		const then = new Date(now - days * day);
		await utimes(join(sessions, name), then, then);
	}

	it('expired journals are removed with copies and old locks unless they are open', async () => {
		await make('old', 'young', 'open');
		await writeFile(join(sessions, 'foreign.jsonl'), 'mine\n');
		await writeFile(join(sessions, 'x.jsonl.damaged-1'), 'old copy');
		await mkdir(join(sessions, 'y.lock'));
		for (const name of ['old.jsonl', 'open.jsonl', 'foreign.jsonl', 'x.jsonl.damaged-1', 'y.lock'])
			await age(name, 31);
		await age('young.jsonl', 29);
		const removed = await removeExpired(30);
		expect(removed.map(({ sessionId }) => sessionId)).toEqual(['old']);
		expect((await readdir(sessions)).sort()).toEqual(['foreign.jsonl', 'open.jsonl', 'young.jsonl']);
	});

	it('an age limit that is not a positive number removes no journals, nor does a missing folder', async () => {
		expect(await removeExpired(30)).toEqual([]);
		await make('old');
		await age('old.jsonl', 1000);
		for (const maxAgeDays of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
			expect(await removeExpired(maxAgeDays)).toEqual([]);
		}
	});
});
