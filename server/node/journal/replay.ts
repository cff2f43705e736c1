/** Reads the records of a journal up to the first damaged record. */

import { pauseForOthers } from '../../core/slices.ts';
import type { StoredRecord } from '../../session/ports.ts';
import { findTornBody, type JournalFile } from './bodies.ts';
import { type ScanEnd, type ScannedRecord, scanRecords } from './scanner.ts';

/**
 * Passes the records of [start, size) to `visit`, in order, up to the first damaged record.
 *
 * Checks only the bodies of the last group, because no other group can have been in the middle of a write when the process or
 * the machine stopped.
 *
 * @throws Failure `StorageFailed` if the file cannot be read
 */
export async function replayRecords(
	file: JournalFile,
	start: number,
	size: number,
	visit: (record: StoredRecord) => void,
): Promise<ScanEnd> {
	const lastGroup: ScannedRecord[] = [];
	const deliver = createRecordDelivery(visit);
	const end = await scanRecords(file, start, size, (record) => {
		const delivered = record.synced && lastGroup.length > 0 ? deliver(lastGroup.splice(0)) : undefined;
		lastGroup.push(record);
		return delivered;
	});
	const owners = lastGroup.flatMap((record) => record.bodies.map(() => record));
	const tornIndex = await findTornBody(
		file,
		lastGroup.flatMap(({ bodies }) => bodies),
	);
	const tornRecord = owners[tornIndex];
	if (tornRecord === undefined) {
		await deliver(lastGroup);
		return end;
	}
	await deliver(lastGroup.slice(0, lastGroup.indexOf(tornRecord)));
	return { offset: tornRecord.offset, reason: 'damaged' };
}

/** Milliseconds after which other tasks get a turn; a single record may take a hundred. */
const maxSliceMs = 10;

/** Returns a function that passes records to `visit`, one at a time, with pauses for other tasks. */
export function createRecordDelivery(
	visit: (record: StoredRecord) => void,
): (records: readonly StoredRecord[]) => Promise<void> {
	let since = performance.now();
	return async (records) => {
		for (const { value, bodies } of records) {
			visit({ value, bodies });
			if (performance.now() - since < maxSliceMs) continue;
			await pauseForOthers();
			since = performance.now();
		}
	};
}
