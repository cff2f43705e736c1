import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createSummaryCache } from '../../server/node/fileSummaryCache.ts';
import { freshFolder, removeFolders } from '../support/app.ts';

afterEach(removeFolders);

const dayMs = 86_400_000;

/** Returns a cache in a fresh folder whose clock can be moved. */
function cacheIn(folder = freshFolder()) {
	let later = 0;
	const cache = createSummaryCache({
		directory: () => folder,
		maxAgeDays: () => 30,
		now: () => Date.now() + later,
	});
	const files = () =>
		readdirSync(join(folder, 'file-summaries')).map((name) => join(folder, 'file-summaries', name));
	return { cache, files, wait: (ms: number) => (later += ms) };
}

const summary = { text: 'A log.', by: 'small' };

it('the cache of file summaries returns a stored summary by its key, also after a restart', async () => {
	const folder = freshFolder();
	await cacheIn(folder).cache.write('key', summary);
	expect(await cacheIn(folder).cache.read('key')).toEqual(summary);
	expect(await cacheIn(folder).cache.read('other')).toBeUndefined();
});

it.skipIf(process.platform === 'win32')('the cache of file summaries keeps its files private', async () => {
	const { cache, files } = cacheIn();
	await cache.write('key', summary);
	expect(files().map((path) => statSync(path).mode & 0o777)).toEqual([0o600]);
});

it('the cache of file summaries forgets expired ones, and removes their files with the next write', async () => {
	const { cache, files, wait } = cacheIn();
	await cache.write('old', summary);
	wait(31 * dayMs);
	expect(await cache.read('old')).toBeUndefined();
	await cache.write('new', summary);
	expect(files().length).toBeLessThanOrEqual(1);
});

it('the cache of file summaries returns nothing from a damaged file', async () => {
	const { cache, files } = cacheIn();
	await cache.write('key', summary);
	for (const path of files()) writeFileSync(path, '{"key":"key","text":');
	expect(await cache.read('key')).toBeUndefined();
});

it('the cache of file summaries stores none above 64 KiB', async () => {
	const { cache } = cacheIn();
	await cache.write('key', { text: 'x'.repeat(70_000), by: 'small' });
	expect(await cache.read('key')).toBeUndefined();
});
