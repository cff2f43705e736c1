/** Caches models' summaries of large files in the state folder, with a file for each summary. */

import { createHash } from 'node:crypto';
import { readFile, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ifExists } from '../core/failure.ts';
import { isFields, tryParseJson } from '../core/shape.ts';
import { createTaskQueues } from '../core/taskQueues.ts';
import type { CachedFileSummary, SummaryCache } from '../session/ports.ts';
import { accessDisk, createPrivateFolder, openFileOnDisk, writeFileAtomically } from './disk/durableFile.ts';
import { listNewestFiles } from './disk/listNewestFiles.ts';

const maxSummaries = 500;
const maxSummaryBytes = 64 * 1024;
const dayMs = 86_400_000;
const summaryFilePattern = /^[0-9a-f]{64}\.json$/;

interface CacheOptions {
	/** Returns the state folder. */
	directory(): string;
	/** Returns the days after which a summary expires. */
	maxAgeDays(): number;
	/** Returns the current time, in milliseconds since the epoch. */
	now(): number;
}

/**
 * Creates the cache of summaries in a state folder (files 0600, folder 0700).
 *
 * Stores at most 500 summaries of at most 64 KiB. Removes summaries older than `maxAgeDays`, and the oldest beyond 500.
 */
export function createSummaryCache({ directory, maxAgeDays, now }: CacheOptions): SummaryCache {
	const folder = (): string => join(directory(), 'file-summaries');
	const runInTurn = createTaskQueues();
	const getPath = (key: string): string =>
		join(folder(), `${createHash('sha256').update(key).digest('hex')}.json`);
	const isExpired = (modifiedAt: number): boolean => now() - modifiedAt > maxAgeDays() * dayMs;

	async function read(key: string): Promise<CachedFileSummary | undefined> {
		const path = getPath(key);
		return accessDisk('read', path, async () => {
			const stats = await ifExists(stat(path));
			if (!stats || isExpired(stats.mtimeMs)) return undefined;
			const value: unknown = tryParseJson((await ifExists(readFile(path, 'utf8'))) ?? '')?.value;
			if (!isFields(value) || value.key !== key) return undefined;
			const { text, by } = value;
			return typeof text === 'string' && typeof by === 'string' ? { text, by } : undefined;
		});
	}

	async function write(key: string, summary: CachedFileSummary): Promise<void> {
		const path = getPath(key);
		const bytes = Buffer.from(JSON.stringify({ key, ...summary }));
		if (bytes.length > maxSummaryBytes) return;
		await createPrivateFolder(folder());
		await writeFileAtomically(openFileOnDisk, path, bytes);
		await removeOldestSummaries();
	}

	async function removeOldestSummaries(): Promise<void> {
		const files = await listNewestFiles(folder(), (name) => summaryFilePattern.test(name));
		const outdated = files.filter(({ modifiedAt }, index) => index >= maxSummaries || isExpired(modifiedAt));
		for (const { path } of outdated) await ifExists(unlink(path));
	}

	return {
		read: (key) => runInTurn('', () => read(key)),
		write: (key, summary) => runInTurn('', () => write(key, summary)),
	};
}
