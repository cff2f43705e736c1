import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';

/** The first bytes of a journal's header (https://sqlite.org/fileformat2.html#the_rollback_journal). */
const journalMagic = Buffer.from('d9d505f920a163d7', 'hex');
/** If a segment states this number of pages, the number follows from the size of the journal file. */
const unknownCount = 0xffffffff;

/** The header of one segment of a journal. */
interface JournalSegment {
	/** Number of pages in the segment. */
	pageCount: number;
	/** Initial value of the pages' checksums. */
	nonce: number;
	/** Number of pages that the database had before the transaction. */
	pagesBefore: number;
	sectorBytes: number;
	pageBytes: number;
}

/**
 * Rolls back a transaction that a killed process left unfinished: writes the journal's pages back to the database.
 *
 * The SQLite engine never does this, because its file system layer mistakes its own lock for that of a running transaction. The
 * database must be closed. If this process is killed before the end, the next call does all of it again.
 */
export function rollBackJournal(file: string): void {
	if (!existsSync(`${file}-journal`)) return;
	const journal = readFileSync(`${file}-journal`);
	if (!journal.subarray(0, journalMagic.length).equals(journalMagic)) return;
	const database = openSync(file, 'r+');
	try {
		let first: JournalSegment | undefined;
		for (let at = 0; journal.subarray(at, at + journalMagic.length).equals(journalMagic); ) {
			const segment = parseSegment(journal, at);
			first ??= segment;
			const records = at + segment.sectorBytes;
			const isWhole = writePages(database, journal.subarray(records), segment);
			if (!isWhole) break;
			const end = records + segment.pageCount * (segment.pageBytes + 8);
			at = Math.ceil(end / segment.sectorBytes) * segment.sectorBytes;
		}
		if (first !== undefined && first.pageCount > 0)
			ftruncateSync(database, first.pagesBefore * first.pageBytes);
		fsyncSync(database);
	} finally {
		closeSync(database);
	}
	const emptied = openSync(`${file}-journal`, 'w');
	fsyncSync(emptied);
	closeSync(emptied);
}

function parseSegment(journal: Buffer, at: number): JournalSegment {
	const [storedCount, nonce, pagesBefore, sectorBytes, pageBytes] = [8, 12, 16, 20, 24].map((offset) =>
		journal.length >= at + offset + 4 ? journal.readUInt32BE(at + offset) : 0,
	) as [number, number, number, number, number];
	const available = Math.floor((journal.length - at - sectorBytes) / (pageBytes + 8));
	const pageCount = storedCount === unknownCount ? Math.max(0, available) : storedCount;
	return { pageCount, nonce, pagesBefore, sectorBytes, pageBytes };
}

/** Writes the pages of a segment to the database; returns false at the first missing or damaged page. */
function writePages(
	database: number,
	records: Buffer,
	{ pageCount, nonce, pageBytes }: JournalSegment,
): boolean {
	for (let index = 0; index < pageCount; index++) {
		const record = records.subarray(index * (pageBytes + 8), (index + 1) * (pageBytes + 8));
		const page = record.subarray(4, 4 + pageBytes);
		if (record.length < pageBytes + 8 || record.readUInt32BE(4 + pageBytes) !== computeChecksum(page, nonce))
			return false;
		writeSync(database, page, 0, pageBytes, (record.readUInt32BE(0) - 1) * pageBytes);
	}
	return true;
}

function computeChecksum(page: Buffer, nonce: number): number {
	let sum = nonce;
	for (let at = page.length - 200; at > 0; at -= 200) sum += page[at] ?? 0;
	return sum >>> 0;
}
