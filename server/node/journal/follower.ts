/** Follows the journal of a session that another process writes. */

import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { errorText, ifThere } from '../../core/failure.ts';
import type { FollowEnd, FollowedJournal, Logger, StoredRecord } from '../../session/ports.ts';
import { readBodies } from './bodies.ts';
import type { OpenedFile } from './journalFile.ts';
import { replay } from './replay.ts';

/** Times that a file grows behind what cannot be read before it is given up. */
const patience = 5;

/**
 * Milliseconds that a follower waits for another file in the place of one that is gone, so that a replacement in two
 * steps is one: of a file that was removed, and of one that was moved aside, after which another is sure to follow soon.
 */
const patienceFor = { removed: 500, moved: 5000 };

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
	let { offset } = await replay(file, file.start, file.size, listener.each);
	let seenSize = offset;
	let growthInVain = 0;
	let goneSince: number | undefined;
	let closed = false;
	let looking: Promise<void> = Promise.resolve();
	let timer = later();

	function later(): NodeJS.Timeout {
		return setTimeout(lookNext, interval).unref();
	}

	/** One look after the other. */
	function lookNext(): Promise<void> {
		looking = looking.then(look);
		return looking;
	}

	async function look(): Promise<void> {
		if (closed) return;
		clearTimeout(timer);
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
			const own = await file.handle.stat({ bigint: true });
			if (Number(own.size) < offset) return 'truncated';
			if (Number(own.size) !== seenSize) {
				seenSize = Number(own.size);
				if (!(await takeNext())) return 'failed';
			}
			return await changeOf(own);
		} catch (error) {
			listener.logger.error(`following ${file.path} failed: ${errorText(error)}`);
			return 'failed';
		}
	}

	/** What became of the file's name; nothing while another file may still come in its place. */
	async function changeOf(own: BigIntStats): Promise<FollowEnd | undefined> {
		const inode = await inodeAt(file.path);
		if (inode !== undefined) {
			goneSince = undefined;
			return inode === own.ino ? undefined : 'replaced';
		}
		goneSince ??= performance.now();
		const patience = own.nlink === 0n ? patienceFor.removed : patienceFor.moved;
		return performance.now() - goneSince < patience ? undefined : 'deleted';
	}

	/** Gives whether the place reached is still one where records can follow. */
	async function takeNext(): Promise<boolean> {
		const end = await replay(file, offset, seenSize, (record) => closed || listener.each(record));
		growthInVain = end.reason === 'damaged' && end.offset === offset ? growthInVain + 1 : 0;
		offset = end.offset;
		return growthInVain <= patience;
	}

	return {
		read: (bodies) => readBodies(file, bodies),
		catchUp: lookNext,
		async close() {
			closed = true;
			clearTimeout(timer);
			await looking;
			await file.handle.close();
		},
	};
}

async function inodeAt(path: string): Promise<bigint | undefined> {
	return (await ifThere(stat(path, { bigint: true })))?.ino;
}
