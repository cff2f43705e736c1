/** Reads a journal that another process may be writing. */

import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { ifThere } from '../../core/failure.ts';
import type { Logger, Mend, ReadOnlyJournal, StoredRecord } from '../../session/ports.ts';
import { onStorage } from './failure.ts';
import type { OpenedFile } from './journalFile.ts';
import { readOver } from './readOver.ts';

/**
 * Passes the sound records of a journal to `each` and keeps its file open for their bodies. Changes nothing on disk.
 *
 * @throws Failure `StorageFailed` if the file cannot be read; it is closed then.
 */
export async function readOnlyJournal(
	file: OpenedFile,
	each: (record: StoredRecord) => void,
	logger: Logger,
	mend: Mend,
): Promise<ReadOnlyJournal> {
	const { handle, path } = file;
	try {
		const before = await onStorage('look at', path, () => handle.stat({ bigint: true }));
		const { isDamaged, read } = await readOver({ ...file, size: Number(before.size) }, each, mend);
		if (isDamaged) logger.warn(`${path} is damaged: it is repaired when it is opened for writing`);
		return {
			read,
			isOutdated: () =>
				onStorage('look at', path, async () => {
					const now = await ifThere(stat(path, { bigint: true }));
					return now === undefined || !isUnchanged(before, now);
				}),
			close: () => handle.close(),
		};
	} catch (error) {
		await handle.close();
		throw error;
	}
}

function isUnchanged(before: BigIntStats, now: BigIntStats): boolean {
	return (
		now.ino === before.ino &&
		now.dev === before.dev &&
		now.size === before.size &&
		now.mtimeNs === before.mtimeNs
	);
}
