/** The journal of one session that this process writes. */

import { crc32 } from 'node:zlib';
import type { BodyRef, Journal, Salvaged } from '../../session/ports.ts';
import { type JournalFile, readBodies } from './bodies.ts';
import type { GroupWriter } from './groupWriter.ts';
import type { Lock } from './lock.ts';

/** A journal over an open file, its writer and the lock that is given back at `close`. */
export function fileJournal(
	file: JournalFile & { salvaged?: Salvaged },
	writer: GroupWriter,
	lock: Lock,
	closed: () => void,
): Journal {
	let closing: Promise<void> | undefined;

	async function finish(): Promise<void> {
		await writer.finish();
		try {
			await file.handle.close();
		} finally {
			closed();
			await lock.release();
		}
	}

	return {
		append: writer.append,
		...(file.salvaged && { salvaged: file.salvaged }),
		read: (refs) => readBuffered(file, writer, refs),
		get size() {
			return writer.size();
		},
		close() {
			closing ??= finish();
			return closing;
		},
	};
}

async function readBuffered(
	file: JournalFile,
	writer: GroupWriter,
	refs: readonly BodyRef[],
): Promise<(string | undefined)[]> {
	// All in one turn: a group that reaches the disk while the rest is read would be looked for in vain.
	const buffered = refs.map((ref) => writer.buffered(ref));
	const read = await readBodies(
		file,
		refs.filter((_, index) => buffered[index] === undefined),
	);
	let next = 0;
	return refs.map(({ crc }, index) => {
		const bytes = buffered[index];
		if (bytes === undefined) return read[next++];
		return crc32(bytes) === crc ? bytes.toString('utf8') : undefined;
	});
}
