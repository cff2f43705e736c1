import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';

/** The first bytes of a journal's header (https://sqlite.org/fileformat2.html#the_rollback_journal). */
const magic = Buffer.from('d9d505f920a163d7', 'hex');
/** Number of records that says: as many as there are. */
const unknownCount = 0xffffffff;

/** Facts about a part of a journal. */
interface JournalPart {
	/** Pages that the part has, and the number from which their checksums start. */
	count: number;
	nonce: number;
	/** Pages of the database before the transaction. */
	pagesBefore: number;
	sectorBytes: number;
	pageBytes: number;
}

/**
 * Undoes the transaction that a killed process left unfinished: writes the pages in the journal back.
 *
 * The file system layer of the engine never does so itself: it takes its own lock for that of a running transaction.
 * The database must be closed. Killed meanwhile, it is repeated by the next call.
 */
export function rollBackJournal(file: string): void {
	if (!existsSync(`${file}-journal`)) return;
	const journal = readFileSync(`${file}-journal`);
	if (!journal.subarray(0, magic.length).equals(magic)) return;
	const database = openSync(file, 'r+');
	try {
		let first: JournalPart | undefined;
		for (let at = 0; journal.subarray(at, at + magic.length).equals(magic); ) {
			const part = partAt(journal, at);
			first ??= part;
			const records = at + part.sectorBytes;
			const isWhole = writePages(database, journal.subarray(records), part);
			if (!isWhole) break;
			const end = records + part.count * (part.pageBytes + 8);
			at = Math.ceil(end / part.sectorBytes) * part.sectorBytes;
		}
		if (first !== undefined && first.count > 0) ftruncateSync(database, first.pagesBefore * first.pageBytes);
		fsyncSync(database);
	} finally {
		closeSync(database);
	}
	const emptied = openSync(`${file}-journal`, 'w');
	fsyncSync(emptied);
	closeSync(emptied);
}

function partAt(journal: Buffer, at: number): JournalPart {
	const [stored, nonce, pagesBefore, sectorBytes, pageBytes] = [8, 12, 16, 20, 24].map((offset) =>
		journal.length >= at + offset + 4 ? journal.readUInt32BE(at + offset) : 0,
	) as [number, number, number, number, number];
	const available = Math.floor((journal.length - at - sectorBytes) / (pageBytes + 8));
	const count = stored === unknownCount ? Math.max(0, available) : stored;
	return { count, nonce, pagesBefore, sectorBytes, pageBytes };
}

/** Writes the pages of a part; returns whether all were there and undamaged. */
function writePages(database: number, records: Buffer, { count, nonce, pageBytes }: JournalPart): boolean {
	for (let index = 0; index < count; index++) {
		const record = records.subarray(index * (pageBytes + 8), (index + 1) * (pageBytes + 8));
		const page = record.subarray(4, 4 + pageBytes);
		if (record.length < pageBytes + 8 || record.readUInt32BE(4 + pageBytes) !== checksum(page, nonce))
			return false;
		writeSync(database, page, 0, pageBytes, (record.readUInt32BE(0) - 1) * pageBytes);
	}
	return true;
}

function checksum(page: Buffer, nonce: number): number {
	let sum = nonce;
	for (let at = page.length - 200; at > 0; at -= 200) sum += page[at] ?? 0;
	return sum >>> 0;
}
