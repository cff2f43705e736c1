import type { FileHandle } from 'node:fs/promises';
import { ifExists } from '../../core/failure.ts';
import { readBytes } from '../files/readBytes.ts';
import { LineBytes } from './lineBytes.ts';
import { isTimeSettled, openFile, unreadableTranscript } from './openFile.ts';
import type { RecordBatch, RecordSource } from './source.ts';

/** Bytes of one read. */
const pieceBytes = 1 << 18;
/** Bytes before the read position that must be unchanged. */
const fingerprintBytes = 512;

/** How far a file was read. */
interface ReadPosition {
	/** Device and number of the file. */
	identity: string;
	/** Bytes of the lines that were returned. */
	offset: number;
	/** The bytes right before the offset. */
	fingerprint: Buffer;
	/** State of the file right before it was last read to its end. */
	stampBefore: FileStamp;
	/** Position up to which it was read, in bytes. */
	end: number;
}

/** Values that change when a file changes. */
interface FileStamp {
	/** Bytes. */
	size: number;
	/** Milliseconds since the epoch. */
	mtimeMs: number;
	/** Whether its time is so long ago that a later change will have a different one. */
	isSettled: boolean;
}

/** One pass over the file from the read position. */
interface ReadPass {
	handle: FileHandle;
	lines: LineBytes;
	from: number;
	/** Start of the next piece; beyond the returned lines by the unfinished last one. */
	position: number;
	startsOver: boolean;
	identity: string;
	look: FileStamp;
}

/**
 * The records of a JSON Lines file: all present ones, and later those of appended lines.
 *
 * An unfinished last line waits for its rest. The file is read from its start again if it was replaced, became shorter, or
 * if bytes before the read position changed. While the file is missing, there is nothing new. Memory: about a megabyte, or
 * one line.
 */
export function lineFile(path: string): RecordSource {
	let place: ReadPosition | undefined;
	let sweep: ReadPass | undefined;
	const piece = Buffer.allocUnsafe(pieceBytes);

	const begin = async (): Promise<ReadPass | undefined> => {
		const opened = await (place === undefined ? openFile(path) : ifExists(openFile(path)));
		if (!opened) return undefined;
		const { handle, stats } = opened;
		try {
			const { dev, ino, size, mtimeMs } = stats;
			const identity = `${dev}:${ino}`;
			const look = { size, mtimeMs, isSettled: isTimeSettled(mtimeMs) };
			if (place?.identity === identity && isUnchanged(place.stampBefore, look)) {
				await handle.close();
				return undefined;
			}
			const goesOn =
				place !== undefined && place.identity === identity && (await isContinued(handle, place, look));
			const from = goesOn && place ? place.offset : 0;
			const startsOver = place !== undefined && !goesOn;
			return { handle, lines: new LineBytes(), from, position: from, startsOver, identity, look };
		} catch (error) {
			await handle.close();
			throw error;
		}
	};

	const finish = async ({ handle, lines, from, position, identity, look }: ReadPass): Promise<void> => {
		sweep = undefined;
		const offset = from + lines.consumed;
		const fingerprint = await readBytes(handle, Math.max(0, offset - fingerprintBytes), offset);
		place = { identity, offset, fingerprint, stampBefore: look, end: position };
		await handle.close();
	};

	const read = async (signal: AbortSignal | undefined): Promise<RecordBatch | undefined> => {
		sweep ??= await begin();
		if (sweep === undefined) return undefined;
		const { handle, lines, startsOver } = sweep;
		for (;;) {
			signal?.throwIfAborted();
			const { bytesRead } = await handle.read(piece, 0, pieceBytes, sweep.position);
			sweep.position += bytesRead;
			const { records, badLines } = bytesRead === 0 ? lines.end() : lines.push(piece.subarray(0, bytesRead));
			const isNews = records.length > 0 || badLines > 0 || (startsOver && bytesRead === 0);
			if (isNews) sweep.startsOver = false;
			if (bytesRead === 0) await finish(sweep);
			if (isNews) return { records, badLines, startsOver, bytes: bytesRead };
			if (bytesRead === 0) return undefined;
		}
	};

	const close = async (): Promise<void> => {
		const { handle } = sweep ?? {};
		sweep = undefined;
		await handle?.close();
	};

	return {
		watched: () => [path],
		close,
		async next(signal) {
			try {
				return await read(signal);
			} catch (error) {
				await close();
				if (signal?.aborted) throw error;
				throw unreadableTranscript(path, error);
			}
		},
	};
}

function isUnchanged(before: FileStamp, now: FileStamp): boolean {
	return before.isSettled && before.size === now.size && before.mtimeMs === now.mtimeMs;
}

async function isContinued(
	handle: FileHandle,
	place: ReadPosition,
	{ size, mtimeMs }: FileStamp,
): Promise<boolean> {
	if (size < place.offset) return false;
	// An append makes the file longer: a new time with the same size means that it was rewritten.
	const { stampBefore: look, end } = place;
	if (look.size === end && look.size === size && look.mtimeMs !== mtimeMs) return false;
	const now = await readBytes(handle, place.offset - place.fingerprint.length, place.offset);
	return now.equals(place.fingerprint);
}
