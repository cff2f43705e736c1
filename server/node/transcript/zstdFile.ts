import { stat } from 'node:fs/promises';
import { lineBytes } from './lineBytes.ts';
import type { RecordBatch, RecordSource } from './source.ts';
import { errorCode, unreadable } from './unreadable.ts';
import { decompressed } from './zstd.ts';

/** The records of a compressed JSON Lines file; all of them again after it changed. */
export function zstdFile(path: string): RecordSource {
	let seen: string | undefined;
	let pieces: AsyncGenerator<RecordBatch> | undefined;
	return {
		watched: () => [path],
		async close() {
			await pieces?.return(undefined);
			pieces = undefined;
		},
		async next() {
			try {
				if (pieces === undefined) {
					const { size, mtimeMs } = await stat(path);
					const now = `${size}:${mtimeMs}`;
					if (now === seen) return undefined;
					pieces = readCompressed(path, seen !== undefined);
					seen = now;
				}
				const { value, done } = await pieces.next();
				if (done) pieces = undefined;
				return done ? undefined : value;
			} catch (error) {
				pieces = undefined;
				if (seen !== undefined && errorCode(error) === 'ENOENT') return undefined;
				throw unreadable(path, error);
			}
		},
	};
}

async function* readCompressed(path: string, again: boolean): AsyncGenerator<RecordBatch> {
	const lines = lineBytes();
	let startsOver = again;
	for await (const chunk of decompressed(path)) {
		const { records, badLines } = lines.push(chunk);
		if (records.length === 0 && badLines === 0) continue;
		yield { records, badLines, startsOver, bytes: chunk.length };
		startsOver = false;
	}
	const { records, badLines } = lines.end();
	if (records.length > 0 || startsOver) yield { records, badLines, startsOver, bytes: 0 };
}
