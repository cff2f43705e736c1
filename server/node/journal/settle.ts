/** Repairs the end of a journal that is opened for writing. */

import type { Logger, SalvageReport } from '../../session/ports.ts';
import { type OpenFile, runStorageOperation } from '../disk/durableFile.ts';
import { readRange } from './bodies.ts';
import { encodeFormatLine } from './format.ts';
import type { OpenedFile } from './journalFile.ts';
import { rewriteJournal } from './rewrite.ts';
import type { ScanEnd } from './scanner.ts';

/**
 * Makes the intact part of a journal durable, which a process that died may have omitted, and drops the rest.
 *
 * An unfinished write is cut off. If anything else follows, or the first line is damaged, the file is kept under another
 * name, and a new file gets all records before the damage. Sets `file.size`.
 *
 * @param end end of the intact part
 * @throws Failure `StorageFailed` if that fails; the file is unchanged then
 */
export async function settleJournalEnd(
	file: OpenedFile,
	end: ScanEnd,
	{ openFile, logger }: { openFile: OpenFile; logger: Logger },
): Promise<SalvageReport | undefined> {
	const { path, sessionId, size, isHeadDamaged } = file;
	const { offset } = end;
	const isTorn = size > offset && !isHeadDamaged && (await isUnfinishedWrite(file, end));
	if ((size === offset && !isHeadDamaged) || isTorn) {
		await runStorageOperation('settle the end of', path, async () => {
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
/** A line end and the start of a record, which an unfinished record cannot contain, since it is the last one. */
const nextRecord = Buffer.from('\n{"crc":');

/** Whether a journal ends like after a death of process or machine during a write: in zeros, or within a record. */
async function isUnfinishedWrite(file: OpenedFile, { offset, reason }: ScanEnd): Promise<boolean> {
	let isZero = true;
	let isOneRecord = reason === 'incomplete';
	for (let from = offset; from < file.size && (isZero || isOneRecord); from += chunkBytes) {
		const bytes = await readRange(file, from, chunkBytes + nextRecord.length);
		isZero &&= bytes.every((byte) => byte === 0);
		isOneRecord &&= !bytes.includes(nextRecord);
	}
	return isZero || isOneRecord;
}
