/** Hands over what a journal holds, up to where it is sound. */

import type { BodyRef, StoredRecord } from '../../session/ports.ts';
import { firstDamagedBody, type JournalFile } from './bodies.ts';
import { type ScanEnd, type ScannedRecord, scanRecords } from './scanner.ts';

/**
 * Hands over the records of [start, size) in order. The bodies of the last group, which alone may have been on
 * their way to the disk when a process or a machine died, are checked before their records are handed over.
 *
 * @throws Failure `StorageFailed` when the file cannot be read.
 */
export async function replay(
	file: JournalFile,
	start: number,
	size: number,
	each: (record: StoredRecord) => void,
): Promise<ScanEnd> {
	const lastGroup: ScannedRecord[] = [];
	const handOver = ({ value, bodies }: ScannedRecord): void => each({ value, bodies });
	const end = await scanRecords(file, start, size, (record) => {
		if (record.synced) lastGroup.splice(0).forEach(handOver);
		lastGroup.push(record);
	});
	const damaged = await firstDamagedRecord(file, lastGroup);
	if (damaged === -1) {
		lastGroup.forEach(handOver);
		return end;
	}
	lastGroup.slice(0, damaged).forEach(handOver);
	return { offset: lastGroup[damaged]!.offset, reason: 'damaged' };
}

async function firstDamagedRecord(file: JournalFile, group: readonly ScannedRecord[]): Promise<number> {
	const bodies: BodyRef[] = [];
	const owners: number[] = [];
	for (const [index, record] of group.entries()) {
		for (const body of record.bodies) {
			bodies.push(body);
			owners.push(index);
		}
	}
	const damaged = await firstDamagedBody(file, bodies);
	return owners[damaged] ?? -1;
}
