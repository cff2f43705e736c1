/** Reads a journal that another process may be writing. */

import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { ifThere } from '../../core/failure.ts';
import type { Logger, ReadOnlyJournal, StoredRecord } from '../../session/ports.ts';
import { onStorage } from '../durableFile.ts';
import { readBodies } from './bodies.ts';
import type { OpenedFile } from './journalFile.ts';
import { replay } from './replay.ts';

/**
 * Passes the sound records of a journal to `each` and keeps its file open for their bodies. Changes nothing on disk.
 *
 * @throws Failure `StorageFailed` if the file cannot be read; it is closed then.
 */
export async function readOnlyJournal(
	file: OpenedFile,
	each: (record: StoredRecord) => void,
	logger: Logger,
): Promise<ReadOnlyJournal> {
	const { handle, path } = file;
	try {
		const before = await onStorage('look at', path, () => handle.stat({ bigint: true }));
		const { offset, reason } = await replay(file, file.start, Number(before.size), each);
		if (reason === 'damaged') logger.warn(`${path} is damaged from byte ${offset} on`);
		return {
			read: (bodies) => readBodies(file, bodies),
			isOutdated: () =>
				onStorage('look at', path, async () => {
					const now = await ifThere(stat(path, { bigint: true }));
					return now === undefined || versionOf(now) !== versionOf(before);
				}),
			close: () => handle.close(),
		};
	} catch (error) {
		await handle.close();
		throw error;
	}
}

/** A text that changes whenever a file is written or replaced. */
function versionOf({ dev, ino, size, mtimeNs }: BigIntStats): string {
	return [dev, ino, size, mtimeNs].join();
}
