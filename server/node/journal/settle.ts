/** Repairs the end of a journal before it is written. */

import type { Logger, SalvageReport } from '../../session/ports.ts';
import { accessDisk, type OpenFile } from '../disk/durableFile.ts';
import { readRange } from './bodies.ts';
import { encodeFormatLine } from './format.ts';
import type { OpenedFile } from './journalFile.ts';
import { rewriteJournal } from './rewrite.ts';
import type { ScanEnd } from './scanner.ts';

/**
 * Makes the intact part of a journal durable, which a killed process may not have done, and drops all later bytes.
 *
 * Truncates an unfinished write. If other bytes follow the intact part, or if the first line is damaged, renames the file and
 * writes the intact records to a new file. Sets `file.size`.
 *
 * @param scanEnd where the intact part ends
 * @throws Failure `StorageFailed`, without changing the file
 */
export async function settleJournalEnd(
	file: OpenedFile,
	scanEnd: ScanEnd,
	{ openFile, logger }: { openFile: OpenFile; logger: Logger },
): Promise<SalvageReport | undefined> {
	const { path, sessionId, size, isHeadDamaged } = file;
	const { offset } = scanEnd;
	const isTorn = size > offset && !isHeadDamaged && (await isUnfinishedWrite(file, scanEnd));
	if ((size === offset && !isHeadDamaged) || isTorn) {
		await accessDisk('settle the end of', path, async () => {
			if (isTorn) await file.handle.truncate(offset);
			await file.handle.datasync();
		});
		if (isTorn)
			logger.warn(`${path}: cut off an unfinished write, ${size - offset} bytes from byte ${offset} on`);
		file.size = offset;
		return undefined;
	}
	const head = isHeadDamaged ? encodeFormatLine(sessionId) : Buffer.alloc(0);
	const copy = (await rewriteJournal(file, openFile, { head, to: offset })) ?? path;
	const lostBytes = size < offset ? size : size - offset;
	logger.warn(
		`${path} is damaged${isHeadDamaged ? ' in its first line' : ''}: ${lostBytes} bytes from byte ${offset} on were left out; the damaged file is kept as ${copy}`,
	);
	file.size = offset;
	return { lostBytes, copy };
}

const chunkBytes = 1024 * 1024;
/** A line end and the start of another record, which cannot follow an unfinished record. */
const nextRecord = Buffer.from('\n{"crc":');

/** Whether a journal ends in zeros or within a record, as after a crash during a write. */
async function isUnfinishedWrite(file: OpenedFile, { offset, reason }: ScanEnd): Promise<boolean> {
	let isAllZeros = true;
	let isOneRecord = reason === 'incomplete';
	for (let from = offset; from < file.size && (isAllZeros || isOneRecord); from += chunkBytes) {
		const bytes = await readRange(file, from, chunkBytes + nextRecord.length);
		isAllZeros &&= bytes.every((byte) => byte === 0);
		isOneRecord &&= !bytes.includes(nextRecord);
	}
	return isAllZeros || isOneRecord;
}
