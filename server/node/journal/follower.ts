/** Follows the journal of a session that another process writes. */

import { stat } from 'node:fs/promises';
import type { FollowEnd, FollowedJournal, Logger, StoredRecord } from '../../session/ports.ts';
import { readBodies } from './bodies.ts';
import { errorCode } from './failure.ts';
import type { OpenedFile } from './journalFile.ts';
import { replay } from './replay.ts';

/** Times that a file grows behind what cannot be read before it is given up. */
const patience = 5;

/** Whom a follower tells. */
interface FollowListener {
	each: (record: StoredRecord) => void;
	ended: (reason: FollowEnd) => void;
	logger: Logger;
}

/**
 * Hands over all records of a journal, and from then on, looking every `interval` ms, those that were added.
 * A record that is not whole yet is waited for. The timer does not keep the process alive.
 */
export async function followFile(
	file: OpenedFile,
	interval: number,
	listener: FollowListener,
): Promise<FollowedJournal> {
	let offset = (await replay(file, file.start, file.size, listener.each)).offset;
	let seenSize = offset;
	let growthInVain = 0;
	let closed = false;
	let looking: Promise<void> | undefined;
	let timer = later();

	function later(): NodeJS.Timeout {
		return setTimeout(() => {
			looking = look();
		}, interval).unref();
	}

	async function look(): Promise<void> {
		const end = await nextRecords();
		if (closed) return;
		if (end === undefined) {
			timer = later();
			return;
		}
		closed = true;
		listener.ended(end);
	}

	async function nextRecords(): Promise<FollowEnd | undefined> {
		try {
			const { size, ino } = await file.handle.stat({ bigint: true });
			if (Number(size) < offset) return 'truncated';
			if (Number(size) !== seenSize) {
				seenSize = Number(size);
				if (!(await takeNext())) return 'failed';
			}
			return (await inodeAt(file.path)) === ino ? undefined : await goneOrReplaced(file.path);
		} catch (error) {
			listener.logger.error(
				`following ${file.path} failed: ${error instanceof Error ? error.message : error}`,
			);
			return 'failed';
		}
	}

	/** Gives whether the place reached is still one where records can follow. */
	async function takeNext(): Promise<boolean> {
		const end = await replay(file, offset, seenSize, (record) => closed || listener.each(record));
		growthInVain = end.reason === 'damaged' && end.offset === offset ? growthInVain + 1 : 0;
		offset = end.offset;
		return growthInVain <= patience;
	}

	return {
		read: (refs) => readBodies(file, refs),
		async close() {
			closed = true;
			clearTimeout(timer);
			await looking;
			await file.handle.close();
		},
	};
}

async function inodeAt(path: string): Promise<bigint | undefined> {
	try {
		return (await stat(path, { bigint: true })).ino;
	} catch (error) {
		if (errorCode(error) === 'ENOENT') return undefined;
		throw error;
	}
}

async function goneOrReplaced(path: string): Promise<FollowEnd> {
	return (await inodeAt(path)) === undefined ? 'deleted' : 'replaced';
}
