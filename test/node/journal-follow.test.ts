import { appendFile, copyFile, mkdtemp, readFile, rename, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileJournalStore } from '../../server/node/journal/fileJournalStore.ts';
import type { BodyRef, FollowEnd, JournalStore } from '../../server/session/ports.ts';
import { eventually } from '../support/eventually.ts';
import { silentLogger } from '../support/logger.ts';

let directory: string;
let path: string;
let store: JournalStore;
let values: unknown[];
let bodies: BodyRef[];
let ends: FollowEnd[];

beforeEach(async () => {
	directory = await mkdtemp(join(tmpdir(), 'journal-'));
	path = join(directory, 'sessions', 's.jsonl');
	store = fileJournalStore({ directory, logger: silentLogger, followInterval: 10 });
	values = [];
	bodies = [];
	ends = [];
});

afterEach(() => rm(directory, { recursive: true, force: true }));

const follow = () =>
	store.follow(
		's',
		(record) => {
			values.push(record.value);
			bodies.push(...record.bodies);
		},
		(end) => ends.push(end),
	);

describe('a journal that is followed', () => {
	it('hands over what is there and what its holder appends, bodies included', async () => {
		const journal = await store.create('s');
		await journal.append(1, ['"one"']).durable;
		const followed = await follow();
		expect(values).toEqual([1]);
		for (let i = 2; i <= 5; i++) {
			journal.append(i, [`"${i}"`]);
			await eventually(() => expect(values).toHaveLength(i));
		}
		expect(values).toEqual([1, 2, 3, 4, 5]);
		expect(await followed.read(bodies)).toEqual(['"one"', '"2"', '"3"', '"4"', '"5"']);
		await followed.close();
		await journal.append(6, []).durable;
		await new Promise((resolve) => setTimeout(resolve, 40));
		expect(values).toHaveLength(5);
		await journal.close();
	});

	it('waits for a record that is half written', async () => {
		const journal = await store.create('s');
		await journal.append(1, []).durable;
		const { size } = journal;
		await journal.append(2, ['"two"']).durable;
		await journal.close();
		const whole = await readFile(path);
		await truncate(path, size);
		const followed = await follow();
		for (let index = size; index < whole.length; index += 9) {
			await appendFile(path, whole.subarray(index, index + 9));
			await new Promise((resolve) => setTimeout(resolve, 12));
			if (index + 9 < whole.length) expect(values).toEqual([1]);
		}
		await eventually(() => expect(values).toEqual([1, 2]));
		expect(ends).toEqual([]);
		await followed.close();
	});

	it.each([
		['deleted', () => store.delete('s')],
		[
			'replaced',
			async () => {
				await rename(path, `${path}.old`);
				await (await store.create('s')).close();
			},
		],
		[
			'replaced',
			async () => {
				const other = `${path}.other`;
				await rename(path, other);
				// Long enough for a follower to look in between.
				await new Promise((resolve) => setTimeout(resolve, 100));
				await copyFile(other, path);
			},
		],
		['truncated', () => truncate(path, 10)],
	] as const)('says so when it was %s (%#)', async (end, act) => {
		const journal = await store.create('s');
		const { bodies: refs, durable } = journal.append(1, ['"one"']);
		await durable;
		await journal.close();
		const followed = await follow();
		await act();
		await eventually(() => expect(ends).toEqual([end]));
		if (end === 'deleted') expect(await followed.read(refs)).toEqual(['"one"']);
		await followed.close();
		await followed.close();
	});

	it('is given up when it grows on and on behind what cannot be read', async () => {
		const journal = await store.create('s');
		await journal.append(1, []).durable;
		await journal.close();
		const followed = await follow();
		for (let i = 0; i < 1000 && ends.length === 0; i++) {
			await appendFile(path, 'no record\n');
			await new Promise((resolve) => setTimeout(resolve, 12));
		}
		expect(ends).toEqual(['failed']);
		expect(values).toEqual([1]);
		await followed.close();
	});

	it('says so when whoever listens throws', async () => {
		const journal = await store.create('s');
		const followed = await store.follow(
			's',
			() => {
				throw new Error('no');
			},
			(end) => ends.push(end),
		);
		journal.append(1, []);
		await eventually(() => expect(ends).toEqual(['failed']));
		await followed.close();
		await journal.close();
	});
});
