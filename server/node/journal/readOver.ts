/** Reads a journal that may not be changed, over what is damaged in it. */

import { crc32 } from 'node:zlib';
import type { BodyRef, LostLine, Mend, StoredRecord } from '../../session/ports.ts';
import { type JournalFile, readBodies } from './bodies.ts';
import { lostLines } from './lostLines.ts';
import { handingOver, replay } from './replay.ts';
import { scanRecords } from './scanner.ts';
import { runsOf, surveyFrom } from './survey.ts';

/** A journal as it was read over. */
export interface ReadOver {
	/** Where records can follow, in bytes. */
	offset: number;
	/** Something in it was damaged. */
	isDamaged: boolean;
	/** Bodies of its records, those included that stand in for what is lost. */
	read(refs: readonly BodyRef[]): Promise<(string | undefined)[]>;
}

/**
 * Hands over the records of [start, size) in order, and what `mend` makes of the lines that are left of damaged ones.
 *
 * @throws Failure `StorageFailed` when the file cannot be read.
 */
export async function readOver(
	file: JournalFile & { start: number; size: number },
	each: (record: StoredRecord) => void,
	mend: Mend,
): Promise<ReadOver> {
	const made = new Map<number, string>();
	const { offset } = await replay(file, file.start, file.size, each);
	const found = offset === file.size ? undefined : await surveyFrom(file, offset, file.size);
	const handOver = handingOver(each);
	let lost: LostLine[] = [];
	const takeLost = async (following: readonly unknown[]): Promise<void> => {
		const mended = lost.length === 0 ? undefined : await mend(lost, following);
		lost = [];
		if (mended) each({ value: mended.value, bodies: mended.bodies.map((text) => refOf(text, made)) });
	};
	for (const piece of runsOf(found?.pieces ?? [])) {
		if (piece.kind === 'lost') {
			lost = (await lostLines(file, piece)).lines;
			continue;
		}
		const records: StoredRecord[] = [];
		await scanRecords(file, piece.from, piece.to + piece.missing, ({ value, bodies }) => {
			records.push({ value, bodies });
		});
		await takeLost(records.map(({ value }) => value));
		await handOver(records);
	}
	await takeLost([]);
	return {
		offset: found?.end ?? offset,
		isDamaged: found?.pieces.some((piece) => piece.kind === 'lost' || piece.missing > 0) ?? false,
		async read(refs) {
			const read = await readBodies(
				file,
				refs.filter((ref) => !made.has(ref.offset)),
			);
			let next = 0;
			return refs.map((ref) => (made.has(ref.offset) ? made.get(ref.offset) : read[next++]));
		},
	};
}

/** A place before every journal's first byte, for a text that lies in none. */
function refOf(text: string, made: Map<number, string>): BodyRef {
	const offset = -1 - made.size;
	made.set(offset, text);
	return { offset, length: Buffer.byteLength(text), crc: crc32(text) };
}
