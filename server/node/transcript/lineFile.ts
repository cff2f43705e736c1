import type { FileHandle } from 'node:fs/promises';
import { ifExists } from '../../core/failure.ts';
import { readBytes } from '../disk/readBytes.ts';
import { LineBytes } from './lineBytes.ts';
import { isTimeSettled, openFile, toUnreadableFailure } from './openFile.ts';
import type { RecordBatch, RecordSource } from './source.ts';

const pieceBytes = 1 << 18;
/** A read continues only if this many bytes before its position are unchanged. */
const fingerprintBytes = 512;

/** How far a file was read. */
interface ReadPosition {
	/** Device and inode number of the file. */
	identity: string;
	/** Bytes of the lines that were returned. */
	offset: number;
	/** The bytes right before the offset. */
	fingerprint: Buffer;
	/** Size and time of the file right before it was last read to its end. */
	stampBefore: FileStamp;
	/** Position up to which the file was read, in bytes. */
	end: number;
}

/** Size and time of a file; a change of the file changes at least one of them. */
interface FileStamp {
	/** Size in bytes. */
	size: number;
	/** Time of the last change, in milliseconds since the epoch. */
	mtimeMs: number;
	/** Whether `mtimeMs` is so long ago that a later change will have a different time. */
	isSettled: boolean;
}

/** A pass over the file from a read position to the end. */
interface ReadPass {
	handle: FileHandle;
	lines: LineBytes;
	/** Where the pass began, in bytes. */
	from: number;
	/** Where the next piece begins, in bytes: after the returned lines and the unfinished last line. */
	position: number;
	isRestart: boolean;
	identity: string;
	/** Size and time of the file when the pass began. */
	stamp: FileStamp;
}

/**
 * Creates a source that reads the records of a JSON Lines file, and later those of appended lines.
 *
 * An unfinished last line is read once it is complete. The file is read again from its start if it was replaced or became shorter,
 * or if the bytes before the read position changed. A missing file has nothing new. Needs about a megabyte of memory, or one line.
 */
export function createLineSource(path: string): RecordSource {
	let lastPosition: ReadPosition | undefined;
	let pass: ReadPass | undefined;
	const piece = Buffer.allocUnsafe(pieceBytes);

	const begin = async (): Promise<ReadPass | undefined> => {
		const opened = await (lastPosition === undefined ? openFile(path) : ifExists(openFile(path)));
		if (!opened) return undefined;
		const { handle, stats } = opened;
		try {
			const { dev, ino, size, mtimeMs } = stats;
			const identity = `${dev}:${ino}`;
			const stamp = { size, mtimeMs, isSettled: isTimeSettled(mtimeMs) };
			if (lastPosition?.identity === identity && isUnchanged(lastPosition.stampBefore, stamp)) {
				await handle.close();
				return undefined;
			}
			const continues =
				lastPosition !== undefined &&
				lastPosition.identity === identity &&
				(await isContinuation(handle, lastPosition, stamp));
			const from = continues && lastPosition ? lastPosition.offset : 0;
			const isRestart = lastPosition !== undefined && !continues;
			return { handle, lines: new LineBytes(), from, position: from, isRestart, identity, stamp };
		} catch (error) {
			await handle.close();
			throw error;
		}
	};

	const finish = async ({ handle, lines, from, position, identity, stamp }: ReadPass): Promise<void> => {
		pass = undefined;
		const offset = from + lines.consumedBytes;
		const fingerprint = await readBytes(handle, Math.max(0, offset - fingerprintBytes), offset);
		lastPosition = { identity, offset, fingerprint, stampBefore: stamp, end: position };
		await handle.close();
	};

	const read = async (signal: AbortSignal | undefined): Promise<RecordBatch | undefined> => {
		pass ??= await begin();
		if (pass === undefined) return undefined;
		const { handle, lines, isRestart } = pass;
		for (;;) {
			signal?.throwIfAborted();
			const { bytesRead } = await handle.read(piece, 0, pieceBytes, pass.position);
			pass.position += bytesRead;
			const { records, badLineCount } =
				bytesRead === 0 ? lines.end() : lines.push(piece.subarray(0, bytesRead));
			const hasChanges = records.length > 0 || badLineCount > 0 || (isRestart && bytesRead === 0);
			if (hasChanges) pass.isRestart = false;
			if (bytesRead === 0) await finish(pass);
			if (hasChanges) return { records, badLineCount, isRestart, bytes: bytesRead };
			if (bytesRead === 0) return undefined;
		}
	};

	const close = async (): Promise<void> => {
		const { handle } = pass ?? {};
		pass = undefined;
		await handle?.close();
	};

	return {
		listWatchedPaths: () => [path],
		close,
		async next(signal) {
			try {
				return await read(signal);
			} catch (error) {
				await close();
				if (signal?.aborted) throw error;
				throw toUnreadableFailure(path, error);
			}
		},
	};
}

function isUnchanged(before: FileStamp, now: FileStamp): boolean {
	return before.isSettled && before.size === now.size && before.mtimeMs === now.mtimeMs;
}

async function isContinuation(
	handle: FileHandle,
	lastPosition: ReadPosition,
	{ size, mtimeMs }: FileStamp,
): Promise<boolean> {
	if (size < lastPosition.offset) return false;
	// An append makes a file longer. A new time with the same size therefore means that the file was rewritten.
	const { stampBefore: stamp, end } = lastPosition;
	if (stamp.size === end && stamp.size === size && stamp.mtimeMs !== mtimeMs) return false;
	const now = await readBytes(
		handle,
		lastPosition.offset - lastPosition.fingerprint.length,
		lastPosition.offset,
	);
	return now.equals(lastPosition.fingerprint);
}
