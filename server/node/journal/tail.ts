/** What is done with the end of a journal that is not sound: an unfinished one is cut off, a damaged one kept. */

import type { Logger } from '../../session/ports.ts';
import type { JournalFile } from './bodies.ts';
import { keepCopy } from './copies.ts';
import { storageFailure } from './failure.ts';
import { parseHeader } from './format.ts';

const newline = 0x0a;
// Without the line end before it: that may be what was lost.
const headerStart = Buffer.from('{"crc":');
const chunkBytes = 1024 * 1024;

/**
 * Makes what was read of a journal durable, for a process that died may not have, and cuts off what stands behind
 * `offset`, up to where it is sound. Where whole records stand behind that place, this is damage and not an
 * unfinished write: then a copy of the file stays beside it. Either way the log says so.
 *
 * @throws Failure `StorageFailed` when the copy or the cut fails; then the file is as it was.
 */
export async function settleTail(
	file: JournalFile,
	offset: number,
	size: number,
	logger: Logger,
): Promise<void> {
	const { handle, path } = file;
	let copy: string | undefined;
	try {
		if (offset < size) {
			if (await holdsRecordAfter(file, offset, size)) copy = await keepCopy(path);
			await handle.truncate(offset);
		}
		await handle.datasync();
	} catch (error) {
		throw storageFailure('settle the end of', path, error);
	}
	if (offset === size) return;
	const cut = `${size - offset} bytes from byte ${offset} on were cut off ${path}`;
	logger.warn(
		copy === undefined
			? `${cut}: a write that never finished`
			: `${cut}: it is damaged there; the whole file is kept as ${copy}`,
	);
}

/**
 * Whether a sound header line stands after the one at `offset`. Where too much looks like one to check it all in
 * linear time, the answer is yes, which loses nothing.
 */
async function holdsRecordAfter(file: JournalFile, offset: number, size: number): Promise<boolean> {
	const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, size - offset));
	let start = offset + 1;
	let allowance = 8 * (size - offset) + 16 * chunkBytes;
	while (start < size) {
		const { bytesRead } = await file.handle.read(buffer, 0, Math.min(buffer.length, size - start), start);
		const bytes = buffer.subarray(0, bytesRead);
		for (let at = bytes.indexOf(headerStart); at !== -1; at = bytes.indexOf(headerStart, at + 1)) {
			const line = await lineAt(file, bytes, at, start);
			if (parseHeader(line, 0, line.length) !== undefined) return true;
			allowance -= line.length;
			if (allowance < 0) return true;
		}
		if (bytesRead <= headerStart.length) return false;
		// The last bytes are read again, for the start of a header may lie across two chunks.
		start += bytesRead - headerStart.length;
	}
	return false;
}

/** The line at `at` of the bytes read from `start` on, without its end, and cut where it is over-long. */
async function lineAt(file: JournalFile, bytes: Buffer, at: number, start: number): Promise<Buffer> {
	const end = bytes.indexOf(newline, at);
	if (end !== -1) return bytes.subarray(at, end);
	const line = Buffer.allocUnsafe(chunkBytes);
	const { bytesRead } = await file.handle.read(line, 0, chunkBytes, start + at);
	const lineEnd = line.subarray(0, bytesRead).indexOf(newline);
	return line.subarray(0, lineEnd === -1 ? bytesRead : lineEnd);
}
