/** What is done with a journal from the first place on that is not sound. */

import type { Logger, Mend, Salvaged, StoredRecord } from '../../session/ports.ts';
import type { JournalFile } from './bodies.ts';
import { keepCopy } from './copies.ts';
import { storageFailure } from './failure.ts';
import type { OpenFile } from './folder.ts';
import { salvage } from './salvage.ts';
import { scanRecords } from './scanner.ts';
import { surveyFrom } from './survey.ts';

/** What a journal is put right with. */
export interface SettleOptions {
	openFile: OpenFile;
	logger: Logger;
	each: (record: StoredRecord) => void;
	mend: Mend;
}

/** A journal that is sound again. */
export interface Settled {
	/** Bytes. */
	size: number;
	salvaged?: Salvaged;
}

/**
 * Makes what was read of a journal durable, for a process that died may not have, and puts it right from `offset` on,
 * up to where it is sound: a write that never finished is cut off, sound records behind a damaged one are handed to
 * `each`. What is not sound stays beside it in a copy, unless it is no more than a process that dies leaves. The
 * log says what was done.
 *
 * @throws Failure `StorageFailed` when that fails; then the file is as it was.
 */
export async function settleTail(
	file: JournalFile,
	offset: number,
	size: number,
	options: SettleOptions,
): Promise<Settled> {
	const settled = await putRight(file, offset, size, options);
	await endLine(file, settled.size);
	return settled;
}

async function putRight(
	file: JournalFile,
	offset: number,
	size: number,
	options: SettleOptions,
): Promise<Settled> {
	if (offset === size) return { size };
	const { pieces, end, isTailOfWorth } = await surveyFrom(file, offset, size);
	const isBroken = pieces.some((piece) => piece.kind === 'lost' || piece.missing > 0);
	if (isBroken) return rewritten(file, offset, size, end, pieces, options);
	await scanRecords(file, offset, end, ({ value, bodies }) => options.each({ value, bodies }));
	if (end === size) return { size };
	const salvaged = isTailOfWorth ? { lostBytes: size - end, copy: await keepCopy(file.path) } : undefined;
	await cutAt(file, end);
	const cut = `${size - end} bytes from byte ${end} on were cut off ${file.path}: a write that never finished`;
	options.logger.warn(salvaged ? `${cut}, or damage; the whole file is kept as ${salvaged.copy}` : cut);
	return { size: end, ...(salvaged && { salvaged }) };
}

async function rewritten(
	file: JournalFile,
	offset: number,
	size: number,
	end: number,
	pieces: Parameters<typeof salvage>[2],
	options: SettleOptions,
): Promise<Settled> {
	const made = await salvage(file, offset, pieces, options);
	const lostBytes = made.salvaged.lostBytes + size - end;
	options.logger.warn(
		`${file.path} was damaged from byte ${offset} on: ${lostBytes} bytes could not be used, and it was written anew without them; the damaged file is kept as ${made.salvaged.copy}`,
	);
	return { size: made.size, salvaged: { ...made.salvaged, lostBytes } };
}

async function cutAt(file: JournalFile, end: number): Promise<void> {
	try {
		await file.handle.truncate(end);
	} catch (error) {
		throw storageFailure('settle the end of', file.path, error);
	}
}

const newline = Buffer.from('\n');

/** Makes a journal durable, after the line end that its last body has by its length, whatever became of that byte. */
async function endLine({ handle, path }: JournalFile, size: number): Promise<void> {
	try {
		const last = Buffer.alloc(1);
		await handle.read(last, 0, 1, size - 1);
		if (!last.equals(newline)) await handle.write(newline, 0, 1, size - 1);
		await handle.datasync();
	} catch (error) {
		throw storageFailure('settle the end of', path, error);
	}
}
