import type { FileHandle } from 'node:fs/promises';
import { ifThere } from '../../core/failure.ts';
import { readBytes } from '../files/readBytes.ts';
import { type LineBytes, lineBytes } from './lineBytes.ts';
import { isSettled, openFile, unreadableTranscript } from './openFile.ts';
import type { RecordBatch, RecordSource } from './source.ts';

/** Bytes that are read at once. */
const pieceBytes = 1 << 18;
/** Bytes before the place where reading goes on, which must be as they were. */
const fingerprintBytes = 512;

/** How far a file was read. */
interface Place {
	/** Device and number of the file. */
	identity: string;
	/** Bytes of the lines that were handed out. */
	offset: number;
	/** The bytes right before the offset. */
	fingerprint: Buffer;
	/** The file as it was looked at before it was last read to its end. */
	look: Look;
	/** Bytes up to which it was read. */
	end: number;
}

/** What tells that a file changed. */
interface Look {
	/** Bytes. */
	size: number;
	/** Milliseconds since the epoch. */
	mtimeMs: number;
	/** Whether its time is so long ago that a later change has another one. */
	isSettled: boolean;
}

/** A look at the file from where reading goes on. */
interface Sweep {
	handle: FileHandle;
	lines: LineBytes;
	from: number;
	/** Where the next piece begins; beyond what was handed out by the half-written line. */
	position: number;
	startsOver: boolean;
	identity: string;
	look: Look;
}

/**
 * The records of a JSON Lines file: all that are there, and later those of the lines that were appended since.
 * A half-written last line waits for its rest. Another file under the name, a shorter one, or one whose bytes
 * before that place have changed, is read from its start. While the file is gone nothing new comes. Holds
 * about a megabyte, or one line.
 */
export function lineFile(path: string): RecordSource {
	let place: Place | undefined;
	let sweep: Sweep | undefined;
	const piece = Buffer.allocUnsafe(pieceBytes);

	const begin = async (): Promise<Sweep | undefined> => {
		const opened = await (place === undefined ? openFile(path) : ifThere(openFile(path)));
		if (!opened) return undefined;
		const { handle, stats } = opened;
		try {
			const { dev, ino, size, mtimeMs } = stats;
			const identity = `${dev}:${ino}`;
			const look = { size, mtimeMs, isSettled: isSettled(mtimeMs) };
			if (place?.identity === identity && isUnchanged(place.look, look)) {
				await handle.close();
				return undefined;
			}
			const goesOn =
				place !== undefined && place.identity === identity && (await isAsItWas(handle, place, look));
			const from = goesOn && place ? place.offset : 0;
			const startsOver = place !== undefined && !goesOn;
			return { handle, lines: lineBytes(), from, position: from, startsOver, identity, look };
		} catch (error) {
			await handle.close();
			throw error;
		}
	};

	const finish = async ({ handle, lines, from, position, identity, look }: Sweep): Promise<void> => {
		sweep = undefined;
		const offset = from + lines.consumed;
		const fingerprint = await readBytes(handle, Math.max(0, offset - fingerprintBytes), offset);
		place = { identity, offset, fingerprint, look, end: position };
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

function isUnchanged(before: Look, now: Look): boolean {
	return before.isSettled && before.size === now.size && before.mtimeMs === now.mtimeMs;
}

async function isAsItWas(handle: FileHandle, place: Place, { size, mtimeMs }: Look): Promise<boolean> {
	if (size < place.offset) return false;
	// What was appended is longer: a new time alone means that it was written anew.
	const { look, end } = place;
	if (look.size === end && look.size === size && look.mtimeMs !== mtimeMs) return false;
	const now = await readBytes(handle, place.offset - place.fingerprint.length, place.offset);
	return now.equals(place.fingerprint);
}
