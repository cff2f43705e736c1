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
	const handOver = handingOver(each);
	const end = await scanRecords(file, start, size, (record) => {
		const handed = record.synced && lastGroup.length > 0 ? handOver(lastGroup.splice(0)) : undefined;
		lastGroup.push(record);
		return handed;
	});
	const damaged = await firstDamagedRecord(file, lastGroup);
	if (damaged === -1) {
		await handOver(lastGroup);
		return end;
	}
	await handOver(lastGroup.slice(0, damaged));
	return { offset: lastGroup[damaged]!.offset, reason: 'damaged' };
}

/** Milliseconds for which records are handed over before others may work: one alone may take a hundred. */
const patience = 10;

/** Hands records over one after the other, and lets others work in between. */
export function handingOver(
	each: (record: StoredRecord) => void,
): (records: readonly StoredRecord[]) => Promise<void> {
	let since = performance.now();
	return async (records) => {
		for (const { value, bodies } of records) {
			each({ value, bodies });
			if (performance.now() - since < patience) continue;
			await new Promise(setImmediate);
			since = performance.now();
		}
	};
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
