/** The journal of one session that this process writes. */

import { crc32 } from 'node:zlib';
import { Failure } from '../../core/failure.ts';
import type { BodyRef, Journal } from '../../session/ports.ts';
import { type JournalFile, readBodies } from './bodies.ts';
import type { GroupWriter } from './groupWriter.ts';
import type { Lock } from './lock.ts';

/** A journal over an open file, its writer and the lock that is given back at `close`. */
export function fileJournal(file: JournalFile, writer: GroupWriter, lock: Lock, closed: () => void): Journal {
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
): Promise<string[]> {
	const texts: (string | undefined)[] = refs.map(() => undefined);
	const onDisk: BodyRef[] = [];
	// All in one turn: a group that reaches the disk while the rest is read would be looked for in vain.
	for (const [index, ref] of refs.entries()) {
		const bytes = writer.buffered(ref);
		if (bytes === undefined) onDisk.push(ref);
		else texts[index] = bufferedText(file, ref, bytes);
	}
	const read = await readBodies(file, onDisk);
	let next = 0;
	return texts.map((text) => text ?? read[next++]!);
}

function bufferedText(file: JournalFile, ref: BodyRef, bytes: Buffer): string {
	if (crc32(bytes) === ref.crc) return bytes.toString('utf8');
	throw new Failure(
		'StorageFailed',
		`no body with that checksum lies at ${ref.offset} in the journal of session ${JSON.stringify(file.sessionId)}`,
		{ path: file.path, offset: ref.offset },
	);
}
