import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { cleanCompileCache } from '../../server/node/cleanCompileCache.ts';
import { freshFolder, removeFolders } from '../support/app.ts';

const dayMs = 86_400_000;
const now = Date.UTC(2026, 0, 31);

afterEach(removeFolders);

it('cleanCompileCache removes cached code older than a month, and keeps the rest', async () => {
	const state = freshFolder();
	const folder = join(state, 'compile-cache', 'v24.0.0-x64');
	await mkdir(folder, { recursive: true });
	for (const days of [1, 29, 31, 400]) {
		const file = join(folder, `${days}`);
		await writeFile(file, '');
		await utimes(file, now / 1000, (now - days * dayMs) / 1000);
	}
	expect(await cleanCompileCache(state, now)).toBe(2);
	expect((await readdir(folder)).sort()).toEqual(['1', '29']);
});

it('cleanCompileCache leaves a state folder without cached code as it is', async () => {
	const state = freshFolder();
	expect(await cleanCompileCache(state, now)).toBe(0);
	expect(await readdir(state)).toEqual([]);
});
